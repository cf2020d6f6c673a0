"""What the checker says of a layer."""

from dataclasses import dataclass
from typing import Literal

Status = Literal["right", "wrong", "unfinished", "unjudged"]
Form = Literal["causal", "stacked", "fused", "grouped"]
WORDS: dict[Form, str] = {
    "causal": "one head of causal self-attention",
    "stacked": "a list of heads of causal self-attention, glued",
    "fused": "causal self-attention with all heads at once",
    "grouped": "causal self-attention whose heads share keys and values",
}


@dataclass(frozen=True)
class Finding:
    """One mistake, the first cause of what is wrong.

    Attributes:
        code: Stable name in words, such as `mask-inverted`.
        wrong: What is wrong, in a sentence.
        seen: What was seen, with numbers.
        expected: What a right layer does instead.
        ask: A question that leads to the line.
        link: The page that explains it.
    """

    code: str
    wrong: str
    seen: str
    expected: str
    ask: str
    link: str

    def __str__(self) -> str:
        """The finding as a few lines to read."""
        return (
            f"{self.wrong} ({self.code})\n"
            f"  seen      {self.seen}\n"
            f"  expected  {self.expected}\n"
            f"  ask       {self.ask}\n"
            f"  read      {self.link}"
        )


@dataclass(frozen=True)
class Report:
    """What became of one layer.

    Attributes:
        status: `right`, `wrong` (see finding), `unfinished` or `unjudged` (see note).
        form: The form it was judged as; None where that could not be told.
        finding: What is wrong; None unless the status is `wrong`.
        note: Why it was not judged, or the next step; empty where there is none.
    """

    status: Status
    form: Form | None = None
    finding: Finding | None = None
    note: str = ""

    def __str__(self) -> str:
        """The report as a few lines to read."""
        if self.finding is not None:
            return str(self.finding)
        if self.status == "right":
            return f"Right: {WORDS[self.form or 'fused']}.\n{self.note}".rstrip()
        return self.note
