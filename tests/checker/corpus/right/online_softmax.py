"""The softmax is built up while keys pass by."""

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
        q, k, v = (
            w(x).view(b, n, self.num_heads, self.head_dim).transpose(1, 2)
            for w in (self.W_query, self.W_key, self.W_value)
        )
        q = q / self.head_dim**0.5
        outs = []
        for i in range(n):
            best = torch.full(
                (b, self.num_heads, 1), -torch.inf, dtype=q.dtype, device=q.device
            )
            total = torch.zeros_like(best)
            out = torch.zeros_like(v[:, :, 0])
            keep = self.dropout(
                torch.ones(b, self.num_heads, i + 1, dtype=q.dtype, device=q.device)
            )
            for j in range(i + 1):
                s = (q[:, :, i] * k[:, :, j]).sum(-1, keepdim=True)
                new = torch.maximum(best, s)
                old, now = torch.exp(best - new), torch.exp(s - new)
                total = total * old + now
                out = out * old + now * v[:, :, j] * keep[:, :, j : j + 1]
                best = new
            outs.append(out / total)
        return self.out_proj(torch.stack(outs, dim=1).flatten(2))
