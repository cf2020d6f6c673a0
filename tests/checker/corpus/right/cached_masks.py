"""Queries scaled first, mask made when it is needed and kept."""

import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
        super().__init__()
        if d_out % num_heads:
            raise ValueError("num_heads must divide d_out")
        self.num_heads = num_heads
        self.head_dim = d_out // num_heads
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        self.scale = self.head_dim**-0.5
        self._masks = {}

    def _mask(self, n, device):
        if (n, device) not in self._masks:
            self._masks[n, device] = torch.ones(n, n, device=device).triu(1).bool()
        return self._masks[n, device]

    def _heads(self, t):
        return t.reshape(*t.shape[:2], self.num_heads, self.head_dim).transpose(1, 2)

    def forward(self, x):
        q, k, v = self.W_query(x) * self.scale, self.W_key(x), self.W_value(x)
        q, k, v = self._heads(q), self._heads(k), self._heads(v)
        a = (
            (q @ k.mT)
            .masked_fill(self._mask(x.shape[1], x.device), -torch.inf)
            .softmax(-1)
        )
        return self.out_proj((self.dropout(a) @ v).transpose(1, 2).flatten(2))
