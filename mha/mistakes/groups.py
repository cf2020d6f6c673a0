"""Mistakes in sharing keys and values among heads."""

# --8<-- [start:imports]
from torch import Tensor

from mha.mistakes.layer import GroupedLayer

# --8<-- [end:imports]


# --8<-- [start:groups-repeated-in-turn]
class GroupsRepeatedInTurn(GroupedLayer):
    """Keys and values are repeated in turn, so that heads read those of other groups.

    Expected: repeat_interleave: each head of keys and values stands beside its copies.
    Ask: With two heads of keys and values for four, which two does head 2 read?
    """

    def spread(self, heads: Tensor, copies: int) -> Tensor:
        return heads.repeat(1, copies, 1, 1)


# --8<-- [end:groups-repeated-in-turn]
