"""Unfolded, but the heads are never moved back."""

import math

import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
        super().__init__()
        if d_out % num_heads:
            raise ValueError("num_heads must divide d_out")
        self.num_heads = num_heads
        self.head_dim = d_out // num_heads
        self.W_q = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_k = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_v = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_o = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)

    def split(self, X):
        X = X.reshape(X.shape[0], X.shape[1], self.num_heads, -1).permute(0, 2, 1, 3)
        return X.reshape(-1, X.shape[2], X.shape[3])

    def forward(self, x):
        b, n, _ = x.shape
        q, k, v = (
            self.split(self.W_q(x)),
            self.split(self.W_k(x)),
            self.split(self.W_v(x)),
        )
        scores = torch.bmm(q, k.transpose(1, 2)) / math.sqrt(q.shape[-1])
        steps = torch.arange(n, device=x.device)
        scores = scores.masked_fill(steps[None, :] > steps[:, None], float("-inf"))
        out = torch.bmm(self.dropout(torch.softmax(scores, dim=-1)), v)
        return self.W_o(out.reshape(b, n, -1))
