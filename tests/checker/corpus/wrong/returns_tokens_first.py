"""PyTorch's module gets tokens first and gives tokens first."""

import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
        super().__init__()
        self.enter = nn.Linear(d_in, d_out, bias=False)
        self.attn = nn.MultiheadAttention(d_out, num_heads, dropout, bias=qkv_bias)

    def forward(self, x):
        x = self.enter(x).transpose(0, 1)
        n = x.shape[0]
        mask = torch.ones(n, n, device=x.device).triu(1).bool()
        return self.attn(x, x, x, attn_mask=mask, need_weights=False)[0]
