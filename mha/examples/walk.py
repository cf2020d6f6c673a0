"""The fused layer's forward, step by step on real tensors, equal to the layer."""

import torch
from torch import nn

from mha import MultiHeadAttention
from mha.examples import batch

# --8<-- [start:sizes]
torch.manual_seed(123)
layer = MultiHeadAttention(3, 20, 8, 0.0, num_heads=4)

x = batch  # (b, num_tokens, d_in)
b, num_tokens, d_in = x.shape
d_out, num_heads = 20, 4
print(f"{b=}, {num_tokens=}, {d_in=}, {d_out=}, {num_heads=}")
# --8<-- [end:sizes]

# --8<-- [start:step-1]
head_dim = d_out // num_heads
print(f"{head_dim=}")
# --8<-- [end:step-1]

# --8<-- [start:step-2]
out_proj = nn.Linear(d_out, d_out)
out_proj.load_state_dict(layer.out_proj.state_dict())
# --8<-- [end:step-2]

# --8<-- [start:step-3]
keys = layer.W_key(x)  # (b, num_tokens, d_out)
queries = layer.W_query(x)  # (b, num_tokens, d_out)
values = layer.W_value(x)  # (b, num_tokens, d_out)
print("projected ", tuple(queries.shape))
# --8<-- [end:step-3]

# --8<-- [start:step-4]
keys = keys.view(b, num_tokens, -1, head_dim)  # (b, num_tokens, num_heads, head_dim)
queries = queries.view(b, num_tokens, -1, head_dim)
values = values.view(b, num_tokens, -1, head_dim)
print("split     ", tuple(queries.shape))
# --8<-- [end:step-4]

# --8<-- [start:step-5]
keys = keys.transpose(1, 2)  # (b, num_heads, num_tokens, head_dim)
queries = queries.transpose(1, 2)  # (b, num_heads, num_tokens, head_dim)
values = values.transpose(1, 2)  # (b, num_heads, num_tokens, head_dim)
print("transposed", tuple(queries.shape))
# --8<-- [end:step-5]

# --8<-- [start:step-6]
attn_scores = queries @ keys.transpose(2, 3)  # (b, num_heads, num_tokens, num_tokens)
print("scores    ", tuple(attn_scores.shape))
# --8<-- [end:step-6]

# --8<-- [start:step-7]
later = layer.mask[:num_tokens, :num_tokens].bool()  # (num_tokens, num_tokens)
print("mask      ", tuple(layer.mask.shape), "cut to", tuple(later.shape))
# --8<-- [end:step-7]

# --8<-- [start:step-8]
attn_scores = attn_scores.masked_fill(later, -torch.inf)
attn_weights = torch.softmax(attn_scores / head_dim**0.5, dim=-1)
print("weights   ", tuple(attn_weights.shape))
# --8<-- [end:step-8]

# --8<-- [start:step-9]
context_vec = attn_weights @ values  # (b, num_heads, num_tokens, head_dim)
context_vec = context_vec.transpose(1, 2)  # (b, num_tokens, num_heads, head_dim)
print("mixed     ", tuple(context_vec.shape))
# --8<-- [end:step-9]

# --8<-- [start:step-10]
context_vec = context_vec.contiguous().view(b, num_tokens, -1)  # (b, num_tokens, d_out)
print("glued     ", tuple(context_vec.shape))
# --8<-- [end:step-10]

# --8<-- [start:step-11]
context_vec = out_proj(context_vec)  # (b, num_tokens, d_out)
print("equal to the layer:", torch.equal(context_vec, layer(x)))
# --8<-- [end:step-11]
