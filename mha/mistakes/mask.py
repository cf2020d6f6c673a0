"""Mistakes in what the mask hides, each one step of the right layer gone wrong."""

# --8<-- [start:imports]
import torch
from torch import Tensor

from mha.mistakes.layer import Layer

# --8<-- [end:imports]


# --8<-- [start:mask-missing]
class MaskMissing(Layer):
    """Nothing is hidden: every token sees all later ones.

    Expected: token i sees tokens 1 to i and none after it.
    Ask: Does the result of masked_fill reach the softmax, or is it dropped?
    """

    def hide(self, attn_scores: Tensor) -> Tensor:
        return attn_scores


# --8<-- [end:mask-missing]
# --8<-- [start:mask-inverted]
class MaskInverted(Layer):
    """The mask is inverted: earlier tokens are hidden and later ones seen.

    Expected: token i sees tokens 1 to i and none after it.
    Ask: Which triangle does your mask mark, and does a mark mean keep or hide?
    """

    def hide(self, attn_scores: Tensor) -> Tensor:
        num_tokens = attn_scores.shape[-1]
        earlier = torch.ones(num_tokens, num_tokens, dtype=torch.bool).tril(-1)
        return attn_scores.masked_fill(earlier, -torch.inf)


# --8<-- [end:mask-inverted]
# --8<-- [start:mask-keeps-hidden]
class MaskKeepsHidden(Layer):
    """What should be kept is hidden, and what should be hidden is kept.

    Expected: token i sees tokens 1 to i, itself included, and none after it.
    Ask: Does your mask mark what to keep, or has the number filled in lost its minus?
    """

    def hide(self, attn_scores: Tensor) -> Tensor:
        num_tokens = attn_scores.shape[-1]
        keep = torch.ones(num_tokens, num_tokens, dtype=torch.bool).tril()
        return attn_scores.masked_fill(keep, -torch.inf)


# --8<-- [end:mask-keeps-hidden]
# --8<-- [start:mask-true-means-keep]
class MaskTrueMeansKeep(Layer):
    """A mask that marks later tokens went to a function for which True means keep.

    Expected: token i sees tokens 1 to i; scaled_dot_product_attention keeps True.
    Ask: What does True mean to the function that gets your mask?
    """

    def hide(self, attn_scores: Tensor) -> Tensor:
        num_tokens = attn_scores.shape[-1]
        later = self.later[:num_tokens, :num_tokens]
        return attn_scores.masked_fill(~later, -torch.inf)

    def share(self, attn_scores: Tensor) -> Tensor:
        return torch.softmax(attn_scores, dim=-1).nan_to_num(0.0)


# --8<-- [end:mask-true-means-keep]
# --8<-- [start:mask-hides-itself]
class MaskHidesItself(Layer):
    """Every token is hidden from itself, so token 1 has nothing to look at.

    Expected: token i sees itself as well; the mask begins one place to the right.
    Ask: With which diagonal does your triangle begin?
    """

    def hide(self, attn_scores: Tensor) -> Tensor:
        num_tokens = attn_scores.shape[-1]
        mask = torch.ones(num_tokens, num_tokens, dtype=torch.bool).triu(diagonal=0)
        return attn_scores.masked_fill(mask, -torch.inf)


# --8<-- [end:mask-hides-itself]
# --8<-- [start:mask-one-too-late]
class MaskOneTooLate(Layer):
    """The mask begins one place too late: every token sees the next one.

    Expected: token i sees tokens 1 to i; token i + 1 is the answer it must not see.
    Ask: With which diagonal does your triangle begin?
    """

    def hide(self, attn_scores: Tensor) -> Tensor:
        num_tokens = attn_scores.shape[-1]
        mask = torch.ones(num_tokens, num_tokens, dtype=torch.bool).triu(diagonal=2)
        return attn_scores.masked_fill(mask, -torch.inf)


