"""PyTorch's own module behind a linear that fits the width."""

import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
        super().__init__()
        self.enter = nn.Linear(d_in, d_out, bias=False)
        self.mha = nn.MultiheadAttention(
            d_out, num_heads, dropout, bias=qkv_bias, batch_first=True
        )

    def forward(self, x):
        x = self.enter(x)
        n = x.shape[1]
        mask = torch.triu(
            torch.ones(n, n, dtype=torch.bool, device=x.device), diagonal=1
        )
        return self.mha(x, x, x, attn_mask=mask, need_weights=False)[0]
