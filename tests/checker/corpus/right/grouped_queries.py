"""Nothing is repeated: queries get an axis for their group, one matrix for all."""

import torch
from torch import nn


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
        assert d_out % num_heads == 0
        assert num_heads % num_kv_heads == 0
        self.heads, self.groups = num_heads, num_kv_heads
        self.width = d_out // num_heads
        rows = d_out + 2 * num_kv_heads * self.width
        self.qkv = nn.Linear(d_in, rows, bias=qkv_bias)
        self.proj = nn.Linear(d_out, d_out)
        self.drop = nn.Dropout(dropout)
        hidden = torch.ones(context_length, context_length).triu(1).bool()
        self.register_buffer("hidden", hidden, persistent=False)

    def forward(self, x):
        b, n, _ = x.shape
        kv = self.groups * self.width
        q, k, v = self.qkv(x).split([self.heads * self.width, kv, kv], dim=2)
        q = q.view(b, n, self.groups, -1, self.width)
        k, v = (t.view(b, n, self.groups, self.width) for t in (k, v))
        s = torch.einsum("bigjd,bkgd->bgjik", q, k) / self.width**0.5
        w = s.masked_fill(self.hidden[:n, :n], -torch.inf).softmax(dim=-1)
        y = torch.einsum("bgjik,bkgd->bigjd", self.drop(w), v)
        return self.proj(y.reshape(b, n, -1))