# --8<-- [end:mask-one-too-late]
# --8<-- [start:mask-fills-zero]
class MaskFillsZero(Layer):
    """Hidden scores become 0, or a number near 0, and a score of 0 is still a score.

    Expected: hidden scores are -inf, for exp(-inf) is 0 and exp(0) is 1.
    Ask: What does the softmax make of the number that you fill in (1e-9 or -1e9)?
    """

    def hide(self, attn_scores: Tensor) -> Tensor:
        num_tokens = attn_scores.shape[-1]
        return attn_scores.masked_fill(self.later[:num_tokens, :num_tokens], 0.0)


# --8<-- [end:mask-fills-zero]
# --8<-- [start:mask-fills-too-little]
class MaskFillsTooLittle(Layer):
    """Hidden scores become a negative number that is not negative enough.

    Expected: hidden scores are -inf, below every score that can occur.
    Ask: How large can your scores grow, compared with the number that you fill in?
    """

    fill = -10.0

    def hide(self, attn_scores: Tensor) -> Tensor:
        num_tokens = attn_scores.shape[-1]
        return attn_scores.masked_fill(self.later[:num_tokens, :num_tokens], self.fill)


# --8<-- [end:mask-fills-too-little]
# --8<-- [start:mask-adds-ones]
class MaskAddsOnes(Layer):
    """A mask of ones and zeros is added to the scores, which hides nothing.

    Expected: an added mask holds 0 where a token is kept and -inf where it is hidden.
    Ask: What does adding True to a score do?
    """

    def hide(self, attn_scores: Tensor) -> Tensor:
        num_tokens = attn_scores.shape[-1]
        return attn_scores + ~self.later[:num_tokens, :num_tokens]


# --8<-- [end:mask-adds-ones]
# --8<-- [start:mask-after-softmax]
class MaskAfterSoftmax(Layer):
    """The mask comes after the softmax, so rows of weights no longer add up to one.

    Expected: scores are hidden before the softmax, which then shares out all of 1.
    Ask: Where does the share go that the hidden tokens had?
    """

    def hide(self, attn_scores: Tensor) -> Tensor:
        return attn_scores

    def share(self, attn_scores: Tensor) -> Tensor:
        num_tokens = attn_scores.shape[-1]
        attn_weights = torch.softmax(attn_scores, dim=-1)
        return attn_weights.masked_fill(self.later[:num_tokens, :num_tokens], 0.0)


# --8<-- [end:mask-after-softmax]
# --8<-- [start:mask-times-infinity]
class MaskTimesInfinity(Layer):
    """The mask is multiplied by infinity, and 0 times infinity is not a number.

    Expected: masked_fill with -inf, which leaves kept scores alone.
    Ask: What is 0 * -inf, at the places that your mask keeps?
    """

    def hide(self, attn_scores: Tensor) -> Tensor:
        num_tokens = attn_scores.shape[-1]
        return attn_scores + self.later[:num_tokens, :num_tokens] * -torch.inf


# --8<-- [end:mask-times-infinity]
# --8<-- [start:mask-fills-plus-infinity]
class MaskFillsPlusInfinity(Layer):
    """Hidden scores become plus infinity, which asks for all of the attention.

    Expected: hidden scores are -inf.
    Ask: How many minus signs does your fill value have in the end?
    """

    def hide(self, attn_scores: Tensor) -> Tensor:
        num_tokens = attn_scores.shape[-1]
        return attn_scores.masked_fill(self.later[:num_tokens, :num_tokens], torch.inf)


# --8<-- [end:mask-fills-plus-infinity]
# --8<-- [start:mask-only-in-training]
class MaskOnlyInTraining(Layer):
    """Later tokens are hidden in training and seen in eval.

    Expected: the mask does not depend on the mode.
    Ask: Which branch of your code runs after model.eval()?
    """

    def hide(self, attn_scores: Tensor) -> Tensor:
        return super().hide(attn_scores) if self.training else attn_scores


# --8<-- [end:mask-only-in-training]
# --8<-- [start:mask-only-in-eval]
class MaskOnlyInEval(Layer):
    """Later tokens are hidden in eval and seen in training.

    Expected: the mask does not depend on the mode.
    Ask: Which branch of your code runs while the model trains?
    """

    def hide(self, attn_scores: Tensor) -> Tensor:
        return attn_scores if self.training else super().hide(attn_scores)


