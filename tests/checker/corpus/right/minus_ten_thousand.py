"""Hidden scores are -10000, as in early models."""

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
        self.register_buffer(
            "tril", torch.tril(torch.ones(context_length, context_length))
        )
        self.register_buffer("masked_bias", torch.tensor(-1e4))

    def forward(self, x):
        b, n, _ = x.shape
        q, k, v = (
            w(x).view(b, n, self.num_heads, self.head_dim).transpose(1, 2)
            for w in (self.W_query, self.W_key, self.W_value)
        )
        s = q @ k.mT / self.head_dim**0.5
        s = torch.where(self.tril[:n, :n].bool(), s, self.masked_bias.to(s.dtype))
        w = self.dropout(s.softmax(-1))
        return self.out_proj((w @ v).transpose(1, 2).reshape(b, n, -1))
