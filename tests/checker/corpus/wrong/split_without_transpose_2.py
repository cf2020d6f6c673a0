"""Shared keys and values, and all are viewed straight to the heads' shape."""

from torch import nn
from torch.nn.functional import scaled_dot_product_attention


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
        if d_out % num_heads or num_heads % num_kv_heads:
            raise ValueError("heads must divide d_out, and groups the heads")
        self.head_dim = d_out // num_heads
        self.q_proj = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.k_proj = nn.Linear(d_in, num_kv_heads * self.head_dim, bias=qkv_bias)
        self.v_proj = nn.Linear(d_in, num_kv_heads * self.head_dim, bias=qkv_bias)
        self.o_proj = nn.Linear(d_out, d_out)
        self.p = dropout

    def forward(self, x):
        q, k, v = (
            proj(x).view(len(x), -1, x.shape[1], self.head_dim)
            for proj in (self.q_proj, self.k_proj, self.v_proj)
        )
        p = self.p if self.training else 0.0
        y = scaled_dot_product_attention(
            q, k, v, dropout_p=p, is_causal=True, enable_gqa=True
        )
        return self.o_proj(y.transpose(1, 2).flatten(2))
