"""Keys and values from one layer, head by head."""

from torch import nn
from torch.nn.functional import scaled_dot_product_attention


class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
        super().__init__()
        if d_out % num_heads:
            raise ValueError("num_heads must divide d_out")
        self.q = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.kv = nn.Linear(d_in, 2 * d_out, bias=qkv_bias)
        self.o = nn.Linear(d_out, d_out)
        self.num_heads, self.limit, self.p = num_heads, context_length, dropout

    def forward(self, x):
        if x.shape[1] > self.limit:
            raise ValueError("too many tokens")
        q = self.q(x).unflatten(2, (self.num_heads, -1)).transpose(1, 2)
        kv = self.kv(x).unflatten(2, (self.num_heads, -1)).transpose(1, 2)
        k, v = kv.chunk(2, dim=-1)
        y = scaled_dot_product_attention(
            q,
            k,
            v,
            is_causal=True,
            dropout_p=self.p if self.training else 0.0,
            scale=None,
        )
        return self.o(y.transpose(1, 2).flatten(2))
