"""What the picture of the cut word leaves out: the query is projected, then cut."""

from mha.plain import head_1, query, query_of_head_1, query_of_head_2, word

# --8<-- [start:example]
print("word           ", word)
print("query          ", query)
print("query of head 1", query_of_head_1, "drawn from all eight numbers")
print("query of head 2", query_of_head_2)
print("not the same as", head_1, "the raw word's first half")
# --8<-- [end:example]
