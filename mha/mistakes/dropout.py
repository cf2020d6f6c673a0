"""Mistakes in dropping attention weights."""

# --8<-- [start:imports]
import torch
from torch import Tensor

from mha.mistakes.layer import Layer

# --8<-- [end:imports]


# --8<-- [start:dropout-in-eval]
class DropoutInEval(Layer):
    """Weights are dropped in eval as well, so two calls give two answers.

    Expected: dropout acts in training only.
    Ask: How does the function that drops learn whether the model is training?
    """

    def drop(self, attn_weights: Tensor) -> Tensor:
        return torch.nn.functional.dropout(attn_weights, self.dropout.p)


# --8<-- [end:dropout-in-eval]
# --8<-- [start:dropout-never]
class DropoutNever(Layer):
    """Nothing is dropped in training.

    Expected: in training some attention weights become 0 and the others grow.
    Ask: Where in forward is your dropout called, and with which probability?
    """

    def drop(self, attn_weights: Tensor) -> Tensor:
        return attn_weights


# --8<-- [end:dropout-never]
# --8<-- [start:dropout-fixed]
class DropoutFixed(Layer):
    """Training differs from eval although dropout is 0.

    Expected: with dropout=0 training and eval compute the same.
    Ask: Does your dropout take the constructor's number, or one of its own?
    """

    def drop(self, attn_weights: Tensor) -> Tensor:
        return torch.nn.functional.dropout(attn_weights, 0.1, self.training)


# --8<-- [end:dropout-fixed]
# --8<-- [start:dropout-on-scores]
class DropoutOnScores(Layer):
    """Dropout changes the scores before the softmax; no weight is ever dropped.

    Expected: dropout comes after the softmax, on the weights.
    Ask: What weight does a score of 0 get?
    """

    def scale(self, attn_scores: Tensor) -> Tensor:
        return super().scale(self.dropout(attn_scores))

    def drop(self, attn_weights: Tensor) -> Tensor:
        return attn_weights


# --8<-- [end:dropout-on-scores]
# --8<-- [start:dropout-stuck-off]
class DropoutStuckOff(Layer):
    """After one call in eval nothing is dropped any more, in training either.

    Expected: dropout returns with model.train().
    Ask: What does forward change in the layer itself when it is in eval?
    """

    def drop(self, attn_weights: Tensor) -> Tensor:
        if not self.training:
            self.dropout.p = 0.0
        return self.dropout(attn_weights)


# --8<-- [end:dropout-stuck-off]
