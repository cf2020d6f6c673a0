"""Training: sentences in steps, on one thread, from a seed."""

from collections.abc import Generator
from contextlib import contextmanager

import torch
from torch import Tensor
from torch.nn.functional import cross_entropy

from mha.experiment.grammar import draw
from mha.experiment.model import Reader, weights, with_weights

AT_ONCE = 64  # sentences in a step
LARGEST_STEP = 0.02


@contextmanager
def one_thread() -> Generator[None]:
    """Compute on one thread, so that sums are added in one order; then as before."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def new_reader(words: int, width: int, num_heads: int, seed: int) -> Reader:
    """A model with the first weights of a seed; torch's own seed stays as it was."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return Reader(words, width, num_heads)


def trained(
    known: Tensor, words: int, width: int, steps: int, num_heads: int, seed: int
) -> Reader:
    """Train a model on the known meanings; round its weights at the end."""
    model = new_reader(words, width, num_heads, seed)
    generator = torch.Generator().manual_seed(seed)
    lessons = draw(known, words, steps * AT_ONCE, generator)
    adam = torch.optim.Adam(model.parameters(), lr=LARGEST_STEP, fused=True)
    pace = torch.optim.lr_scheduler.OneCycleLR(adam, LARGEST_STEP, steps)
    for step in range(steps):
        now = slice(step * AT_ONCE, (step + 1) * AT_ONCE)
        scores = model(lessons.tokens[now], lessons.ends[now])
        right = lessons.answers[now].unbind(dim=1)
        losses = [cross_entropy(mine, theirs) for mine, theirs in zip(scores, right)]
        adam.zero_grad()
        torch.stack(losses).sum().backward()
        adam.step()
        pace.step()
    return with_weights(model, weights(model))
