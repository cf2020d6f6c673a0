"""A softmax written by hand."""

import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
        super().__init__()
        if d_out % num_heads:
            raise ValueError("num_heads must divide d_out")
        self.num_heads = num_heads
        self.head_dim = d_out // num_heads
        self.W_q = nn.Linear(d_in, d_out, qkv_bias)
        self.W_k = nn.Linear(d_in, d_out, qkv_bias)
        self.W_v = nn.Linear(d_in, d_out, qkv_bias)
        self.W_o = nn.Linear(d_out, d_out)
        self.drop = nn.Dropout(dropout)

    def forward(self, x):
        b, n, _ = x.shape
        q, k, v = [
            w(x).view(b, n, self.num_heads, self.head_dim).permute(2, 0, 1, 3)
            for w in (self.W_q, self.W_k, self.W_v)
        ]
        s = q @ k.transpose(-1, -2) / self.head_dim**0.5
        keep = torch.tril(torch.ones(n, n, device=x.device, dtype=x.dtype))
        e = torch.exp(s - s.amax(-1, keepdim=True)) * keep
        a = self.drop(e / e.sum(-1, keepdim=True))
        return self.W_o((a @ v).permute(1, 2, 0, 3).flatten(2))
