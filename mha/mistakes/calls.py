"""Mistakes in what a layer takes and gives back: shapes, batches, lengths."""

# --8<-- [start:imports]
import torch
from torch import Tensor, nn

from mha.mistakes.layer import Layer

# --8<-- [end:imports]


# --8<-- [start:returns-no-tensor]
class ReturnsNoTensor(Layer):
    """The layer gives back something else than a tensor.

    Expected: one tensor, (b, num_tokens, d_out).
    Ask: What stands behind your return?
    """

    def forward(self, x: Tensor) -> Tensor:
        return super().forward(x), None  # type: ignore[return-value]


# --8<-- [end:returns-no-tensor]
# --8<-- [start:returns-tokens-first]
class ReturnsTokensFirst(Layer):
    """The output has tokens first and the batch second.

    Expected: (b, num_tokens, d_out), in the order of the input.
    Ask: Which two axes are exchanged on the way in, and are they exchanged back?
    """

    def finish(self, context_vec: Tensor, x: Tensor) -> Tensor:
        return super().finish(context_vec, x).transpose(0, 1)


# --8<-- [end:returns-tokens-first]
# --8<-- [start:returns-another-shape]
class ReturnsAnotherShape(Layer):
    """The output has another shape than (b, num_tokens, d_out).

    Expected: (b, num_tokens, d_out), with d_out the width of all heads together.
    Ask: How wide is one head, and how many of them lie side by side?
    """

    def finish(self, context_vec: Tensor, x: Tensor) -> Tensor:
        return super().finish(context_vec, x).repeat(1, 1, self.num_heads)


# --8<-- [end:returns-another-shape]
# --8<-- [start:batch-fixed]
class BatchFixed(Layer):
    """The layer works for some sizes of batch only.

    Expected: any b from 1 on works.
    Ask: Where do you use a number, or b itself, as a length or a size?
    """

    def merge(self, context_vec: Tensor) -> Tensor:
        return super().merge(context_vec).view(2, -1, self.d_out)


# --8<-- [end:batch-fixed]
# --8<-- [start:batch-squeezed]
class BatchSqueezed(Layer):
    """A batch of one text, or a text of one token, loses an axis.

    Expected: the output has three axes, whatever their sizes.
    Ask: What does squeeze() do to an axis of size 1 that you need?
    """

    def finish(self, context_vec: Tensor, x: Tensor) -> Tensor:
        return super().finish(context_vec, x).squeeze()


# --8<-- [end:batch-squeezed]
# --8<-- [start:batch-mixed]
class BatchMixed(Layer):
    """Texts of one batch influence each other.

    Expected: each text is worked on as if it were alone.
    Ask: Does the layer that you call expect the batch as its first axis?
    """

    def forward(self, x: Tensor) -> Tensor:
        return super().forward(x.transpose(0, 1)).transpose(0, 1)


# --8<-- [end:batch-mixed]
# --8<-- [start:widths-mixed-up]
class WidthsMixedUp(Layer):
    """The layer works only where d_in equals d_out.

    Expected: queries, keys and values map d_in to d_out, out_proj maps d_out to d_out.
    Ask: Which of your layers takes its size from the other width?
    """

    def finish(self, context_vec: Tensor, x: Tensor) -> Tensor:
        return super().finish(context_vec, x).view_as(x)


# --8<-- [end:widths-mixed-up]
# --8<-- [start:needs-contiguous-input]
class NeedsContiguousInput(Layer):
    """The layer fails, or gives other numbers, for an input that is not contiguous.

    Expected: the strides of x make no difference.
    Ask: Is there a view on x itself, where reshape would copy?
    """

    def forward(self, x: Tensor) -> Tensor:
        return super().forward(x.view(-1, self.d_in).view(x.shape))


# --8<-- [end:needs-contiguous-input]
# --8<-- [start:uneven-heads-accepted]
class UnevenHeadsAccepted(Layer):
    """A d_out that num_heads does not divide is accepted.

    Expected: an error in the constructor that says so.
    Ask: What becomes of the remainder of d_out // num_heads?
    """

    def __init__(
        self,
        d_in: int,
        d_out: int,
        context_length: int,
        dropout: float,
        num_heads: int,
        qkv_bias: bool = False,
    ) -> None:
        even = d_out - d_out % num_heads
        super().__init__(d_in, even, context_length, dropout, num_heads, qkv_bias)
        self.out_proj = nn.Linear(even, d_out)


# --8<-- [end:uneven-heads-accepted]
# --8<-- [start:too-long-accepted]
class TooLongAccepted(Layer):
    """More tokens than context_length are cut off, or seen although they are later.

    Expected: an error that gives both numbers.
    Ask: What does your mask hide beyond context_length?
    """

    def forward(self, x: Tensor) -> Tensor:
        return super().forward(x[:, : self.context_length])


# --8<-- [end:too-long-accepted]
# --8<-- [start:forward-raises]
class ForwardRaises(Layer):
    """The layer raises an error on an ordinary input.

    Expected: any b, and any num_tokens from 1 to context_length, gives an output.
    Ask: What does the line of the error take, and what does it get?
    """

    def score(self, queries: Tensor, keys: Tensor) -> Tensor:
        return torch.matmul(queries, keys)


# --8<-- [end:forward-raises]
