"""One linear for all three in each head."""

import torch
import torch.nn.functional as F
from torch import nn


class OneHead(nn.Module):
    def __init__(self, d_in, width, p, bias):
        super().__init__()
        self.qkv = nn.Linear(d_in, 3 * width, bias=bias)
        self.p = p

    def forward(self, x):
        q, k, v = self.qkv(x).chunk(3, -1)
        p = self.p if self.training else 0.0
        return F.scaled_dot_product_attention(q, k, v, is_causal=True, dropout_p=p)


class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
        super().__init__()
        if d_out % num_heads:
            raise ValueError("uneven")
        self.heads = nn.ModuleList(
            OneHead(d_in, d_out // num_heads, dropout, qkv_bias)
            for _ in range(num_heads)
        )
        self.mix = nn.Linear(d_out, d_out)

    def forward(self, x):
        return self.mix(torch.cat([head(x) for head in self.heads], dim=2))
