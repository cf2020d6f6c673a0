"""One head, its three linears and a triangle."""

import math

import torch
from torch import nn


class CausalAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, qkv_bias=False):
        super().__init__()
        self.q = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.k = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.v = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.drop = nn.Dropout(dropout)
        self.register_buffer(
            "tril", torch.tril(torch.ones(context_length, context_length))
        )

    def forward(self, x):
        n = x.shape[1]
        s = self.q(x) @ self.k(x).transpose(-2, -1) / math.sqrt(self.q.out_features)
        s = s.masked_fill(self.tril[:n, :n] == 0, float("-inf"))
        return self.drop(s.softmax(-1)) @ self.v(x)
