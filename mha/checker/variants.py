"""The right layer and some mistakes, written otherwise.

What learners write differs in more than the step that is wrong: the fill comes before
the scale or after, batch and heads are folded in one order or the other. A variant of a
mistake has the code of the mistake.
"""

from torch import Tensor

from mha.mistakes.heads import HeadsAttendToHeads, HeadsIgnored, SplitAndMergeByView
from mha.mistakes.layer import GroupedLayer, Layer
from mha.mistakes.mask import MaskFillsTooLittle


class Interleaved(Layer):
    """Unusual and right: head h has every num_heads-th number, from h on."""

    def split(self, t: Tensor) -> Tensor:
        """Split so that heads alternate."""
        b, num_tokens, _ = t.shape
        return t.view(b, num_tokens, -1, self.num_heads).permute(0, 3, 1, 2)

    def merge(self, context_vec: Tensor) -> Tensor:
        """Glue in the same order."""
        return context_vec.permute(0, 2, 3, 1).flatten(2)


class OnesBeforeScale(Layer):
    """Like MaskAddsOnes, but the scale comes after."""

    def scale(self, attn_scores: Tensor) -> Tensor:
        """Add first, then scale."""
        num_tokens = attn_scores.shape[-1]
        return super().scale(attn_scores + ~self.later[:num_tokens, :num_tokens])

    def hide(self, attn_scores: Tensor) -> Tensor:
        """Nothing more."""
        return attn_scores


class ValuesFoldedOtherwise(Layer):
    """Like MergeSwapsBatchAndHeads, but on the values' way in."""

    def mix(self, attn_weights: Tensor, values: Tensor) -> Tensor:
        """Texts and heads of the values change places."""
        b, num_heads, num_tokens, head_dim = values.shape
        folded = values.reshape(num_heads, b, num_tokens, head_dim)
        return super().mix(attn_weights, folded.transpose(0, 1))


class UnfoldedOtherwise(Layer):
    """Like MergeSwapsBatchAndHeads, but folded heads first."""

    def merge(self, context_vec: Tensor) -> Tensor:
        """Fold heads first, unfold texts first."""
        folded = context_vec.transpose(0, 1).reshape(context_vec.shape)
        return super().merge(folded)


class HeadsAdded(Layer):
    """Like HeadsAveraged, but added up."""

    def merge(self, context_vec: Tensor) -> Tensor:
        """Add and repeat."""
        return context_vec.sum(dim=1).repeat(1, 1, self.num_heads)


class HeadsSeeAllHeads(HeadsAttendToHeads):
    """Like HeadsAttendToHeads, but without a mask."""

    def hide(self, attn_scores: Tensor) -> Tensor:
        """Hide nothing."""
        return attn_scores


class HeadsIgnoredButInScale(HeadsIgnored):
    """Like HeadsIgnored, but scaled as if there were several."""

    def scale(self, attn_scores: Tensor) -> Tensor:
        """Scale by the head that is not there."""
        return attn_scores / self.head_dim**0.5


def in_turn(heads: Tensor, num_kv_heads: int) -> Tensor:
    """Copies that stand side by side, put into the order of `repeat`."""
    return heads.unflatten(1, (num_kv_heads, -1)).transpose(1, 2).flatten(1, 2)


class KeysInTurn(GroupedLayer):
    """Like GroupsRepeatedInTurn, but the keys alone."""

    def score(self, queries: Tensor, keys: Tensor) -> Tensor:
        """Ask the keys of another group."""
        return super().score(queries, in_turn(keys, self.num_kv_heads))


class ValuesInTurn(GroupedLayer):
    """Like GroupsRepeatedInTurn, but the values alone."""

    def mix(self, attn_weights: Tensor, values: Tensor) -> Tensor:
        """Bring home the values of another group."""
        return super().mix(attn_weights, in_turn(values, self.num_kv_heads))


class GroupsSplitByView(GroupedLayer):
    """Like SplitWithoutTranspose, with fewer heads of keys and values."""

    def split(self, t: Tensor) -> Tensor:
        """View straight to the heads' shape, then spread."""
        b, num_tokens, _ = t.shape
        heads = t.reshape(b, -1, num_tokens, self.head_dim)
        return self.spread(heads, self.num_heads // heads.shape[1])


class GroupsSplitAndMergedByView(GroupsSplitByView, SplitAndMergeByView):
    """Like SplitAndMergeByView, with fewer heads of keys and values."""


class LargeFill(Layer):
    """Mixed in: a large number takes the place of infinity."""

    def hide(self, attn_scores: Tensor) -> Tensor:
        """Fill in a number that exp still makes 0."""
        return super().hide(attn_scores).clamp(-1e30, 1e30)


class LargeSummand(Layer):
    """Mixed in: a large number is added, as in `scores + mask * -1e9`."""

    def hide(self, attn_scores: Tensor) -> Tensor:
        """Add what the mask makes of zeros."""
        return attn_scores + super().hide(attn_scores * 0).clamp(-1e6, 1e6)


class AddsTooLittle(MaskFillsTooLittle):
    """Like MaskFillsTooLittle, but added to the scores."""

    def hide(self, attn_scores: Tensor) -> Tensor:
        """Add what is filled into zeros."""
        return attn_scores + super().hide(attn_scores * 0)


ALSO = (
    ("mask-adds-ones", OnesBeforeScale),
    ("merge-swaps-batch-and-heads", ValuesFoldedOtherwise),
    ("merge-swaps-batch-and-heads", UnfoldedOtherwise),
    ("heads-averaged", HeadsAdded),
    ("heads-attend-to-heads", HeadsSeeAllHeads),
    ("heads-ignored", HeadsIgnoredButInScale),
    ("split-without-transpose", GroupsSplitByView),
    ("split-and-merge-by-view", GroupsSplitAndMergedByView),
    ("groups-repeated-in-turn", KeysInTurn),
    ("groups-repeated-in-turn", ValuesInTurn),
)
