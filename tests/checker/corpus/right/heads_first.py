"""Heads are the first axis all the way."""

import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
        super().__init__()
        if d_out % num_heads:
            raise ValueError("num_heads must divide d_out")
        self.num_heads = num_heads
        self.head_dim = d_out // num_heads
        self.w = nn.Parameter(
            torch.randn(3, num_heads, d_in, self.head_dim) / d_in**0.5
        )
        self.bias = (
            nn.Parameter(torch.zeros(3, num_heads, 1, 1, self.head_dim))
            if qkv_bias
            else 0
        )
        self.out = nn.Linear(d_out, d_out)
        self.drop = nn.Dropout(dropout)

    def forward(self, x):
        n = x.shape[1]
        q, k, v = torch.einsum("bnc,shcd->shbnd", x, self.w) + self.bias
        s = q @ k.transpose(-1, -2) / self.head_dim**0.5
        s = s.masked_fill(torch.ones(n, n, device=x.device).triu(1).bool(), -torch.inf)
        y = self.drop(s.softmax(-1)) @ v
        return self.out(torch.cat(y.unbind(0), dim=-1))
