"""Mistakes in splitting into heads and gluing them."""

# --8<-- [start:imports]
import torch
from torch import Tensor

from mha.mistakes.layer import Layer

# --8<-- [end:imports]


# --8<-- [start:split-without-transpose]
class SplitWithoutTranspose(Layer):
    """A view straight to (b, num_heads, num_tokens, head_dim) mixes heads and tokens.

    Expected: view to (b, num_tokens, num_heads, head_dim), then transpose(1, 2).
    Ask: In which order do the numbers of a token lie in memory?
    """

    def split(self, t: Tensor) -> Tensor:
        b, num_tokens, _ = t.shape
        return t.reshape(b, self.num_heads, num_tokens, self.head_dim)


# --8<-- [end:split-without-transpose]
# --8<-- [start:split-and-merge-by-view]
class SplitAndMergeByView(Layer):
    """Heads are made and glued by view alone, so that tokens and heads are mixed.

    Expected: transpose(1, 2) after the first view and before the last.
    Ask: Which numbers does row 1 of head 1 hold after your view?
    """

    def split(self, t: Tensor) -> Tensor:
        b, num_tokens, _ = t.shape
        return t.reshape(b, self.num_heads, num_tokens, self.head_dim)

    def merge(self, context_vec: Tensor) -> Tensor:
        b, _, num_tokens, _ = context_vec.shape
        return context_vec.reshape(b, num_tokens, self.d_out)


# --8<-- [end:split-and-merge-by-view]
# --8<-- [start:heads-attend-to-heads]
class HeadsAttendToHeads(Layer):
    """Heads stand where tokens should, so the heads of one token attend to each other.

    Expected: scores are (b, num_heads, num_tokens, num_tokens).
    Ask: Which are the last two axes of your queries when you multiply them?
    """

    def split(self, t: Tensor) -> Tensor:
        b, num_tokens, _ = t.shape
        return t.view(b, num_tokens, self.num_heads, self.head_dim)

    def merge(self, context_vec: Tensor) -> Tensor:
        return context_vec.flatten(2)


# --8<-- [end:heads-attend-to-heads]
# --8<-- [start:heads-ignored]
class HeadsIgnored(Layer):
    """There is one head, whatever num_heads says.

    Expected: num_heads heads of width d_out // num_heads.
    Ask: Where in forward does num_heads change a shape?
    """

    def split(self, t: Tensor) -> Tensor:
        return t.unsqueeze(1)

    def scale(self, attn_scores: Tensor) -> Tensor:
        return attn_scores / self.d_out**0.5


# --8<-- [end:heads-ignored]
# --8<-- [start:merge-without-transpose]
class MergeWithoutTranspose(Layer):
    """Heads are glued without transposing back: rows hold numbers of several tokens.

    Expected: transpose(1, 2) to (b, num_tokens, num_heads, head_dim), then glue.
    Ask: Which two numbers are neighbours in memory when you flatten?
    """

    def merge(self, context_vec: Tensor) -> Tensor:
        b, _, num_tokens, _ = context_vec.shape
        return context_vec.reshape(b, num_tokens, self.d_out)


# --8<-- [end:merge-without-transpose]
# --8<-- [start:merge-swaps-batch-and-heads]
class MergeSwapsBatchAndHeads(Layer):
    """Batch and heads are folded into one axis in one order and unfolded in another.

    Expected: fold and unfold batch and heads in one and the same order.
    Ask: Does your folded axis count heads within a text, or texts within a head?
    """

    def merge(self, context_vec: Tensor) -> Tensor:
        b, num_heads, num_tokens, head_dim = context_vec.shape
        unfolded = context_vec.reshape(num_heads, b, num_tokens, head_dim)
        return unfolded.permute(1, 2, 0, 3).reshape(b, num_tokens, self.d_out)


# --8<-- [end:merge-swaps-batch-and-heads]
# --8<-- [start:heads-averaged]
class HeadsAveraged(Layer):
    """Heads are averaged or added up instead of glued side by side.

    Expected: the outputs of the heads lie side by side, d_out numbers together.
    Ask: How many different numbers does the output projection get?
    """

    def merge(self, context_vec: Tensor) -> Tensor:
        return context_vec.mean(dim=1).repeat(1, 1, self.num_heads)


# --8<-- [end:heads-averaged]
# --8<-- [start:weights-transposed]
class WeightsTransposed(Layer):
    """The attention weights are transposed before they meet the values.

    Expected: row i of the weights, those of query i, averages the values for token i.
    Ask: Which index of the weights is summed over when they meet the values?
    """

    def mix(self, attn_weights: Tensor, values: Tensor) -> Tensor:
        return attn_weights.transpose(-2, -1) @ values


# --8<-- [end:weights-transposed]
# --8<-- [start:own-value-only]
class OwnValueOnly(Layer):
    """Every token brings home only its own value; nothing comes from the others.

    Expected: token i averages the values of tokens 1 to i.
    Ask: Is there a letter that stands twice in one operand of your einsum?
    """

    def mix(self, attn_weights: Tensor, values: Tensor) -> Tensor:
        return torch.einsum("bhij,bhid->bhid", attn_weights, values)


# --8<-- [end:own-value-only]
