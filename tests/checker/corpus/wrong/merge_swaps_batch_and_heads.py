"""Folded heads first, unfolded texts first."""

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

    def fold(self, t):
        return torch.cat(t.split(self.head_dim, dim=2), dim=0)

    def forward(self, x):
        b, n, _ = x.shape
        q, k, v = (
            self.fold(self.W_query(x)),
            self.fold(self.W_key(x)),
            self.fold(self.W_value(x)),
        )
        later = torch.ones(n, n, device=x.device).triu(1).bool()
        s = (torch.bmm(q, k.mT) / self.head_dim**0.5).masked_fill(later, -torch.inf)
        y = torch.bmm(self.dropout(s.softmax(-1)), v)
        y = y.view(b, self.num_heads, n, self.head_dim)
        return self.out_proj(y.transpose(1, 2).reshape(b, n, -1))
