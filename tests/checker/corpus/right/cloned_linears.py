"""Four cloned linears and an attention function of its own."""

import math

import torch
from torch import nn


def attention(query, key, value, mask, dropout):
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
    scores = scores.masked_fill(mask == 0, torch.finfo(scores.dtype).min)
    return dropout(scores.softmax(dim=-1)) @ value


class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
        super().__init__()
        assert d_out % num_heads == 0
        self.d_k, self.h = d_out // num_heads, num_heads
        self.linears = nn.ModuleList(
            [nn.Linear(d_in, d_out, bias=qkv_bias) for _ in range(3)]
        )
        self.linears.append(nn.Linear(d_out, d_out))
        self.dropout = nn.Dropout(p=dropout)
        self.register_buffer(
            "mask", torch.tril(torch.ones(context_length, context_length))
        )

    def forward(self, x):
        n = x.size(0)
        query, key, value = [
            lin(x).view(n, -1, self.h, self.d_k).transpose(1, 2)
            for lin in self.linears[:3]
        ]
        t = x.size(1)
        y = attention(query, key, value, self.mask[:t, :t], self.dropout)
        return self.linears[-1](y.transpose(1, 2).reshape(n, t, self.h * self.d_k))
