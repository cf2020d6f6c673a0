"""More methods, a repr, printing in the constructor."""

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
        print(end="")

    def extra_repr(self):
        return f"heads={self.num_heads}"

    def count(self):
        return sum(p.numel() for p in self.parameters())

    def attend(self, q, k, v):
        n = q.shape[-2]
        s = torch.baddbmm(
            torch.full((n, n), -torch.inf, device=q.device, dtype=q.dtype).triu(1),
            q.flatten(0, 1),
            k.flatten(0, 1).mT,
            alpha=self.head_dim**-0.5,
        )
        return (self.dropout(s.softmax(-1)) @ v.flatten(0, 1)).view_as(v)

    def forward(self, x):
        b, n, _ = x.shape
        q, k, v = (
            w(x).view(b, n, self.num_heads, self.head_dim).transpose(1, 2)
            for w in (self.W_query, self.W_key, self.W_value)
        )
        return self.out_proj(self.attend(q, k, v).transpose(1, 2).flatten(2))
