"""All heads of a wrapper in one matrix."""

import torch.nn.functional as F
from torch import nn


class MultiHeadAttentionWrapper(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
        super().__init__()
        self.h, self.p = num_heads, dropout
        self.qkv = nn.Linear(d_in, 3 * num_heads * d_out, bias=qkv_bias)

    def forward(self, x):
        b, n, _ = x.shape
        q, k, v = self.qkv(x).view(b, n, 3, self.h, -1).permute(2, 0, 3, 1, 4)
        p = self.p if self.training else 0.0
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True, dropout_p=p)
        return y.transpose(1, 2).flatten(2)
