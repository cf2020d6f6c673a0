"""A dictionary of linears, in an order of its own."""

import torch.nn.functional as F
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
        super().__init__()
        if d_out % num_heads:
            raise ValueError("num_heads must divide d_out")
        self.num_heads = num_heads
        self.head_dim = d_out // num_heads
        self.maps = nn.ModuleDict(
            {
                "for_values": nn.Linear(d_in, d_out, bias=qkv_bias),
                "for_queries": nn.Linear(d_in, d_out, bias=qkv_bias),
                "for_keys": nn.Linear(d_in, d_out, bias=qkv_bias),
                "for_output": nn.Linear(d_out, d_out),
            }
        )
        self.p = dropout

    def forward(self, x):
        q, k, v = (
            self.maps[name](x).unflatten(-1, (self.num_heads, -1)).transpose(1, 2)
            for name in ("for_queries", "for_keys", "for_values")
        )
        y = F.scaled_dot_product_attention(
            q, k, v, is_causal=True, dropout_p=self.p if self.training else 0.0
        )
        return self.maps["for_output"](y.transpose(1, 2).flatten(2))
