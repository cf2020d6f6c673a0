"""Does it read the future? Gradients say it without changing a token."""

# --8<-- [start:answer]
import torch


def influence(layer: torch.nn.Module, x: torch.Tensor) -> torch.Tensor:
    """How strongly output i leans on token j, as a table [i, j] of slopes."""
    x = x.clone().requires_grad_()
    rows: list[torch.Tensor] = []
    for output in layer(x).unbind(dim=1):
        (slopes,) = torch.autograd.grad(output.sum(), x, retain_graph=True)
        rows.append(slopes.abs().amax(dim=(0, 2)))
    return torch.stack(rows)


# --8<-- [end:answer]
# --8<-- [start:compare]
from mha import MultiHeadAttention
from mha.mistakes.heads import MergeWithoutTranspose

torch.manual_seed(123)
x = torch.rand(1, 5, 6)
for layer_class in MultiHeadAttention, MergeWithoutTranspose:
    table = influence(layer_class(6, 8, 5, 0.0, num_heads=4), x)
    print(layer_class.__name__)
    for row in (table > 0).int().tolist():
        print(*row)
# --8<-- [end:compare]
