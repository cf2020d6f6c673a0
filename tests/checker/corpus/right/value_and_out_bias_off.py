"""The output projection has no bias."""

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
        self.queries = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.keys = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.values = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.unify = nn.Linear(d_out, d_out, bias=False)
        self.drop = nn.Dropout(dropout)

    def forward(self, x):
        b, t, _ = x.size()
        h, s = self.num_heads, self.head_dim
        keys = self.keys(x).view(b, t, h, s).transpose(1, 2).reshape(b * h, t, s)
        queries = self.queries(x).view(b, t, h, s).transpose(1, 2).reshape(b * h, t, s)
        values = self.values(x).view(b, t, h, s).transpose(1, 2).reshape(b * h, t, s)
        dot = torch.bmm(queries / s**0.25, (keys / s**0.25).transpose(1, 2))
        i = torch.triu_indices(t, t, offset=1)
        dot[:, i[0], i[1]] = float("-inf")
        out = torch.bmm(self.drop(F.softmax(dot, dim=2)), values).view(b, h, t, s)
        return self.unify(out.transpose(1, 2).reshape(b, t, s * h))
