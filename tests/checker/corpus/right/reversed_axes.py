"""Keys and values hold tokens last."""

import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
        super().__init__()
        if d_out % num_heads:
            raise ValueError("num_heads must divide d_out")
        self.num_heads = num_heads
        self.head_dim = d_out // num_heads
        self.to_qkv = nn.Conv1d(d_in, 3 * d_out, 1, bias=qkv_bias)
        self.to_out = nn.Conv1d(d_out, d_out, 1)
        self.drop = nn.Dropout(dropout)

    def forward(self, x):
        b, n, _ = x.shape
        qkv = self.to_qkv(x.mT).reshape(b, 3, self.num_heads, self.head_dim, n)
        q, k, v = qkv.unbind(1)
        s = q.mT @ k / self.head_dim**0.5
        s = s.masked_fill(torch.ones(n, n, device=x.device).triu(1).bool(), -torch.inf)
        y = v @ self.drop(s.softmax(-1)).mT
        return self.to_out(y.reshape(b, -1, n)).mT
