"""What many runs say together."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import mean

from mha.experiment.grammar import QUESTIONS
from mha.experiment.runs import Run, Setting


@dataclass(frozen=True)
class Summary:
    """What models of one setting and one head count can do, over their seeds."""

    setting: Setting
    num_heads: int
    all_right: list[float]  # of each seed
    accuracy: list[float]  # of each question, the mean over the seeds

    @property
    def mean(self) -> float:
        """The mean share of sentences with every answer right."""
        return mean(self.all_right)


def percent(share: float) -> str:
    """A share as whole percents, 100 only if nothing is wrong."""
    return "99" if 0.995 <= share < 1 else str(round(100 * share))


def setting_of(run: Run) -> Setting:
    """How hard it was."""
    return Setting(run.words, run.width, run.steps)


def summaries(runs: Sequence[Run]) -> list[Summary]:
    """The runs in groups that differ in their seeds only, in the order of the runs."""
    groups: dict[tuple[Setting, int], list[Run]] = {}
    for run in runs:
        groups.setdefault((setting_of(run), run.num_heads), []).append(run)
    return [
        Summary(
            setting,
            num_heads,
            [run.all_right for run in group],
            [mean(run.accuracy[q] for run in group) for q in range(len(QUESTIONS))],
        )
        for (setting, num_heads), group in groups.items()
    ]
