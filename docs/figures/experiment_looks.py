"""Where each head of the full stop looks, word by word, in two sentences."""

from canvas import MUTED, TEAL, Canvas, shade
from chapter import rounded
from experiment_data import MEASURED
from experiment_heads import named

from mha.experiment import HEADS, percent
from mha.experiment.files import read_model
from mha.experiment.grammar import read
from mha.experiment.model import looks

SENTENCES = (
    "Anna sold Ben the oar at the bank.",
    "At the bank Anna was sold the mask by Ben.",
)
LEFT, COLUMN, ROW = 50, 35, 22
BLOCKS = ((1, 2, 4), (8,))  # head counts that stand side by side


class Sheet:
    """The picture of one sentence."""

    def __init__(self, text):
        self.text = text

    def values(self):
        """The weights of the full stop in the published models."""
        tokens, ends = read([self.text], 8)
        attention = {}
        for heads in HEADS:
            model, _ = read_model(MEASURED / f"experiment_heads_{heads}.json")
            table = looks(model, tokens, ends)[0, :, : int(ends[0]) + 1]
            attention[str(heads)] = rounded(table)
        words = [*self.text.removesuffix(".").split(), "."]
        return {"words": words, "attn_weights": attention}

    def picture(self, values):
        """Draw the words below one another, and a column for each head."""
        words = values["words"]
        canvas = Canvas(len(BLOCKS) * (44 + ROW * len(words)) + 10, label(values))
        y = 0
        for block in BLOCKS:
            x = LEFT
            for row, word in enumerate(words):
                canvas.text(0, y + 60 + ROW * row - 4, word)
            for heads in block:
                canvas.text(x + 2, y + 14, named(heads), bold=True)
                for head, weights in enumerate(values["attn_weights"][str(heads)]):
                    canvas.text(
                        x + COLUMN / 2, y + 34, str(head + 1), MUTED, 12, "middle"
                    )
                    for row, weight in enumerate(weights):
                        place = (x, y + 40 + ROW * row, COLUMN, ROW)
                        canvas.cell(*place, percent(weight), TEAL, shade(weight, 1))
                    x += COLUMN
                x += 24
            y += 50 + ROW * len(words)
        return canvas.svg()


def label(values):
    """The picture in words."""
    parts = []
    for heads, table in values["attn_weights"].items():
        for head, weights in enumerate(table, 1):
            most = max(weights)
            word = values["words"][weights.index(most)]
            parts.append(f"head {head} of {heads}: “{word}” {percent(most)}")
    return (
        f"“{' '.join(values['words'][:-1])}.” Percent of attention that each head of "
        "the full stop gives to each word. The most: " + "; ".join(parts) + "."
    )


SHEETS = {
    "experiment_looks_active": Sheet(SENTENCES[0]),
    "experiment_looks_passive": Sheet(SENTENCES[1]),
}
