"""Heads that share keys and values, taken apart: step by step, in shapes."""

from mha.examples import batch

# --8<-- [start:sizes]
import torch
from torch import nn
from torch.nn.functional import scaled_dot_product_attention

b, num_tokens, d_in = batch.shape
d_out, num_heads, num_kv_heads = 20, 4, 2
head_dim = d_out // num_heads
group_size = num_heads // num_kv_heads
print(f"{b=}, {num_tokens=}, {d_in=}, {head_dim=}, {group_size=}")
# --8<-- [end:sizes]

# --8<-- [start:step-1]
torch.manual_seed(123)
W_query = nn.Linear(d_in, d_out, bias=False)
W_key = nn.Linear(d_in, num_kv_heads * head_dim, bias=False)
W_value = nn.Linear(d_in, num_kv_heads * head_dim, bias=False)

queries = W_query(batch)  # (b, num_tokens, d_out)
keys = W_key(batch)  # (b, num_tokens, num_kv_heads * head_dim)
values = W_value(batch)  # (b, num_tokens, num_kv_heads * head_dim)
print("1 queries", tuple(queries.shape), "keys", tuple(keys.shape))
# --8<-- [end:step-1]

# --8<-- [start:step-2]
queries = queries.view(b, num_tokens, -1, head_dim).transpose(1, 2)
keys = keys.view(b, num_tokens, -1, head_dim).transpose(1, 2)
values = values.view(b, num_tokens, -1, head_dim).transpose(1, 2)
kept = keys, values
print("2 queries", tuple(queries.shape), "keys", tuple(keys.shape))
# --8<-- [end:step-2]

# --8<-- [start:step-3]
# Once for each head that reads them: (b, num_heads, num_tokens, head_dim).
keys = keys.repeat_interleave(group_size, dim=1)
values = values.repeat_interleave(group_size, dim=1)

print("3 queries", tuple(queries.shape), "keys", tuple(keys.shape))
print("  keys of heads 1 and 2 alike:", torch.equal(keys[:, 0], keys[:, 1]), end=", ")
print("of 2 and 3:", torch.equal(keys[:, 1], keys[:, 2]))
# --8<-- [end:step-3]

# --8<-- [start:step-4]
# Every query with every key: (b, num_heads, num_tokens, num_tokens).
attn_scores = (queries / head_dim**0.5) @ keys.transpose(2, 3)

later = torch.ones(num_tokens, num_tokens).triu(diagonal=1).bool()
attn_weights = torch.softmax(attn_scores.masked_fill(later, -torch.inf), dim=-1)

alike = torch.equal(attn_weights[:, 0], attn_weights[:, 1])
print("4 weights", tuple(attn_weights.shape), "of heads 1 and 2 alike:", alike)
# --8<-- [end:step-4]

# --8<-- [start:step-5]
context_vec = attn_weights @ values  # (b, num_heads, num_tokens, head_dim)
kernel = scaled_dot_product_attention(queries, *kept, is_causal=True, enable_gqa=True)
torch.testing.assert_close(context_vec, kernel)
print("5 context", tuple(context_vec.shape), "the same as from PyTorch's kernel")
# --8<-- [end:step-5]

# --8<-- [start:step-6]
out_proj = nn.Linear(d_out, d_out)
context_vec = context_vec.transpose(1, 2).contiguous().view(b, num_tokens, -1)
context_vec = out_proj(context_vec)  # (b, num_tokens, d_out)
print("6 output ", tuple(context_vec.shape))
# --8<-- [end:step-6]
