"""The model: words as numbers, one attention layer, and a read-out of the full stop."""

# --8<-- [start:imports]
from copy import deepcopy
from typing import Any

import torch
from torch import Tensor, nn

from mha.experiment.grammar import LONGEST, Sentences, answers, vocabulary
from mha.fused import MultiHeadAttention

# --8<-- [end:imports]

DIGITS = 4  # of every number that is kept; the model measured has rounded weights


# --8<-- [start:Reader]
class Reader(nn.Module):
    """Answer all questions about a sentence from what its full stop brings home.

    There is no way around the attention: what no head brings, no answer can know.

    Args:
        words: How many words there are of each kind.
        width: Width of each token, and of all heads together.
        num_heads: Number of heads; each is width // num_heads wide.
    """

    def __init__(self, words: int, width: int, num_heads: int) -> None:
        super().__init__()
        self.answers = [len(choice) for choice in answers(words).values()]
        self.word = nn.Embedding(len(vocabulary(words)), width)
        self.position = nn.Embedding(LONGEST, width)
        self.attention = MultiHeadAttention(width, width, LONGEST, 0.0, num_heads)
        self.read_out = nn.Linear(width, sum(self.answers))

    def forward(self, tokens: Tensor, ends: Tensor) -> tuple[Tensor, ...]:
        """Score the answers.

        Args:
            tokens: Sentences as numbers of words, (b, LONGEST).
            ends: Where their full stops stand, (b,).

        Returns:
            For each question the scores of its answers, (b, answers).
        """
        x = self.word(tokens) + self.position.weight  # (b, LONGEST, width)
        context_vec = self.attention(x)  # (b, LONGEST, width)
        brought = context_vec[torch.arange(len(ends)), ends]  # (b, width)
        return self.read_out(brought).split(self.answers, dim=1)


# --8<-- [end:Reader]


def weights(model: Reader) -> dict[str, Any]:
    """The weights as lists of rounded numbers, under their names in the state_dict."""
    return {name: rounded(values) for name, values in model.state_dict().items()}


def rounded(values: Tensor) -> Any:
    """A tensor as nested lists of numbers with few digits."""
    if values.dim():
        return [rounded(part) for part in values]
    return round(values.item(), DIGITS) + 0.0  # + 0.0 makes -0.0 a plain zero


def with_weights(model: Reader, weights: dict[str, Any]) -> Reader:
    """Put weights from lists into a model, and return it."""
    model.load_state_dict({name: torch.tensor(rows) for name, rows in weights.items()})
    return model


@torch.no_grad()
def is_right(model: Reader, sentences: Sentences) -> Tensor:
    """Which answers are right, (b, questions)."""
    scores = model(sentences.tokens, sentences.ends)
    given = torch.stack([score.argmax(dim=1) for score in scores], dim=1)
    return given == sentences.answers


# --8<-- [start:looks]
@torch.no_grad()
def looks(model: Reader, tokens: Tensor, ends: Tensor) -> Tensor:
    """Where each head of the full stop looks, (b, num_heads, LONGEST)."""
    layer = model.attention
    b, num_heads = len(tokens), layer.num_heads
    x = model.word(tokens) + model.position.weight
    keys = layer.W_key(x).view(b, LONGEST, num_heads, -1)
    queries = layer.W_query(x[torch.arange(b), ends]).view(b, num_heads, -1)
    attn_scores = torch.einsum("bhd,bkhd->bhk", queries, keys)
    later = torch.arange(LONGEST) > ends[:, None]  # (b, LONGEST)
    attn_scores = attn_scores.masked_fill(later[:, None], -torch.inf)
    return torch.softmax(attn_scores / layer.head_dim**0.5, dim=-1)


# --8<-- [end:looks]


# --8<-- [start:without_head]
def without_head(model: Reader, head: int) -> Reader:
    """A copy in which one head brings nothing: its columns of out_proj are zeros."""
    copy = deepcopy(model)
    width = copy.attention.head_dim
    columns = slice(head * width, (head + 1) * width)
    copy.attention.out_proj.weight.data[:, columns] = 0
    return copy


# --8<-- [end:without_head]
