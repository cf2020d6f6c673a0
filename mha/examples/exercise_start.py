"""A starter, before a word is written: the checker says what comes next."""

from mha.exercises.causal import CausalAttention

# --8<-- [start:example]
from mha import check

print(check(CausalAttention))
# --8<-- [end:example]
