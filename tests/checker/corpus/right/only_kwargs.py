"""A constructor that takes anything."""

import torch.nn.functional as F
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, **config):
        super().__init__()
        self.config = config
        d_out, heads = config["d_out"], config["num_heads"]
        assert d_out % heads == 0
        self.qkv = nn.Linear(
            config["d_in"], 3 * d_out, bias=config.get("qkv_bias", False)
        )
        self.proj = nn.Linear(d_out, d_out)

    def forward(self, x):
        b, n, _ = x.shape
        heads = self.config["num_heads"]
        q, k, v = self.qkv(x).view(b, n, 3, heads, -1).permute(2, 0, 3, 1, 4)
        p = self.config["dropout"] if self.training else 0.0
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True, dropout_p=p)
        return self.proj(y.transpose(1, 2).reshape(b, n, -1))
