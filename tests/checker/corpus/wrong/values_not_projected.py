"""The weights average the input itself."""

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
        self.out_proj = nn.Linear(d_in * num_heads, d_out)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x):
        b, n, _ = x.shape
        q = self.W_query(x).view(b, n, self.num_heads, -1).transpose(1, 2)
        k = self.W_key(x).view(b, n, self.num_heads, -1).transpose(1, 2)
        v = x.unsqueeze(1).expand(-1, self.num_heads, -1, -1)
        later = torch.ones(n, n, device=x.device).triu(1).bool()
        s = (q @ k.mT / self.head_dim**0.5).masked_fill(later, -torch.inf)
        w = self.dropout(s.softmax(-1))
        return self.out_proj((w @ v).transpose(1, 2).reshape(b, n, -1))
