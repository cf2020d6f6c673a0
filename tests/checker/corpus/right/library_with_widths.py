"""PyTorch's module told the widths of keys and values."""

from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
        super().__init__()
        self.enter = nn.Linear(d_in, d_out, bias=False)
        self.inner = nn.MultiheadAttention(
            d_out, num_heads, dropout, bias=qkv_bias, batch_first=True
        )

    def forward(self, x):
        x = self.enter(x)
        mask = nn.Transformer.generate_square_subsequent_mask(
            x.shape[1], device=x.device, dtype=x.dtype
        )
        return self.inner(x, x, x, attn_mask=mask, is_causal=True, need_weights=False)[
            0
        ]
