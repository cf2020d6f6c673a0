"""Each head has its own part of the output projection."""

import torch.nn.functional as F
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
        super().__init__()
        if d_out % num_heads:
            raise ValueError("num_heads must divide d_out")
        self.num_heads = num_heads
        self.head_dim = d_out // num_heads
        self.qkv = nn.ModuleList(
            nn.Linear(d_in, 3 * self.head_dim, bias=qkv_bias) for _ in range(num_heads)
        )
        self.out = nn.ModuleList(
            nn.Linear(self.head_dim, d_out, bias=h == 0) for h in range(num_heads)
        )
        self.p = dropout

    def forward(self, x):
        total = 0
        for qkv, out in zip(self.qkv, self.out):
            q, k, v = qkv(x).chunk(3, dim=-1)
            p = self.p if self.training else 0.0
            y = F.scaled_dot_product_attention(q, k, v, is_causal=True, dropout_p=p)
            total = total + out(y)
        return total
