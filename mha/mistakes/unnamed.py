"""Mistakes without a name: a property of attention that does not hold."""

# --8<-- [start:imports]
import torch
from torch import Tensor

from mha.mistakes.layer import Layer

# --8<-- [end:imports]


# --8<-- [start:not-finite]
class NotFinite(Layer):
    """The output has numbers that are not finite.

    Expected: finite numbers out for finite numbers in.
    Ask: Is there a row in which nothing is left to share out, or a division by 0?
    """

    def finish(self, context_vec: Tensor, x: Tensor) -> Tensor:
        return super().finish(context_vec, x).log()


# --8<-- [end:not-finite]
# --8<-- [start:reads-the-future]
class ReadsTheFuture(Layer):
    """A token's output depends on tokens that come later.

    Expected: output i depends on tokens 1 to i only.
    Ask: At which step does a number of a later token reach an earlier one?
    """

    def finish(self, context_vec: Tensor, x: Tensor) -> Tensor:
        return super().finish(context_vec - context_vec.mean(dim=1, keepdim=True), x)


# --8<-- [end:reads-the-future]
# --8<-- [start:misses-the-past]
class MissesThePast(Layer):
    """A token's output does not depend on some token that came before.

    Expected: output i depends on all tokens from 1 to i.
    Ask: What hides the earlier token, a mask or an axis that is not summed over?
    """

    def hide(self, attn_scores: Tensor) -> Tensor:
        num_tokens = attn_scores.shape[-1]
        far = torch.ones(num_tokens, num_tokens, dtype=torch.bool).tril(-2)
        return super().hide(attn_scores).masked_fill(far, -torch.inf)


# --8<-- [end:misses-the-past]
# --8<-- [start:rows-do-not-add-up]
class RowsDoNotAddUp(Layer):
    """Equal tokens come out unequal: rows of weights do not add up to one.

    Expected: any average of equal values is that value.
    Ask: What happens to the weights between the softmax and the values?
    """

    def share(self, attn_scores: Tensor) -> Tensor:
        return torch.sigmoid(attn_scores)


# --8<-- [end:rows-do-not-add-up]
# --8<-- [start:not-linear-in-values]
class NotLinearInValues(Layer):
    """One token alone does not come out as a linear map of what went in.

    Expected: one token attends to itself alone: it is projected, and projected again.
    Ask: What stands between the projections besides the average of the values?
    """

    def merge(self, context_vec: Tensor) -> Tensor:
        return torch.tanh(super().merge(context_vec))


# --8<-- [end:not-linear-in-values]
# --8<-- [start:not-softmax-of-products]
class NotSoftmaxOfProducts(Layer):
    """The weights are no softmax of dot products.

    Expected: ratios of weights grow as exp of the products of queries and keys.
    Ask: Which functions stand between queries @ keys and the weights?
    """

    def scale(self, attn_scores: Tensor) -> Tensor:
        return torch.tanh(super().scale(attn_scores))


# --8<-- [end:not-softmax-of-products]