# --8<-- [end:mask-only-in-eval]
# --8<-- [start:mask-only-for-some-lengths]
class MaskOnlyForSomeLengths(Layer):
    """Later tokens are hidden for some lengths of text and seen for others.

    Expected: the mask holds for every length from 1 to context_length.
    Ask: For which num_tokens does your code skip the mask?
    """

    def hide(self, attn_scores: Tensor) -> Tensor:
        if attn_scores.shape[-1] == self.context_length:
            return attn_scores
        return super().hide(attn_scores)


# --8<-- [end:mask-only-for-some-lengths]
# --8<-- [start:mask-not-cut]
class MaskNotCut(Layer):
    """The mask is not cut to the tokens, so shorter texts fail.

    Expected: any length from 1 to context_length works.
    Ask: Which shape has your mask, and which have the scores of a short text?
    """

    def hide(self, attn_scores: Tensor) -> Tensor:
        return attn_scores.masked_fill(self.later, -torch.inf)


# --8<-- [end:mask-not-cut]
# --8<-- [start:mask-of-another-size]
class MaskOfAnotherSize(Layer):
    """The mask is too small: it was not made for context_length tokens.

    Expected: the mask is (context_length, context_length).
    Ask: From which argument does your mask take its size?
    """

    def hide(self, attn_scores: Tensor) -> Tensor:
        num_tokens = attn_scores.shape[-1]
        later = torch.ones(self.d_out, self.d_out, dtype=torch.bool).triu(1)
        return attn_scores.masked_fill(later[:num_tokens, :num_tokens], -torch.inf)


# --8<-- [end:mask-of-another-size]
# --8<-- [start:mask-not-a-buffer]
class MaskNotABuffer(Layer):
    """The mask stays on the CPU when the layer moves to another device.

    Expected: the mask is a buffer, or is made on the device of the input.
    Ask: What does layer.to("cuda") move, and is your mask one of these?
    """

    def hide(self, attn_scores: Tensor) -> Tensor:
        num_tokens = attn_scores.shape[-1]
        later = torch.ones(num_tokens, num_tokens, device="cpu").triu(1)
        return attn_scores + torch.where(later == 1, -torch.inf, 0.0)


# --8<-- [end:mask-not-a-buffer]
# --8<-- [start:mask-changes-dtype]
class MaskChangesDtype(Layer):
    """The layer gives back another number format than it was given.

    Expected: float16, bfloat16, float32 and float64 in, the same out.
    Ask: In which format is the tensor that your scores are combined with?
    """

    def hide(self, attn_scores: Tensor) -> Tensor:
        return super().hide(attn_scores.float())

    def mix(self, attn_weights: Tensor, values: Tensor) -> Tensor:
        return attn_weights @ values.float()

    def finish(self, context_vec: Tensor, x: Tensor) -> Tensor:
        return super().finish(context_vec.to(x.dtype), x).float()


# --8<-- [end:mask-changes-dtype]
# --8<-- [start:mask-overflows-half]
class MaskOverflowsHalf(Layer):
    """The fill value does not fit into float16.

    Expected: hidden scores are -inf, which every float format has.
    Ask: What is the smallest number of float16, and is your fill value below it?
    """

    def hide(self, attn_scores: Tensor) -> Tensor:
        num_tokens = attn_scores.shape[-1]
        later = self.later[:num_tokens, :num_tokens]
        return attn_scores.masked_fill(later, -1e9)


# --8<-- [end:mask-overflows-half]
# --8<-- [start:mask-for-every-head]
class MaskForEveryHead(Layer):
    """A mask is held for every head, where one serves all.

    Expected: at most one mask of (context_length, context_length) in memory.
    Ask: Which axes of your mask are copies of each other?
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
        super().__init__(d_in, d_out, context_length, dropout, num_heads, qkv_bias)
        self.later = self.later.repeat(num_heads, 1, 1)

    def hide(self, attn_scores: Tensor) -> Tensor:
        num_tokens = attn_scores.shape[-1]
        later = self.later[:, :num_tokens, :num_tokens]
        return attn_scores.masked_fill(later, -torch.inf)


# --8<-- [end:mask-for-every-head]
