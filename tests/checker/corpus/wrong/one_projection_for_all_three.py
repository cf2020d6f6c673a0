"""One linear, used three times."""

import torch.nn.functional as F
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
        super().__init__()
        if d_out % num_heads:
            raise ValueError("num_heads must divide d_out")
        self.num_heads = num_heads
        self.head_dim = d_out // num_heads
        self.proj = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.out_proj = nn.Linear(d_out, d_out)
        self.p = dropout

    def forward(self, x):
        b, n, _ = x.shape
        t = self.proj(x).view(b, n, self.num_heads, self.head_dim).transpose(1, 2)
        y = F.scaled_dot_product_attention(
            t, t, t, is_causal=True, dropout_p=self.p if self.training else 0.0
        )
        return self.out_proj(y.transpose(1, 2).reshape(b, n, -1))
