"""Mistakes in what a layer holds: weights, state, devices."""

# --8<-- [start:imports]
from torch import Tensor, nn

from mha.mistakes.layer import Layer

# --8<-- [end:imports]


# --8<-- [start:weights-not-registered]
class WeightsNotRegistered(Layer):
    """Some weights are not registered: no optimiser sees them and no file saves them.

    Expected: weights are parameters, layers are attributes or in an nn.ModuleList.
    Ask: Are your weights in layer.parameters() and in layer.state_dict()?
    """

    def __init__(
        self,
        d_in: int,
        d_out: int,
        context_length: int,
        dropout: float,
        num_heads: int,
        qkv_bias: bool = False,
    ) -> None:
        super().__init__(d_in, d_out, context_length, dropout, num_heads, qkv_bias)
        self.projections = [self.W_query, self.W_key, self.W_value]
        del self.W_query, self.W_key, self.W_value

    def project(self, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        queries, keys, values = (projection(x) for projection in self.projections)
        return queries, keys, values


# --8<-- [end:weights-not-registered]
# --8<-- [start:layers-made-in-forward]
class LayersMadeInForward(Layer):
    """A layer of weights is made anew in each call, so it never learns.

    Expected: all layers of weights are made in the constructor.
    Ask: How often is each of your nn.Linear made?
    """

    def finish(self, context_vec: Tensor, x: Tensor) -> Tensor:
        return nn.Linear(self.d_out, self.d_out).to(x)(context_vec)


# --8<-- [end:layers-made-in-forward]
# --8<-- [start:remembers-calls]
class RemembersCalls(Layer):
    """The layer remembers earlier calls, and they change later answers.

    Expected: the same input gives the same output, whatever came before.
    Ask: Which attribute does forward write, and who empties it?
    """

    cache: Tensor | None = None

    def forward(self, x: Tensor) -> Tensor:
        before = 0.0 if self.cache is None else self.cache
        self.cache = x.detach().mean()
        return super().forward(x) + before


# --8<-- [end:remembers-calls]
# --8<-- [start:device-fixed]
class DeviceFixed(Layer):
    """The layer works on one kind of device only.

    Expected: the layer works where its weights and its input are.
    Ask: Is a device named in your code, where x.device would do?
    """

    def forward(self, x: Tensor) -> Tensor:
        return super().forward(x.to("cuda"))


# --8<-- [end:device-fixed]
# --8<-- [start:bias-always]
class BiasAlways(Layer):
    """Queries, keys and values have a bias although qkv_bias is off.

    Expected: a bias in these three only with qkv_bias=True, which is not the default.
    Ask: What is the default of bias in nn.Linear?
    """

    def __init__(
        self,
        d_in: int,
        d_out: int,
        context_length: int,
        dropout: float,
        num_heads: int,
        qkv_bias: bool = False,
    ) -> None:
        super().__init__(d_in, d_out, context_length, dropout, num_heads, qkv_bias=True)


# --8<-- [end:bias-always]
# --8<-- [start:bias-never]
class BiasNever(Layer):
    """Queries, keys and values have no bias although qkv_bias is on.

    Expected: three biases with qkv_bias=True.
    Ask: Where does your constructor use qkv_bias?
    """

    def __init__(
        self,
        d_in: int,
        d_out: int,
        context_length: int,
        dropout: float,
        num_heads: int,
        qkv_bias: bool = False,
    ) -> None:
        super().__init__(d_in, d_out, context_length, dropout, num_heads)


# --8<-- [end:bias-never]
# --8<-- [start:too-few-weights]
class TooFewWeights(Layer):
    """There are fewer weights than several heads need: some are shared or too narrow.

    Expected: each head has rows of its own in W_query, W_key and W_value.
    Ask: Do all heads use the same small layer, or is the input cut before projecting?
    """

    def __init__(
        self,
        d_in: int,
        d_out: int,
        context_length: int,
        dropout: float,
        num_heads: int,
        qkv_bias: bool = False,
    ) -> None:
        super().__init__(d_in, d_out, context_length, dropout, num_heads, qkv_bias)
        self.W_query = nn.Linear(d_in, self.head_dim, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, self.head_dim, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, self.head_dim, bias=qkv_bias)

    def split(self, t: Tensor) -> Tensor:
        return t.unsqueeze(1).repeat(1, self.num_heads, 1, 1)


# --8<-- [end:too-few-weights]
# --8<-- [start:too-many-weights]
class TooManyWeights(Layer):
    """There are more weights than needed: heads are too wide, or something is extra.

    Expected: all heads together are d_out wide, d_out // num_heads each.
    Ask: How wide is one of your heads?
    """

    def __init__(
        self,
        d_in: int,
        d_out: int,
        context_length: int,
        dropout: float,
        num_heads: int,
        qkv_bias: bool = False,
    ) -> None:
        width = d_out * num_heads
        super().__init__(d_in, width, context_length, dropout, num_heads, qkv_bias)
        self.out_proj = nn.Linear(width, d_out)


# --8<-- [end:too-many-weights]
# --8<-- [start:graph-break]
class GraphBreak(Layer):
    """torch.compile cannot take the layer as a whole.

    Expected: no decision in forward depends on the numbers in a tensor.
    Ask: Where does forward leave tensors for Python, as item() and if do?
    """

    def share(self, attn_scores: Tensor) -> Tensor:
        if attn_scores.amax().item() > 1e6:
            attn_scores = attn_scores.clamp(max=1e6)
        return super().share(attn_scores)


# --8<-- [end:graph-break]
