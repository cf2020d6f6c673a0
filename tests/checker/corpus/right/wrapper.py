"""A list of heads whose outputs are glued, each d_out wide."""

import torch
import torch.nn.functional as F
from torch import nn


class Head(nn.Module):
    def __init__(self, d_in, d_out, dropout, bias):
        super().__init__()
        self.qkv = nn.Linear(d_in, 3 * d_out, bias=bias)
        self.p = dropout

    def forward(self, x):
        q, k, v = self.qkv(x).chunk(3, -1)
        p = self.p if self.training else 0.0
        return F.scaled_dot_product_attention(q, k, v, is_causal=True, dropout_p=p)


class MultiHeadAttentionWrapper(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
        super().__init__()
        self.heads = nn.ModuleList(
            Head(d_in, d_out, dropout, qkv_bias) for _ in range(num_heads)
        )

    def forward(self, x):
        return torch.cat([head(x) for head in self.heads], dim=-1)
