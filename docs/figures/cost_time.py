"""Time of each form over the length of the text, with log axes."""

from math import ceil, floor, log10

from canvas import FAINT, MUTED, Canvas
from cost_data import LOOKS, WIDTH, Plot, groups, legend, median_ms, spoken

from mha.bench import PRODUCT

WAYS = {"forward": False, "forward and backward": True}


def values():
    """Milliseconds of each form, and of its products at the machine's full rate."""
    found = {"tokens": list(groups(WIDTH, False))}
    for way, backward in WAYS.items():
        rows = [
            [group.row(form) for group in groups(WIDTH, backward).values()]
            for form in LOOKS
        ]
        found[way] = {
            form: [median_ms(row) if row else None for row in line]
            for form, line in zip(LOOKS, rows)
        }
    found["limit"] = [
        float(f"{1000 * group.row('sdpa').operations / group.row(PRODUCT).rate:.4g}")
        for group in groups(WIDTH, False).values()
    ]
    return found


def label(values):
    """The picture in words."""
    last, words = values["tokens"][-1], []
    for way in WAYS:
        ends = (f"{form} {spoken(line[-1])} ms" for form, line in values[way].items())
        words.append(f"At {last:,} tokens, {way}: {', '.join(ends)}.")
    return (
        f"Milliseconds of each form, from {values['tokens'][0]} to {last:,} tokens, "
        f"with log axes. {' '.join(words)} The products alone, at the full rate of "
        f"this machine, would take {spoken(values['limit'][-1])} ms forward."
    )


def picture(values):
    """Draw a plot for each way."""
    plots = []
    for way in WAYS:
        numbers = [n for line in values[way].values() for n in line if n]
        if way == "forward":
            numbers += values["limit"]
        plots.append((way, floor(log10(min(numbers))), ceil(log10(max(numbers)))))
    height = 62 + sum(74 + 44 * (high - low) for _, low, high in plots)
    canvas = Canvas(height, label(values))
    y = legend(canvas, 8, LOOKS)
    canvas.path([(0, y), (26, y)], FAINT, 1.5)
    canvas.text(32, y + 4, "the products alone, at the full rate", MUTED, 12.5)
    y += 34
    for way, low, high in plots:
        canvas.text(0, y, f"Milliseconds, {way}", size=14, bold=True)
        plot = Plot(canvas, y + 18, values["tokens"], low, high)
        if way == "forward":
            points = [
                (plot.place(i), plot.height(n)) for i, n in enumerate(values["limit"])
            ]
            canvas.path(points, FAINT, 1.5)
        for form, line in values[way].items():
            plot.line(line, *LOOKS[form])
        y = plot.bottom + 56
    canvas.text(360, y - 20, "tokens", MUTED, 12, "end")
    return canvas.svg()
