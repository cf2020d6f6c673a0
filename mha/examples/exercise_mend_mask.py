"""A layer with one step gone wrong, and what the checker says: hiding."""

from torch import Tensor

from mha import check
from mha.mistakes.layer import Layer


# --8<-- [start:layer]
class Hide(Layer):
    """The fused layer with another way to hide later tokens."""

    def hide(self, attn_scores: Tensor) -> Tensor:
        """Hide later tokens in the scores, before the softmax."""
        num_tokens = attn_scores.shape[-1]
        return attn_scores * ~self.later[:num_tokens, :num_tokens]


# --8<-- [end:layer]
# --8<-- [start:check]
print(check(Hide))
# --8<-- [end:check]
