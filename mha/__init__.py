"""Multi-head causal self-attention, from one head to PyTorch's own kernel."""

from mha.causal import CausalAttention
from mha.checker import check
from mha.convert import fuse, unfuse
from mha.fused import MultiHeadAttention
from mha.grouped import GroupedQueryAttention, KeyValueCache
from mha.pooling import group
from mha.sdpa import SDPAMultiHeadAttention
from mha.stacked import MultiHeadAttentionWrapper

__all__ = [
    "CausalAttention",
    "GroupedQueryAttention",
    "KeyValueCache",
    "MultiHeadAttention",
    "MultiHeadAttentionWrapper",
    "SDPAMultiHeadAttention",
    "check",
    "fuse",
    "group",
    "unfuse",
]
