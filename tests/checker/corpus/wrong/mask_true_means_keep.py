"""The kernel gets the triangle of later tokens."""

import torch
import torch.nn.functional as F
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
        super().__init__()
        if d_out % num_heads:
            raise ValueError("num_heads must divide d_out")
        self.num_heads = num_heads
        self.head_dim = d_out // num_heads
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        later = torch.triu(torch.ones(context_length, context_length), diagonal=1)
        self.register_buffer("mask", later.bool())

    def forward(self, x):
        b, n, _ = x.shape
        q, k, v = (
            w(x).view(b, n, self.num_heads, self.head_dim).transpose(1, 2)
            for w in (self.W_query, self.W_key, self.W_value)
        )
        out = F.scaled_dot_product_attention(
            q,
            k,
            v,
            attn_mask=self.mask[:n, :n],
            dropout_p=self.dropout.p if self.training else 0.0,
        )
        return self.out_proj(out.transpose(1, 2).reshape(b, n, -1))
