"""Which head of keys and values each head of queries reads."""

# --8<-- [start:example]
import torch

for num_kv_heads in 8, 2, 1:
    kv_heads = torch.arange(1, num_kv_heads + 1)
    read = kv_heads.repeat_interleave(8 // num_kv_heads)
    print(f"{num_kv_heads} kv heads: heads 1 to 8 read", *read.tolist())
# --8<-- [end:example]
