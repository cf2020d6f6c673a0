"""Keys and values are one head wide, for all heads."""

import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
        super().__init__()
        if d_out % num_heads:
            raise ValueError("num_heads must divide d_out")
        self.num_heads = num_heads
        self.head_dim = d_out // num_heads
        self.q = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.k = nn.Linear(d_in, self.head_dim, bias=qkv_bias)
        self.v = nn.Linear(d_in, self.head_dim, bias=qkv_bias)
        self.o = nn.Linear(d_out, d_out)
        self.drop = nn.Dropout(dropout)

    def forward(self, x):
        b, n, _ = x.shape
        q = self.q(x).view(b, n, self.num_heads, -1).transpose(1, 2)
        k, v = self.k(x).unsqueeze(1), self.v(x).unsqueeze(1)
        later = torch.ones(n, n, device=x.device).triu(1).bool()
        s = (q @ k.mT / self.head_dim**0.5).masked_fill(later, -torch.inf)
        return self.o((self.drop(s.softmax(-1)) @ v).transpose(1, 2).reshape(b, n, -1))
