"""view goes straight to (b, num_heads, num_tokens, head_dim)."""

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
        self.query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.value = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.fc_out = nn.Linear(d_out, d_out)
        self.drop = nn.Dropout(dropout)

    def forward(self, x):
        N, T, _ = x.shape
        q = self.query(x).reshape(N, self.num_heads, T, self.head_dim)
        k = self.key(x).reshape(N, self.num_heads, T, self.head_dim)
        v = self.value(x).reshape(N, self.num_heads, T, self.head_dim)
        energy = torch.einsum("nhqd,nhkd->nhqk", q, k) / math.sqrt(self.head_dim)
        energy = energy.masked_fill(
            torch.tril(torch.ones_like(energy)) == 0, -torch.inf
        )
        out = torch.einsum("nhql,nhld->nqhd", self.drop(energy.softmax(-1)), v)
        return self.fc_out(out.reshape(N, T, -1))
