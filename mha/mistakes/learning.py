"""Mistakes that show only in the backward pass, or in the caller's tensor."""

# --8<-- [start:imports]
import torch
from torch import Tensor

from mha.mistakes.layer import Layer

# --8<-- [end:imports]


# --8<-- [start:weights-do-not-learn]
class WeightsDoNotLearn(Layer):
    """Some weights get no gradient: they are cut off from the output, or never used.

    Expected: every weight has a finite gradient that is not zero.
    Ask: Between this weight and the output, is there a detach(), .data or no_grad()?
    """

    def share(self, attn_scores: Tensor) -> Tensor:
        return super().share(attn_scores.detach())


# --8<-- [end:weights-do-not-learn]
# --8<-- [start:in-place-breaks-backward]
class InPlaceBreaksBackward(Layer):
    """A tensor that the backward pass needs is changed in place: it raises an error.

    Expected: forward and backward run in training.
    Ask: Which of your lines ends in an underscore or assigns to a slice?
    """

    def drop(self, attn_weights: Tensor) -> Tensor:
        return super().drop(attn_weights.mul_(1.0))


# --8<-- [end:in-place-breaks-backward]
# --8<-- [start:input-changed]
class InputChanged(Layer):
    """The layer changes the tensor that it was given.

    Expected: x is the same before and after the call.
    Ask: Which of your lines writes into x, or into a view of it?
    """

    def forward(self, x: Tensor) -> Tensor:
        with torch.no_grad():
            x[:] = 2 * x
        return super().forward(x / 2)


# --8<-- [end:input-changed]
