"""A layer with one step gone wrong, and what the checker says: sharing out."""

import torch
from torch import Tensor

from mha import check
from mha.mistakes.layer import Layer


# --8<-- [start:layer]
class Share(Layer):
    """The fused layer with another way to share out attention."""

    def share(self, attn_scores: Tensor) -> Tensor:
        """Make weights of (b, num_heads, num_tokens, num_tokens) scores."""
        return torch.softmax(attn_scores, dim=1)


# --8<-- [end:layer]
# --8<-- [start:check]
print(check(Share))
# --8<-- [end:check]
