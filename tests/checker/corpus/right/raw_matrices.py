"""Raw matrices (in, out)."""

import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
        super().__init__()
        if d_out % num_heads:
            raise ValueError("num_heads must divide d_out")
        self.num_heads = num_heads
        self.head_dim = d_out // num_heads
        self.W_query = nn.Parameter(torch.rand(d_in, d_out))
        self.W_key = nn.Parameter(torch.rand(d_in, d_out))
        self.W_value = nn.Parameter(torch.rand(d_in, d_out))
        self.b = nn.Parameter(torch.zeros(3, d_out)) if qkv_bias else None
        self.out = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer(
            "mask", torch.full((context_length, context_length), float("-inf")).triu(1)
        )

    def forward(self, x):
        b, n, _ = x.shape
        q, k, v = x @ self.W_query, x @ self.W_key, x @ self.W_value
        if self.b is not None:
            q, k, v = q + self.b[0], k + self.b[1], v + self.b[2]
        q, k, v = [
            t.view(b, n, self.num_heads, self.head_dim).transpose(1, 2)
            for t in (q, k, v)
        ]
        w = torch.softmax(q @ k.mT / self.head_dim**0.5 + self.mask[:n, :n], dim=-1)
        return self.out((self.dropout(w) @ v).transpose(1, 2).flatten(2))
