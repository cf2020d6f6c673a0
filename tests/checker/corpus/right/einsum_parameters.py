"""Einsum on raw parameters with a head axis."""

import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
        super().__init__()
        if d_out % num_heads:
            raise ValueError("num_heads must divide d_out")
        self.num_heads = num_heads
        self.head_dim = d_out // num_heads
        shape = num_heads, d_in, self.head_dim
        self.wq = nn.Parameter(torch.randn(shape) * d_in**-0.5)
        self.wk = nn.Parameter(torch.randn(shape) * d_in**-0.5)
        self.wv = nn.Parameter(torch.randn(shape) * d_in**-0.5)
        self.wo = nn.Parameter(
            torch.randn(num_heads, self.head_dim, d_out) * d_out**-0.5
        )
        if qkv_bias:
            self.bq = nn.Parameter(torch.zeros(num_heads, 1, self.head_dim))
            self.bk = nn.Parameter(torch.zeros(num_heads, 1, self.head_dim))
            self.bv = nn.Parameter(torch.zeros(num_heads, 1, self.head_dim))
        self.bias = qkv_bias
        self.drop = nn.Dropout(dropout)

    def forward(self, x):
        q = torch.einsum("btc,hcd->bhtd", x, self.wq)
        k = torch.einsum("btc,hcd->bhtd", x, self.wk)
        v = torch.einsum("btc,hcd->bhtd", x, self.wv)
        if self.bias:
            q, k, v = q + self.bq, k + self.bk, v + self.bv
        s = torch.einsum("bhtd,bhsd->bhts", q, k) * self.head_dim**-0.5
        hidden = torch.ones_like(s, dtype=torch.bool).triu(1)
        w = self.drop(s.masked_fill(hidden, -torch.inf).softmax(-1))
        return torch.einsum("bhts,bhsd,hdo->bto", w, v, self.wo)
