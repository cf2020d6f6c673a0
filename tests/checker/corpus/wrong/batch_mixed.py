"""PyTorch's module wants tokens first unless it is told."""

import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
        super().__init__()
        self.enter = nn.Linear(d_in, d_out, bias=False)
        self.attn = nn.MultiheadAttention(d_out, num_heads, dropout, bias=qkv_bias)
        self.register_buffer(
            "mask", torch.ones(context_length, context_length).triu(1).bool()
        )

    def forward(self, x):
        x = self.enter(x)
        n = x.shape[0]
        y, _ = self.attn(x, x, x, attn_mask=self.mask[:n, :n])
        return y
