"""The forms that are measured, all made from the weights of one layer."""

import torch
from torch import Tensor, nn
from torch.nn.attention.flex_attention import (
    BlockMask,
    create_block_mask,
    flex_attention,
)

from mha.convert import unfuse
from mha.fused import MultiHeadAttention
from mha.sdpa import SDPAMultiHeadAttention


class Builtin(nn.Module):
    """PyTorch's own module in its fastest correct setting.

    It is handed tokens first, the module's default order, because `batch_first=True`
    may choose the `FastPath`. `need_weights=False` and `is_causal=True` let it use the
    kernel.
    """

    batch_first = False
    later: Tensor

    def __init__(self, layer: SDPAMultiHeadAttention) -> None:
        super().__init__()
        self.attention = nn.MultiheadAttention(
            layer.d_out, layer.num_heads, batch_first=self.batch_first
        )
        sources = layer.W_query, layer.W_key, layer.W_value
        weights = {
            "in_proj_weight": torch.cat([source.weight for source in sources]),
            "in_proj_bias": torch.cat([source.bias for source in sources]),
            "out_proj.weight": layer.out_proj.weight,
            "out_proj.bias": layer.out_proj.bias,
        }
        self.attention.load_state_dict(weights)
        length = layer.context_length
        ones = torch.ones(length, length, dtype=torch.bool)
        self.register_buffer("later", ones.triu(diagonal=1))

    def forward(self, x: Tensor) -> Tensor:
        """Take (1, num_tokens, width) to the same shape."""
        tokens_first = x.transpose(0, 1)
        return self.attend(tokens_first).transpose(0, 1)

    def attend(self, x: Tensor) -> Tensor:
        """Call the module with the causal mask that it asks for."""
        length = x.shape[int(self.batch_first)]
        later = self.later[:length, :length]
        return self.attention(
            x, x, x, need_weights=False, attn_mask=later, is_causal=True
        )[0]


class FastPath(Builtin):
    """PyTorch's own module, texts first: without gradients it has a path of its own."""

    batch_first = True

    def forward(self, x: Tensor) -> Tensor:
        """Take (1, num_tokens, width) to the same shape."""
        return self.attend(x)


def stacked(layer: SDPAMultiHeadAttention) -> nn.Module:
    """A list of heads and the output projection; the heads share one mask."""
    whole = fused(layer)
    heads, out_proj = unfuse(whole)
    for head in heads.heads:
        head.mask = whole.mask
    return nn.Sequential(heads, out_proj)


def fused(layer: SDPAMultiHeadAttention) -> MultiHeadAttention:
    """All heads in one projection each."""
    made = MultiHeadAttention(
        layer.d_in,
        layer.d_out,
        layer.context_length,
        layer.dropout.p,
        layer.num_heads,
        qkv_bias=True,
    )
    made.load_state_dict(layer.state_dict(), strict=False)  # the mask is its own
    return made


def sdpa(layer: SDPAMultiHeadAttention) -> nn.Module:
    """The layer on PyTorch's kernel, as it is."""
    return layer


def causal(b: Tensor, head: Tensor, query: Tensor, key: Tensor) -> Tensor:
    """What a token may see, as FlexAttention asks for it."""
    return query >= key


class Flex(nn.Module):
    """The same projections around FlexAttention, whose mask is a function."""

    def __init__(self, layer: SDPAMultiHeadAttention) -> None:
        super().__init__()
        self.layer = layer
        self.attend = torch.compile(flex_attention)  # as it is it would be slow
        self.blocks: dict[int, BlockMask] = {}

    def forward(self, x: Tensor) -> Tensor:
        """Take (b, num_tokens, width) to the same shape."""
        b, num_tokens, _ = x.shape
        if num_tokens not in self.blocks:
            self.blocks[num_tokens] = create_block_mask(
                causal, None, None, num_tokens, num_tokens, device=x.device
            )
        queries, keys, values = (
            source(x).view(b, num_tokens, -1, self.layer.head_dim).transpose(1, 2)
            for source in (self.layer.W_query, self.layer.W_key, self.layer.W_value)
        )
        mask = self.blocks[num_tokens]
        context_vec = self.attend(queries, keys, values, block_mask=mask)
        context_vec = context_vec.transpose(1, 2).contiguous().view(b, num_tokens, -1)
        return self.layer.out_proj(context_vec)


FORMS = {
    "stacked": stacked,
    "fused": fused,
    "sdpa": sdpa,
    "MultiheadAttention": Builtin,
    "MultiheadAttention, fast path": FastPath,
    "FlexAttention": Flex,
}
