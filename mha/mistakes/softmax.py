"""Mistakes in how scores become weights."""

# --8<-- [start:imports]
import torch
from torch import Tensor

from mha.mistakes.layer import Layer

# --8<-- [end:imports]


# --8<-- [start:softmax-over-queries]
class SoftmaxOverQueries(Layer):
    """The softmax runs over the queries: columns add up to one, rows do not.

    Expected: the softmax runs over the keys, the last axis; each row adds up to one.
    Ask: Whose budget is a row of weights, and over which axis must it be shared?
    """

    def share(self, attn_scores: Tensor) -> Tensor:
        return torch.softmax(attn_scores, dim=-2)


# --8<-- [end:softmax-over-queries]
# --8<-- [start:softmax-over-heads]
class SoftmaxOverHeads(Layer):
    """The softmax runs over the heads, so heads compete instead of tokens.

    Expected: the softmax runs over the keys, the last axis, for each head alone.
    Ask: Which axis is dim=1 in (b, num_heads, num_tokens, num_tokens)?
    """

    def share(self, attn_scores: Tensor) -> Tensor:
        return torch.softmax(attn_scores, dim=1)


# --8<-- [end:softmax-over-heads]
# --8<-- [start:softmax-over-batch]
class SoftmaxOverBatch(Layer):
    """The softmax runs over the batch, so texts compete with each other.

    Expected: the softmax runs over the keys, the last axis, for each text alone.
    Ask: Which axis does your softmax take if it is given none, or 0?
    """

    def share(self, attn_scores: Tensor) -> Tensor:
        return torch.softmax(attn_scores, dim=0)


# --8<-- [end:softmax-over-batch]
# --8<-- [start:softmax-over-everything]
class SoftmaxOverEverything(Layer):
    """One softmax runs over the whole matrix of scores, not over each row.

    Expected: each query has a budget of its own; each row adds up to one.
    Ask: What should the sum of one row of weights be?
    """

    def share(self, attn_scores: Tensor) -> Tensor:
        return torch.softmax(attn_scores.flatten(-2), dim=-1).view_as(attn_scores)


# --8<-- [end:softmax-over-everything]
# --8<-- [start:softmax-twice]
class SoftmaxTwice(Layer):
    """The softmax is taken twice: the second one gives hidden tokens a share again.

    Expected: one softmax, after the mask.
    Ask: What does a softmax make of weights of 0?
    """

    def share(self, attn_scores: Tensor) -> Tensor:
        return torch.softmax(torch.softmax(attn_scores, dim=-1), dim=-1)


# --8<-- [end:softmax-twice]
# --8<-- [start:softmax-twice-masked]
class SoftmaxTwiceMasked(Layer):
    """The softmax is taken twice, masked both times: weights are flattened.

    Expected: one softmax, after the mask.
    Ask: Between which numbers can the input of the second softmax lie?
    """

    def share(self, attn_scores: Tensor) -> Tensor:
        attn_weights = torch.softmax(attn_scores, dim=-1)
        return torch.softmax(self.hide(attn_weights), dim=-1)


# --8<-- [end:softmax-twice-masked]
# --8<-- [start:softmax-missing]
class SoftmaxMissing(Layer):
    """There is no softmax: raw scores weigh the values.

    Expected: weights are positive and each row adds up to one.
    Ask: Which step turns scores into shares?
    """

    def share(self, attn_scores: Tensor) -> Tensor:
        return attn_scores.masked_fill(attn_scores == -torch.inf, 0.0)


# --8<-- [end:softmax-missing]
