"""Weights of each head in lists of parameters."""

import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
        super().__init__()
        if d_out % num_heads:
            raise ValueError("num_heads must divide d_out")
        self.num_heads = num_heads
        self.head_dim = d_out // num_heads

        def make():
            return nn.ParameterList(
                nn.Parameter(torch.randn(d_in, self.head_dim) * 0.1)
                for _ in range(num_heads)
            )

        self.q, self.k, self.v = make(), make(), make()
        self.b = (
            nn.Parameter(torch.zeros(3, num_heads, self.head_dim)) if qkv_bias else None
        )
        self.o = nn.Parameter(torch.randn(d_out, d_out) * 0.1)
        self.drop = nn.Dropout(dropout)

    def forward(self, x):
        n = x.shape[1]
        later = torch.ones(n, n, device=x.device).triu(1).bool()
        outs = []
        for h in range(self.num_heads):
            q, k, v = x @ self.q[h], x @ self.k[h], x @ self.v[h]
            if self.b is not None:
                q, k, v = q + self.b[0, h], k + self.b[1, h], v + self.b[2, h]
            s = (q @ k.mT / self.head_dim**0.5).masked_fill(later, -torch.inf)
            outs.append(self.drop(s.softmax(-1)) @ v)
        return torch.cat(outs, -1) @ self.o
