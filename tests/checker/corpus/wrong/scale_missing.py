"""A list of small heads without the scale."""

import torch
import torch.nn.functional as F
from torch import nn


class Head(nn.Module):
    def __init__(self, n_embd, head_size, block_size, dropout, bias):
        super().__init__()
        self.key = nn.Linear(n_embd, head_size, bias=bias)
        self.query = nn.Linear(n_embd, head_size, bias=bias)
        self.value = nn.Linear(n_embd, head_size, bias=bias)
        self.register_buffer("tril", torch.tril(torch.ones(block_size, block_size)))
        self.dropout = nn.Dropout(dropout)

    def forward(self, x):
        T = x.shape[1]
        wei = self.query(x) @ self.key(x).transpose(-2, -1)
        wei = wei.masked_fill(self.tril[:T, :T] == 0, float("-inf"))
        return self.dropout(F.softmax(wei, dim=-1)) @ self.value(x)


class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
        super().__init__()
        assert d_out % num_heads == 0
        self.heads = nn.ModuleList(
            Head(d_in, d_out // num_heads, context_length, dropout, qkv_bias)
            for _ in range(num_heads)
        )
        self.proj = nn.Linear(d_out, d_out)

    def forward(self, x):
        return self.proj(torch.cat([h(x) for h in self.heads], dim=-1))
