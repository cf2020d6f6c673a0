"""The function that drops is never told the mode."""

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
        self.qkv = nn.Linear(d_in, 3 * d_out, bias=qkv_bias)
        self.proj = nn.Linear(d_out, d_out)
        self.p = dropout

    def forward(self, x):
        b, n, _ = x.shape
        q, k, v = self.qkv(x).view(b, n, 3, self.num_heads, -1).permute(2, 0, 3, 1, 4)
        a = q @ k.transpose(-2, -1) * self.head_dim**-0.5
        a = a + torch.full((n, n), -torch.inf, device=x.device, dtype=x.dtype).triu(1)
        a = F.dropout(a.softmax(-1), self.p)
        return self.proj((a @ v).transpose(1, 2).flatten(2))
