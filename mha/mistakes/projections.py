"""Mistakes in the layers of weights before and after attention."""

# --8<-- [start:imports]
from torch import Tensor

from mha.mistakes.layer import Layer

# --8<-- [end:imports]


# --8<-- [start:values-from-keys]
class ValuesFromKeys(Layer):
    """The keys serve as values too: from the key layer, or multiplied by the weights.

    Expected: a token says something else, its value, than what it is found by, its key.
    Ask: Which layer makes the tensor that your weights are multiplied by?
    """

    def project(self, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        return self.W_query(x), self.W_key(x), self.W_key(x)


# --8<-- [end:values-from-keys]
# --8<-- [start:queries-and-keys-swapped]
class QueriesAndKeysSwapped(Layer):
    """The layer named for queries makes keys and the one for keys makes queries.

    Expected: row i of the scores belongs to query i, made by W_query.
    Ask: Are your scores queries @ keys.transpose, or the other way round?
    """

    def score(self, queries: Tensor, keys: Tensor) -> Tensor:
        return keys @ queries.transpose(2, 3)


# --8<-- [end:queries-and-keys-swapped]
# --8<-- [start:values-not-projected]
class ValuesNotProjected(Layer):
    """The raw input serves as values; there is no layer of weights for them.

    Expected: values are W_value(x).
    Ask: What may a token say of itself that differs from what it is?
    """

    def project(self, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        return self.W_query(x), self.W_key(x), x


# --8<-- [end:values-not-projected]
# --8<-- [start:one-projection-for-all-three]
class OneProjectionForAllThree(Layer):
    """One layer of weights makes queries, keys and values alike.

    Expected: three layers of weights, or three parts of one.
    Ask: Can a token then look for something else than for its like?
    """

    def project(self, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        return self.W_query(x), self.W_query(x), self.W_query(x)


# --8<-- [end:one-projection-for-all-three]
# --8<-- [start:one-projection-for-queries-and-keys]
class OneProjectionForQueriesAndKeys(Layer):
    """One layer of weights makes queries and keys, so scores are symmetric.

    Expected: queries and keys have weights of their own.
    Ask: Can token 2 then care for token 1 more than token 1 for token 2?
    """

    def project(self, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        return self.W_query(x), self.W_query(x), self.W_value(x)


# --8<-- [end:one-projection-for-queries-and-keys]
# --8<-- [start:out-proj-missing]
class OutProjMissing(Layer):
    """There is no output projection after the heads are glued.

    Expected: out_proj, from d_out to d_out, reads all heads together.
    Ask: Where do the heads meet?
    """

    def finish(self, context_vec: Tensor, x: Tensor) -> Tensor:
        return context_vec


# --8<-- [end:out-proj-missing]
# --8<-- [start:activation-inside]
class ActivationInside(Layer):
    """An activation function stands between a projection and the heads.

    Expected: queries, keys and values are linear in the input.
    Ask: What does a relu do to half of all queries?
    """

    def project(self, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        return self.W_query(x).relu(), self.W_key(x).relu(), self.W_value(x).relu()


# --8<-- [end:activation-inside]
# --8<-- [start:residual-inside]
class ResidualInside(Layer):
    """The input is added to the output inside the layer.

    Expected: the shortcut belongs to the block around the layer, which adds it once.
    Ask: Who else adds x to the output?
    """

    def finish(self, context_vec: Tensor, x: Tensor) -> Tensor:
        return super().finish(context_vec, x) + x


# --8<-- [end:residual-inside]
