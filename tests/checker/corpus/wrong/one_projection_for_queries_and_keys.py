"""A copied line whose name was not changed."""

import torch
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

    def forward(self, x):
        b, n, _ = x.shape
        shape = b, n, self.num_heads, self.head_dim
        q = self.W_key(x).view(shape).transpose(1, 2)
        k = self.W_key(x).view(shape).transpose(1, 2)
        v = self.W_value(x).view(shape).transpose(1, 2)
        later = torch.ones(n, n, device=x.device).triu(1).bool()
        s = (q @ k.mT / self.head_dim**0.5).masked_fill(later, -torch.inf)
        w = self.dropout(s.softmax(-1))
        return self.out_proj((w @ v).transpose(1, 2).reshape(b, n, -1))
