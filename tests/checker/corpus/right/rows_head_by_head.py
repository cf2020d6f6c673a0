"""One linear, its rows head by head, cut with chunk."""

import math

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
        self.d_out = d_out
        self.qkv_proj = nn.Linear(d_in, 3 * d_out, bias=qkv_bias)
        self.o_proj = nn.Linear(d_out, d_out)
        self.drop = nn.Dropout(dropout)
        nn.init.xavier_uniform_(self.qkv_proj.weight)
        nn.init.xavier_uniform_(self.o_proj.weight)
        self.o_proj.bias.data.fill_(0)

    def forward(self, x):
        batch, length, _ = x.size()
        qkv = self.qkv_proj(x).reshape(batch, length, self.num_heads, 3 * self.head_dim)
        q, k, v = qkv.permute(0, 2, 1, 3).chunk(3, dim=-1)
        logits = torch.matmul(q, k.transpose(-2, -1)) / math.sqrt(self.head_dim)
        mask = torch.ones(length, length, dtype=torch.bool, device=x.device).tril()
        logits = torch.where(mask, logits, -torch.inf)
        values = self.drop(F.softmax(logits, dim=-1)) @ v
        return self.o_proj(
            values.permute(0, 2, 1, 3).reshape(batch, length, self.d_out)
        )
