"""What is measured, as records that a file can hold."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median, quantiles
from typing import Any

from mha import measured
from mha.bench.cost import Operator

KIND = "mha bench"
REFERENCE = "MultiheadAttention"
PRODUCT = "matrix product"
KERNEL = "kernel alone"


@dataclass(frozen=True)
class Setting:
    """One size at which all forms are compared.

    Args:
        device: `cpu` or `cuda`.
        dtype: Number format, as `float32`.
        width: Width of each token that comes in, and of each that goes out.
        num_heads: Number of heads.
        num_tokens: Tokens of the one text.
        backward: Whether gradients are computed too.
    """

    device: str
    dtype: str
    width: int
    num_heads: int
    num_tokens: int
    backward: bool


@dataclass(frozen=True)
class Row:
    """What one form costs at one setting.

    Args:
        form: The name of the form.
        compiled: Whether it went through `torch.compile`.
        times: Seconds per call, one number for each round; none where it did not run.
        operations: The multiplications and additions that the result needs, in a
            forward call; 0 where they are not counted.
        extra_bytes: Memory at the highest point beyond weights, gradients, input and
            output.
        difference: The largest difference from the first form, in steps of the number
            format (eps times the largest output).
        operators: Where a forward call spends its time, for some forms.
        note: Why it did not run; empty where it did.
    """

    form: str
    compiled: bool = False
    times: tuple[float, ...] = ()
    operations: int = 0
    extra_bytes: int | None = None
    difference: float | None = None
    operators: tuple[Operator, ...] = ()
    note: str = ""

    @property
    def name(self) -> str:
        """The form, and whether it is compiled."""
        return f"{self.form}, compiled" if self.compiled else self.form

    @property
    def wrong(self) -> bool:
        """Whether it computes something else than the first form."""
        return bool(self.note) and self.difference is not None

    @property
    def median(self) -> float:
        """Seconds per call, the median of all rounds."""
        return median(self.times)

    @property
    def rate(self) -> float:
        """Operations per second."""
        return self.operations / self.median


@dataclass(frozen=True)
class Group:
    """All that was timed in turn: one setting, and a row for each form."""

    setting: Setting
    rows: tuple[Row, ...]

    def row(self, name: str) -> Row | None:
        """The row of that name, if it ran."""
        return next((row for row in self.rows if row.name == name and row.times), None)


@dataclass(frozen=True)
class Results:
    """A run: where and how (`measured.provenance`), whether it ended, groups."""

    provenance: Mapping[str, Any]
    complete: bool
    groups: tuple[Group, ...]


@dataclass(frozen=True)
class Spread:
    """A median and the two quartiles around it."""

    low: float
    median: float
    high: float


def spread(numbers: Sequence[float]) -> Spread:
    """Median and quartiles; of a single number it is that number."""
    if len(numbers) == 1:
        return Spread(numbers[0], numbers[0], numbers[0])
    return Spread(*quantiles(numbers, n=4, method="inclusive"))


def ratio(row: Row, reference: Row) -> Spread:
    """How many times as long as another a form takes, round by round."""
    return spread([time / other for time, other in zip(row.times, reference.times)])


def write(path: Path, results: Results) -> None:
    """Write a run as JSON.

    Raises:
        OSError: If the file cannot be written.
    """
    data = asdict(results)
    measured.write(path, {"kind": KIND, **data, "groups": list(data["groups"])})


def read(path: Path) -> Results:
    """Read a run that `write` wrote.

    Raises:
        OSError: If the file cannot be read.
        ValueError: If it holds something else.
    """
    found = measured.read(path, KIND)
    try:
        groups = tuple(group_of(group) for group in found["groups"])
        return Results(found["provenance"], found["complete"], groups)
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise ValueError(
            f"{path} must hold a run of this version of {KIND!r}, got {error!r}"
        ) from error


def group_of(found: dict[str, Any]) -> Group:
    """A group out of what JSON holds of it."""
    return Group(Setting(**found["setting"]), tuple(map(row_of, found["rows"])))


def row_of(found: dict[str, Any]) -> Row:
    """A row out of what JSON holds of it."""
    found["times"] = tuple(map(float, found["times"]))
    found["operators"] = tuple(Operator(**one) for one in found["operators"])
    return Row(**found)
