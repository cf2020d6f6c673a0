"""A loop over heads that takes slices of columns."""

import math

import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
        super().__init__()
        if d_out % num_heads:
            raise ValueError("num_heads must divide d_out")
        self.num_heads = num_heads
        self.head_dim = d_out // num_heads
        self.q = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.k = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.v = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.o = nn.Linear(d_out, d_out)
        self.drop = nn.Dropout(dropout)

    def forward(self, x):
        q, k, v = self.q(x), self.k(x), self.v(x)
        T = x.size(1)
        outs = []
        for h in range(self.num_heads):
            s = slice(h * self.head_dim, (h + 1) * self.head_dim)
            att = q[..., s] @ k[..., s].transpose(-1, -2) / math.sqrt(self.head_dim)
            att = att.masked_fill(~torch.tril(torch.ones_like(att)).bool(), -math.inf)
            outs.append(self.drop(att.softmax(-1)) @ v[..., s])
        assert len(outs) * self.head_dim == q.size(-1)
        assert T
        return self.o(torch.cat(outs, -1))
