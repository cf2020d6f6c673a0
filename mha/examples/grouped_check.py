"""What the checker says of keys and values repeated in turn."""

# --8<-- [start:example]
from mha import check
from mha.mistakes.groups import GroupsRepeatedInTurn

print(check(GroupsRepeatedInTurn))
# --8<-- [end:example]
