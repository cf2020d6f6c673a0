"""A line copied once too often."""

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
        queries = self.W_query(x).view(shape).transpose(1, 2)
        keys = self.W_key(x).view(shape).transpose(1, 2)
        values = self.W_key(x).view(shape).transpose(1, 2)
        scores = queries @ keys.transpose(2, 3) / self.head_dim**0.5
        scores = scores.masked_fill(torch.ones_like(scores).triu(1).bool(), -torch.inf)
        weights = self.dropout(scores.softmax(dim=-1))
        return self.out_proj((weights @ values).transpose(1, 2).reshape(b, n, -1))
