"""Heads of d_out // num_heads, whatever is left over."""

import torch.nn.functional as F
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
        super().__init__()
        self.h, self.width = num_heads, d_out // num_heads
        inner = self.h * self.width
        self.q = nn.Linear(d_in, inner, bias=qkv_bias)
        self.k = nn.Linear(d_in, inner, bias=qkv_bias)
        self.v = nn.Linear(d_in, inner, bias=qkv_bias)
        self.o = nn.Linear(inner, d_out)
        self.p = dropout

    def forward(self, x):
        b, n, _ = x.shape
        q, k, v = (
            m(x).view(b, n, self.h, self.width).transpose(1, 2)
            for m in (self.q, self.k, self.v)
        )
        y = F.scaled_dot_product_attention(
            q, k, v, is_causal=True, dropout_p=self.p if self.training else 0.0
        )
        return self.o(y.transpose(1, 2).reshape(b, n, -1))
