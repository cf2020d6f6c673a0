"""Each head keeps a triangle of its own."""

import torch
from torch import nn


class Head(nn.Module):
    def __init__(self, d_in, width, context_length, dropout, bias):
        super().__init__()
        self.query = nn.Linear(d_in, width, bias=bias)
        self.key = nn.Linear(d_in, width, bias=bias)
        self.value = nn.Linear(d_in, width, bias=bias)
        self.drop = nn.Dropout(dropout)
        self.scale = width**-0.5

    def forward(self, x, mask):
        scores = self.query(x) @ self.key(x).transpose(1, 2) * self.scale
        scores = scores.masked_fill(mask[: x.shape[1], : x.shape[1]], -torch.inf)
        return self.drop(scores.softmax(-1)) @ self.value(x)


class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
        super().__init__()
        assert d_out % num_heads == 0
        self.heads = nn.ModuleList(
            Head(d_in, d_out // num_heads, context_length, dropout, qkv_bias)
            for _ in range(num_heads)
        )
        mask = torch.ones(num_heads, context_length, context_length).triu(1).bool()
        self.register_buffer("masks", mask)
        self.out = nn.Linear(d_out, d_out)

    def forward(self, x):
        outs = [head(x, mask) for head, mask in zip(self.heads, self.masks)]
        return self.out(torch.cat(outs, dim=-1))
