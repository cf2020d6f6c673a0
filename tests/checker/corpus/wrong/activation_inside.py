"""Every linear got its relu, as in other networks."""

import torch.nn.functional as F
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
        super().__init__()
        if d_out % num_heads:
            raise ValueError("num_heads must divide d_out")
        self.num_heads = num_heads
        self.head_dim = d_out // num_heads
        self.q = nn.Sequential(nn.Linear(d_in, d_out, bias=qkv_bias), nn.ReLU())
        self.k = nn.Sequential(nn.Linear(d_in, d_out, bias=qkv_bias), nn.ReLU())
        self.v = nn.Sequential(nn.Linear(d_in, d_out, bias=qkv_bias), nn.ReLU())
        self.o = nn.Linear(d_out, d_out)
        self.p = dropout

    def forward(self, x):
        b, n, _ = x.shape
        q, k, v = (
            m(x).view(b, n, self.num_heads, -1).transpose(1, 2)
            for m in (self.q, self.k, self.v)
        )
        y = F.scaled_dot_product_attention(
            q, k, v, is_causal=True, dropout_p=self.p if self.training else 0.0
        )
        return self.o(y.transpose(1, 2).reshape(b, n, -1))
