"""The runs: which models are trained, and what is measured of each."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

import torch
from torch import Generator, Tensor
from torch.nn.functional import one_hot

from mha.experiment.grammar import ROLES, Sentences, draw, meanings
from mha.experiment.model import (
    Reader,
    is_right,
    looks,
    rounded,
    without_head,
)
from mha.experiment.training import trained

HEADS = (1, 2, 4, 8)
SEEDS = (0, 1, 2, 3, 4)  # in the middle setting
FEWER_SEEDS = SEEDS[:3]  # in the others
TESTED = 500  # sentences


@dataclass(frozen=True)
class Setting:
    """How hard it is: words of each kind, the model's width, steps of training."""

    words: int
    width: int
    steps: int


CENTRE = Setting(words=8, width=16, steps=600)
SETTINGS = (  # the middle first; from it one size is changed at a time
    CENTRE,
    *(Setting(words, CENTRE.width, CENTRE.steps) for words in (2, 4, 16)),
    *(Setting(CENTRE.words, width, CENTRE.steps) for width in (8, 32)),
    Setting(CENTRE.words, CENTRE.width, 2 * CENTRE.steps),
)


@dataclass(frozen=True)
class Training:
    """One model that is to be trained."""

    setting: Setting
    num_heads: int
    seed: int


@dataclass(frozen=True)
class Run:
    """One trained model, measured on sentences that it has never seen."""

    words: int
    width: int
    steps: int
    num_heads: int
    seed: int
    num_weights: int
    all_right: float  # share of sentences with every answer right
    accuracy: list[float]  # of each question
    lost: list[list[float]]  # accuracy lost without a head, (num_heads, questions)
    looks: list[list[float]]  # mean share of attention, (num_heads, roles and other)


def trainings() -> list[Training]:
    """All models of the experiment, in order."""
    return [
        Training(setting, num_heads, seed)
        for setting in SETTINGS
        for num_heads in HEADS
        for seed in (SEEDS if setting == CENTRE else FEWER_SEEDS)
    ]


def parts(words: int) -> tuple[Tensor, Sentences]:
    """What training may say, and the sentences of the test: the same for every run."""
    generator = Generator().manual_seed(0)
    training, test = meanings(words, generator)
    return training, draw(test, words, TESTED, generator)


def experiment(asked: Sequence[Training]) -> Iterator[tuple[Run, Reader]]:
    """Train and measure one model after the other."""
    for setting, group in groupby(asked, key=lambda training: training.setting):
        known, test = parts(setting.words)
        sizes = (setting.words, setting.width, setting.steps)
        for training in group:
            model = trained(known, *sizes, training.num_heads, training.seed)
            yield measured(training, model, test), model


def measured(training: Training, model: Reader, test: Sentences) -> Run:
    """What a model can do, what it loses without each head, where its heads look."""
    right = is_right(model, test)
    accuracy = share(right)
    heads = range(training.num_heads)
    without = torch.stack(
        [share(is_right(without_head(model, h), test)) for h in heads]
    )
    attention = looks(model, test.tokens, test.ends)  # (b, num_heads, LONGEST)
    roles = one_hot(test.roles, len(ROLES) + 1).float()  # (b, LONGEST, roles and other)
    return Run(
        training.setting.words,
        training.setting.width,
        training.setting.steps,
        training.num_heads,
        training.seed,
        sum(weight.numel() for weight in model.parameters()),
        rounded(right.all(dim=1).double().mean()),
        rounded(accuracy),
        rounded(accuracy - without),
        rounded((attention @ roles).mean(dim=0)),
    )


def share(right: Tensor) -> Tensor:
    """The share of right answers to each question."""
    return right.double().mean(dim=0)
