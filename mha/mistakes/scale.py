"""Mistakes in what the scores are divided by."""

# --8<-- [start:imports]
from torch import Tensor

from mha.mistakes.layer import Layer

# --8<-- [end:imports]


# --8<-- [start:scale-missing]
class ScaleMissing(Layer):
    """The scores are not scaled.

    Expected: scores are divided by the root of head_dim.
    Ask: How does the spread of a dot product grow with the width of a head?
    """

    def scale(self, attn_scores: Tensor) -> Tensor:
        return attn_scores


# --8<-- [end:scale-missing]
# --8<-- [start:scale-by-d-out]
class ScaleByDOut(Layer):
    """The scores are divided by the root of d_out, the width of all heads together.

    Expected: scores are divided by the root of head_dim, the width of one head.
    Ask: Over how many numbers does one dot product add up?
    """

    def scale(self, attn_scores: Tensor) -> Tensor:
        return attn_scores / self.d_out**0.5


# --8<-- [end:scale-by-d-out]
# --8<-- [start:scale-by-d-in]
class ScaleByDIn(Layer):
    """The scores are divided by the root of d_in, the width before projecting.

    Expected: scores are divided by the root of head_dim, the width of one head.
    Ask: How wide are the two vectors whose dot product is a score?
    """

    def scale(self, attn_scores: Tensor) -> Tensor:
        return attn_scores / self.d_in**0.5


# --8<-- [end:scale-by-d-in]
# --8<-- [start:scale-without-root]
class ScaleWithoutRoot(Layer):
    """The root is missing, or the scale is applied twice, once by the kernel perhaps.

    Expected: scores are divided once by the root of head_dim.
    Ask: Where in your code is the root, and does the function you call scale as well?
    """

    def scale(self, attn_scores: Tensor) -> Tensor:
        return attn_scores / self.head_dim


# --8<-- [end:scale-without-root]
# --8<-- [start:scale-multiplies]
class ScaleMultiplies(Layer):
    """The scores are multiplied by the root of head_dim instead of divided.

    Expected: scores are divided by the root of head_dim.
    Ask: Should wide heads have larger scores, or should width not matter?
    """

    def scale(self, attn_scores: Tensor) -> Tensor:
        return attn_scores * self.head_dim**0.5


# --8<-- [end:scale-multiplies]
# --8<-- [start:scale-by-num-tokens]
class ScaleByNumTokens(Layer):
    """The scores are divided by the root of the number of tokens.

    Expected: scores are divided by the root of head_dim, whatever the text's length.
    Ask: Which axis of the keys does your code measure?
    """

    def scale(self, attn_scores: Tensor) -> Tensor:
        return attn_scores / attn_scores.shape[-1] ** 0.5


# --8<-- [end:scale-by-num-tokens]
# --8<-- [start:scale-by-num-heads]
class ScaleByNumHeads(Layer):
    """The scores are divided by the root of the number of heads.

    Expected: scores are divided by the root of head_dim.
    Ask: Which of num_heads and head_dim is the width of a key?
    """

    def scale(self, attn_scores: Tensor) -> Tensor:
        return attn_scores / self.num_heads**0.5


# --8<-- [end:scale-by-num-heads]
# --8<-- [start:scale-fixed]
class ScaleFixed(Layer):
    """The scores are divided by some other number than the root of head_dim.

    Expected: scores are divided by the root of head_dim, for every width.
    Ask: For which width of a head is your number right?
    """

    divisor = 8.0

    def scale(self, attn_scores: Tensor) -> Tensor:
        return attn_scores / self.divisor


# --8<-- [end:scale-fixed]
# --8<-- [start:scale-after-softmax]
class ScaleAfterSoftmax(Layer):
    """The scale comes after the softmax, so weights no longer add up to one.

    Expected: scores are scaled before the softmax.
    Ask: What does dividing do to weights that add up to one?
    """

    def scale(self, attn_scores: Tensor) -> Tensor:
        return attn_scores

    def share(self, attn_scores: Tensor) -> Tensor:
        return super().share(attn_scores) / self.head_dim**0.5


# --8<-- [end:scale-after-softmax]
