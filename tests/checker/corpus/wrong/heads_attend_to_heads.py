"""Viewed, never transposed: scores are (b, tokens, heads, heads)."""

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

    def forward(self, x):
        b, n, _ = x.shape
        shape = b, n, self.num_heads, self.head_dim
        q, k = self.W_query(x).view(shape), self.W_key(x).view(shape)
        v = self.W_value(x).view(shape)
        scores = torch.matmul(q, k.transpose(-2, -1)) / self.head_dim**0.5
        h = self.num_heads
        scores = scores.masked_fill(
            torch.ones(h, h, device=x.device).triu(1).bool(), -torch.inf
        )
        w = self.dropout(scores.softmax(-1))
        return self.out_proj(torch.matmul(w, v).view(b, n, -1))
