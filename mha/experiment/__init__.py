"""Why several heads: one small task, trained and measured; only heads change."""

from mha.experiment.files import Results, examination, keep
from mha.experiment.grammar import QUESTIONS
from mha.experiment.model import Reader
from mha.experiment.runs import (
    CENTRE,
    HEADS,
    SEEDS,
    SETTINGS,
    Run,
    Training,
    experiment,
    trainings,
)
from mha.experiment.summary import Summary, percent, summaries
from mha.experiment.training import one_thread

__all__ = [
    "CENTRE",
    "HEADS",
    "QUESTIONS",
    "SEEDS",
    "SETTINGS",
    "Reader",
    "Results",
    "Run",
    "Summary",
    "Training",
    "examination",
    "experiment",
    "keep",
    "one_thread",
    "percent",
    "summaries",
    "trainings",
]
