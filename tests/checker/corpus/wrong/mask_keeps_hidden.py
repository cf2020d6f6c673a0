"""The mask of ones marks what is kept, and is filled where it is 1."""

import math

import torch
from torch import nn


def attention(query, key, value, mask, dropout):
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
    scores = scores.masked_fill(mask == 1, -1e4)
    return dropout(scores.softmax(dim=-1)) @ value


class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
        super().__init__()
        assert d_out % num_heads == 0
        self.d_k, self.h = d_out // num_heads, num_heads
        self.linears = nn.ModuleList(
            [nn.Linear(d_in, d_out, bias=qkv_bias) for _ in range(3)]
        )
        self.out = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(p=dropout)

    def forward(self, x):
        n, t, _ = x.shape
        query, key, value = [
            lin(x).view(n, -1, self.h, self.d_k).transpose(1, 2) for lin in self.linears
        ]
        mask = torch.tril(torch.ones(t, t, device=x.device))
        y = attention(query, key, value, mask, self.dropout)
        return self.out(y.transpose(1, 2).reshape(n, t, self.h * self.d_k))
