"""What is lost when one head is switched off: heads and questions."""

from canvas import Canvas
from experiment_data import cells, heading_row, results
from experiment_heads import named

from mha.experiment import CENTRE, QUESTIONS, percent
from mha.experiment.summary import setting_of

LEFT, WIDTH, ROW = 64, 49, 24


def values():
    """The accuracy lost without each head, in the model of the first seed."""
    first = [
        run for run in results().runs if setting_of(run) == CENTRE and run.seed == 0
    ]
    return {
        "questions": list(QUESTIONS),
        "accuracy": {str(run.num_heads): run.accuracy for run in first},
        "lost": {str(run.num_heads): run.lost for run in first},
    }


def label(values):
    """The picture in words."""
    parts = []
    for heads, table in values["lost"].items():
        for head, row in enumerate(table, 1):
            most = max(row)
            question = values["questions"][row.index(most)]
            parts.append(f"head {head} of {heads}: {percent(most)} of “{question}”")
    return (
        "Percentage points of right answers that are lost when one head is switched "
        "off. The most that each costs: " + "; ".join(parts) + "."
    )


def picture(values):
    """Draw a table for each head count."""
    heads = sum(len(table) for table in values["lost"].values())
    canvas = Canvas(44 + 34 * len(values["lost"]) + ROW * heads, label(values))
    heading_row(canvas, LEFT, 30, WIDTH, values["questions"])
    y = 36
    for count, table in values["lost"].items():
        canvas.text(0, y + 20, named(int(count)), size=13, bold=True)
        y += 26
        for head, row in enumerate(table, 1):
            canvas.text(0, y + 17, f"head {head}", size=12)
            cells(canvas, LEFT, y, (WIDTH, ROW), row)
            y += ROW
        y += 8
    return canvas.svg()
