"""The grouped layer taken apart: what it computes, step by step, in shapes."""

import torch

from mha import GroupedQueryAttention
from mha.examples import batch

# --8<-- [start:sizes]
torch.manual_seed(123)
layer = GroupedQueryAttention(3, 20, 8, 0.0, num_heads=4, num_kv_heads=2)

b, num_tokens, d_in = batch.shape
print(f"{b=}, {num_tokens=}, {d_in=}, {layer.head_dim=}")
# --8<-- [end:sizes]

# --8<-- [start:step-1]
keys = layer.W_key(batch)  # (b, num_tokens, num_kv_heads * head_dim)
queries = layer.W_query(batch)  # (b, num_tokens, d_out)
values = layer.W_value(batch)  # (b, num_tokens, num_kv_heads * head_dim)
print("1 keys   ", tuple(keys.shape), "queries", tuple(queries.shape))
# --8<-- [end:step-1]

# --8<-- [start:step-2]
keys = keys.view(b, num_tokens, -1, layer.head_dim).transpose(1, 2)
queries = queries.view(b, num_tokens, -1, layer.head_dim).transpose(1, 2)
values = values.view(b, num_tokens, -1, layer.head_dim).transpose(1, 2)
print("2 keys   ", tuple(keys.shape), "queries", tuple(queries.shape))
# --8<-- [end:step-2]

# --8<-- [start:step-3]
group_size = layer.num_heads // layer.num_kv_heads
# Each head of keys stands beside its copies: (b, num_heads, num_tokens, head_dim).
keys = keys.repeat_interleave(group_size, dim=1)
values = values.repeat_interleave(group_size, dim=1)

print("3 keys   ", tuple(keys.shape), end=" ")
print("heads 1 and 2 alike:", torch.equal(keys[:, 0], keys[:, 1]), end=", ")
print("2 and 3:", torch.equal(keys[:, 1], keys[:, 2]))
# --8<-- [end:step-3]

# --8<-- [start:step-4]
# Every query with every key: (b, num_heads, num_tokens, num_tokens).
attn_scores = (queries / layer.head_dim**0.5) @ keys.transpose(2, 3)
later = layer.mask[:num_tokens, :num_tokens].bool()  # (num_tokens, num_tokens)
attn_scores.masked_fill_(later, -torch.inf)
attn_weights = torch.softmax(attn_scores, dim=-1)
print("4 weights", tuple(attn_weights.shape), end=" ")
print("heads 1 and 2 alike:", torch.equal(attn_weights[:, 0], attn_weights[:, 1]))
# --8<-- [end:step-4]

# --8<-- [start:step-5]
context_vec = (attn_weights @ values).transpose(1, 2)
context_vec = context_vec.contiguous().view(b, num_tokens, -1)
context_vec = layer.out_proj(context_vec)  # (b, num_tokens, d_out)
print("5 output ", tuple(context_vec.shape), end=" ")
print("the layer's, bit for bit:", torch.equal(context_vec, layer(batch)))
# --8<-- [end:step-5]
