"""Copies are made by expand and reshape, keys and values come from one layer."""

import torch
from torch import nn


def repeat_kv(t, n_rep):
    b, heads, n, width = t.shape
    t = t[:, :, None].expand(b, heads, n_rep, n, width)
    return t.reshape(b, heads * n_rep, n, width)


class GroupedQueryAttention(nn.Module):
    def __init__(
        self,
        d_in,
        d_out,
        context_length,
        dropout,
        num_heads,
        num_kv_heads,
        qkv_bias=False,
    ):
        super().__init__()
        if d_out % num_heads or num_heads % num_kv_heads:
            raise ValueError("uneven")
        self.n_head, self.n_kv = num_heads, num_kv_heads
        self.hd = d_out // num_heads
        self.wq = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.wkv = nn.Linear(d_in, 2 * num_kv_heads * self.hd, bias=qkv_bias)
        self.wo = nn.Linear(d_out, d_out)
        self.drop = nn.Dropout(dropout)
        self.limit = context_length

    def forward(self, x):
        b, n, _ = x.shape
        if n > self.limit:
            raise ValueError("too many tokens")
        q = self.wq(x).view(b, n, self.n_head, self.hd).transpose(1, 2)
        k, v = self.wkv(x).view(b, n, 2, self.n_kv, self.hd).unbind(2)
        k = repeat_kv(k.transpose(1, 2), self.n_head // self.n_kv)
        v = repeat_kv(v.transpose(1, 2), self.n_head // self.n_kv)
        s = q @ k.mT * self.hd**-0.5
        later = torch.ones(n, n, dtype=torch.bool, device=x.device).triu(1)
        w = s.masked_fill(later, float("-inf")).softmax(-1)
        return self.wo((self.drop(w) @ v).transpose(1, 2).reshape(b, n, -1))
