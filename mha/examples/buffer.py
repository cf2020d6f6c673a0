"""The mask is no weight, but it moves and is saved with the layer."""

from mha import CausalAttention

# --8<-- [start:example]
head = CausalAttention(d_in=3, d_out=2, context_length=6, dropout=0.0)

print("learned:", [name for name, _ in head.named_parameters()])
print("saved:  ", list(head.state_dict()))
print("moved to", head.to("meta").mask.device)
# --8<-- [end:example]
