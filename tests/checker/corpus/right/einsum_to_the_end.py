"""One einsum mixes, glues and projects."""

import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
        super().__init__()
        if d_out % num_heads:
            raise ValueError("num_heads must divide d_out")
        width = d_out // num_heads
        self.wq = nn.Parameter(torch.randn(d_in, num_heads, width) / d_in**0.5)
        self.wk = nn.Parameter(torch.randn(d_in, num_heads, width) / d_in**0.5)
        self.wv = nn.Parameter(torch.randn(d_in, num_heads, width) / d_in**0.5)
        self.wo = nn.Parameter(torch.randn(num_heads, width, d_out) / d_out**0.5)
        self.bias = nn.Parameter(torch.zeros(3, num_heads, width)) if qkv_bias else None
        self.drop = nn.Dropout(dropout)
        self.limit, self.d_out, self.width = context_length, d_out, width

    def forward(self, x):
        n = x.shape[1]
        if n > self.limit:
            raise ValueError("too many tokens")
        q, k, v = (
            torch.einsum("btd,dhk->bhtk", x, w) for w in (self.wq, self.wk, self.wv)
        )
        if self.bias is not None:
            q, k, v = (t + b[:, None] for t, b in zip((q, k, v), self.bias))
        scores = torch.einsum("bhik,bhjk->bhij", q, k) / self.width**0.5
        later = torch.ones(n, n, dtype=torch.bool, device=x.device).triu(1)
        weights = self.drop(scores.masked_fill(later, -torch.inf).softmax(dim=-1))
        return torch.einsum("bhij,bhjk,hkd->bid", weights, v, self.wo)
