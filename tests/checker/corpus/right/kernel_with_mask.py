"""The kernel with a mask that marks what is kept."""

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
        self.to_q = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.to_kv = nn.Linear(d_in, d_out * 2, bias=qkv_bias)
        self.to_out = nn.Sequential(nn.Linear(d_out, d_out), nn.Dropout(dropout))
        self.p = dropout
        keep = torch.ones(1, 1, context_length, context_length).tril().bool()
        self.register_buffer("keep", keep, persistent=False)

    def forward(self, x):
        n = x.shape[1]
        q, (k, v) = self.to_q(x), self.to_kv(x).chunk(2, dim=-1)
        q, k, v = (
            t.unflatten(-1, (self.num_heads, -1)).movedim(2, 1) for t in (q, k, v)
        )
        out = F.scaled_dot_product_attention(
            q, k, v, attn_mask=self.keep[..., :n, :n], dropout_p=self.p * self.training
        )
        return self.to_out(out.movedim(1, 2).flatten(2))
