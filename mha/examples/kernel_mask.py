"""For PyTorch's kernel True means: take part."""

import torch

# --8<-- [start:example]
from torch.nn.functional import scaled_dot_product_attention

queries, keys, values = torch.rand(3, 1, 4, 2)  # four tokens, one head of width 2
later = torch.triu(torch.ones(4, 4), diagonal=1).bool()

for name, attn_mask in ("later", later), ("not later", ~later):
    out = scaled_dot_product_attention(queries, keys, values, attn_mask=attn_mask)
    first = torch.allclose(out[0, 0], values[0, 0])
    print(f"{name:9} token 1 gets its own value: {first}, ", end="")
    print(f"token 4 gets nothing: {not out[0, 3].any()}")
# --8<-- [end:example]
