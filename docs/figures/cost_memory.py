"""Memory of each form over the length of the text, with log axes."""

from math import ceil, floor, log10

from canvas import MUTED, Canvas
from cost_data import LOOKS, WIDTH, Plot, groups, legend, spoken


def values():
    """Megabytes beyond weights, input and output, in a forward call."""
    found = groups(WIDTH, False)
    return {
        "tokens": list(found),
        "forms": {
            form: [
                float(f"{row.extra_bytes / 1e6:.4g}") if row else None
                for row in (group.row(form) for group in found.values())
            ]
            for form in LOOKS
        },
    }


def picture(values):
    """Draw a line for each form."""
    tokens, forms = values["tokens"], values["forms"]
    ends = (f"{form} {spoken(line[-1])} MB" for form, line in forms.items())
    numbers = [n for line in forms.values() for n in line if n]
    low, high = floor(log10(min(numbers))), ceil(log10(max(numbers)))
    canvas = Canvas(
        124 + 44 * (high - low),
        f"Megabytes that a forward call holds at once, from {tokens[0]} to "
        f"{tokens[-1]:,} tokens, with log axes. At {tokens[-1]:,} tokens: "
        f"{', '.join(ends)}.",
    )
    y = legend(canvas, 8, LOOKS) + 26
    canvas.text(0, y, "Megabytes, forward", size=14, bold=True)
    plot = Plot(canvas, y + 18, tokens, low, high)
    for form, line in forms.items():
        plot.line(line, *LOOKS[form])
    canvas.text(360, plot.bottom + 34, "tokens", MUTED, 12, "end")
    return canvas.svg()
