"""Why several heads: one small task, trained and measured; only heads change."""

from mha.experiment.files import Results, check_folder, examination, keep, provenance
from mha.experiment.grammar import QUESTIONS
from mha.experiment.reader import Reader, one_thread
from mha.experiment.runs import (
    CENTRE,
    HEADS,
    SETTINGS,
    Run,
    Training,
    experiment,
    trainings,
)
from mha.experiment.summary import Summary, summaries

__all__ = [
    "CENTRE",
    "HEADS",
    "QUESTIONS",
    "SETTINGS",
    "Reader",
    "Results",
    "Run",
    "Summary",
    "Training",
    "check_folder",
    "examination",
    "experiment",
    "keep",
    "one_thread",
    "provenance",
    "summaries",
    "trainings",
]
