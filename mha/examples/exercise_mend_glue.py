"""A layer with one step gone wrong, and what the checker says: gluing."""

# --8<-- [start:layer]
from torch import Tensor

from mha import check
from mha.mistakes.layer import Layer


class Glue(Layer):
    """The fused layer with another way to glue its heads."""

    def merge(self, context_vec: Tensor) -> Tensor:
        """Take (b, num_heads, num_tokens, head_dim) to (b, num_tokens, d_out)."""
        b, _, num_tokens, _ = context_vec.shape
        return context_vec.reshape(b, num_tokens, self.d_out)


# --8<-- [end:layer]
# --8<-- [start:check]
print(check(Glue))
# --8<-- [end:check]
