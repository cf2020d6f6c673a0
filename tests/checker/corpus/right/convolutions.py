"""Convolutions of kernel size 1 instead of linears."""

import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
        super().__init__()
        if d_out % num_heads:
            raise ValueError("num_heads must divide d_out")
        self.num_heads = num_heads
        self.head_dim = d_out // num_heads
        self.q = nn.Conv1d(d_in, d_out, 1, bias=qkv_bias)
        self.k = nn.Conv1d(d_in, d_out, 1, bias=qkv_bias)
        self.v = nn.Conv1d(d_in, d_out, 1, bias=qkv_bias)
        self.o = nn.Conv1d(d_out, d_out, 1)
        self.drop = nn.Dropout(dropout)

    def forward(self, x):
        b, n, _ = x.shape
        x = x.transpose(1, 2)
        q, k, v = (
            m(x).reshape(b, self.num_heads, -1, n) for m in (self.q, self.k, self.v)
        )
        s = torch.einsum("bhdi,bhdj->bhij", q, k) / self.head_dim**0.5
        s = s + torch.full_like(s, -torch.inf).triu(1)
        y = torch.einsum("bhij,bhdj->bhdi", self.drop(s.softmax(-1)), v)
        return self.o(y.reshape(b, -1, n)).transpose(1, 2)
