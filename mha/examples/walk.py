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
print(f" 1 {head_dim=}")
# --8<-- [end:step-1]

# --8<-- [start:step-2]
out_proj = nn.Linear(d_out, d_out)
out_proj.load_state_dict(layer.out_proj.state_dict())
print(" 2 out_proj", tuple(out_proj.weight.shape))
# --8<-- [end:step-2]

# --8<-- [start:step-3]
# All three: (b, num_tokens, d_out).
keys = layer.W_key(x)
queries = layer.W_query(x)
values = layer.W_value(x)
print(" 3 projected ", tuple(x.shape), "->", tuple(queries.shape))
# --8<-- [end:step-3]

# --8<-- [start:step-4]
# All three: (b, num_tokens, num_heads, head_dim).
keys = keys.view(b, num_tokens, -1, head_dim)
queries = queries.view(b, num_tokens, -1, head_dim)
values = values.view(b, num_tokens, -1, head_dim)
print(" 4 split      ->", tuple(queries.shape))
# --8<-- [end:step-4]

# --8<-- [start:step-5]
# All three: (b, num_heads, num_tokens, head_dim).
keys = keys.transpose(1, 2)
queries = queries.transpose(1, 2)
values = values.transpose(1, 2)
print(" 5 transposed ->", tuple(queries.shape))
# --8<-- [end:step-5]

# --8<-- [start:step-6]
# (b, num_heads, num_tokens, num_tokens)
attn_scores = (queries / head_dim**0.5) @ keys.transpose(2, 3)
print(" 6 scores     ->", tuple(attn_scores.shape))
# --8<-- [end:step-6]

# --8<-- [start:step-7]
# (num_tokens, num_tokens)
later = layer.mask[:num_tokens, :num_tokens].bool()
print(" 7 mask      ", tuple(layer.mask.shape), "->", tuple(later.shape))
# --8<-- [end:step-7]

# --8<-- [start:step-8]
attn_scores.masked_fill_(later, -torch.inf)
# (b, num_heads, num_tokens, num_tokens)
attn_weights = torch.softmax(attn_scores, dim=-1)
print(" 8 weights    ->", tuple(attn_weights.shape))
# --8<-- [end:step-8]

# --8<-- [start:step-9]
# (b, num_heads, num_tokens, head_dim)
context_vec = attn_weights @ values
print(" 9 mixed      ->", tuple(context_vec.shape), end="")
# (b, num_tokens, num_heads, head_dim)
context_vec = context_vec.transpose(1, 2)
print(" ->", tuple(context_vec.shape))
# --8<-- [end:step-9]

# --8<-- [start:step-10]
# (b, num_tokens, d_out)
context_vec = context_vec.contiguous().view(b, num_tokens, -1)
print("10 glued      ->", tuple(context_vec.shape))
# --8<-- [end:step-10]

# --8<-- [start:step-11]
# (b, num_tokens, d_out)
context_vec = out_proj(context_vec)
print("11 equal to the layer:", torch.equal(context_vec, layer(x)))
# --8<-- [end:step-11]
