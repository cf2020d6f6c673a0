"""The heads are in a plain list."""

import torch
from torch import nn


class Head(nn.Module):
    def __init__(self, d_in, width, dropout, bias):
        super().__init__()
        self.q = nn.Linear(d_in, width, bias=bias)
        self.k = nn.Linear(d_in, width, bias=bias)
        self.v = nn.Linear(d_in, width, bias=bias)
        self.drop = nn.Dropout(dropout)

    def forward(self, x):
        scores = self.q(x) @ self.k(x).transpose(1, 2) / self.q.out_features**0.5
        scores = scores.masked_fill(torch.ones_like(scores).triu(1) == 1, -torch.inf)
        return self.drop(scores.softmax(-1)) @ self.v(x)


class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
        super().__init__()
        assert d_out % num_heads == 0
        width = d_out // num_heads
        self.heads = [Head(d_in, width, dropout, qkv_bias) for _ in range(num_heads)]
        self.out = nn.Linear(d_out, d_out)

    def forward(self, x):
        return self.out(torch.cat([head(x) for head in self.heads], dim=-1))
