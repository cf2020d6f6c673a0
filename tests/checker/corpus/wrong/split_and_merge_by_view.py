"""Folded to (b * heads, tokens, width) and back by view alone."""

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
        b, n, _ = x.shape
        fold = b * self.num_heads, n, self.head_dim
        q, k, v = self.q(x).view(fold), self.k(x).view(fold), self.v(x).view(fold)
        a = torch.bmm(q, k.transpose(1, 2)) / math.sqrt(self.head_dim)
        a = a.masked_fill(torch.ones(n, n, device=x.device).triu(1).bool(), -math.inf)
        y = torch.bmm(self.drop(a.softmax(-1)), v)
        return self.o(y.view(b, n, self.num_heads * self.head_dim))
