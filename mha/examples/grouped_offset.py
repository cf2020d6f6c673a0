"""New tokens are the last ones, so their rows of the mask are the last ones, too."""

import torch

# --8<-- [start:example]
from torch.nn.functional import scaled_dot_product_attention

mask = torch.triu(torch.ones(5, 5), diagonal=1)
print("3 tokens in the cache, 2 new: rows 4 and 5 of the mask")
print(mask[3:5, :5].int())

queries, keys, values = torch.rand(3, 1, 5, 4)  # five tokens, one head of width 4
newest = scaled_dot_product_attention(queries[:, 4:], keys, values, is_causal=True)
print("is_causal=True, 1 new: it reads token 1 alone:", end=" ")
print(torch.allclose(newest, values[:, :1]))
# --8<-- [end:example]
