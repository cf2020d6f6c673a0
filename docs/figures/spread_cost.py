"""Two processes on one processor beside one process, as docs/measured/ has it."""

from pathlib import Path
from statistics import quantiles

from canvas import FAINT, HEADS, INK, MUTED, TIMES, WRONG, Canvas, number

from mha import measured

MEASURED = Path(__file__).parents[1] / "measured" / "parallel.json"
WAYS = {
    "one_thread": "1 process, 1 thread",
    "two_threads": "1 process, 2 threads",
    "two_processes": "2 processes, 1 thread each",
    "two_sums": "two all-reduces by themselves",
}
COLORS = dict(zip(WAYS, (FAINT, HEADS[0], HEADS[1], HEADS[3])))
ROW, ROOM = 36, 270


def values():
    """Quartiles of the measured times, as multiples of one thread's median."""
    record = measured.read(MEASURED, "heads in two processes")
    names = "b", "num_tokens", "d_out", "num_heads"
    results = []
    for result in record["results"]:
        quarters = {way: quantiles(result["seconds"][way], n=4) for way in WAYS}
        unit = quarters["one_thread"][1]
        results.append(
            {name: result[name] for name in names}
            | {"milliseconds": round(1000 * unit, 1)}
            | {way: [round(q / unit, 4) for q in quarters[way]] for way in WAYS}
        )
    born = record["provenance"]
    about = {name: born[name] for name in ("machine", "load_before", "date")}
    about["versions"] = f"Python {born['python']}, torch {born['torch']}"
    return about | {"results": results}


def busy(values):
    """Whether the machine had so much other work that the times say little."""
    return values["load_before"] is not None and values["load_before"] > 1


def described(result):
    """One size in words."""
    return (
        f"b={result['b']}, num_tokens={result['num_tokens']}, "
        f"d_out={result['d_out']}, {result['num_heads']} heads"
    )


def spoken(result):
    """One size and its medians in words."""
    medians = (f"{WAYS[way]} {number(result[way][1])}" for way in WAYS)
    return f"{described(result)}: {', '.join(medians)}"


def bars(canvas, y, result, scale):
    """Draw the four ways of one size below each other."""
    canvas.text(0, y, described(result), size=12.5, bold=True)
    for i, (way, words) in enumerate(WAYS.items()):
        top = y + 8 + ROW * i
        low, median, high = (scale * share for share in result[way])
        canvas.text(0, top + 12, words, MUTED, 12)
        canvas.rect(0, top + 16, max(median, 1.5), 12, COLORS[way], 0.4)
        canvas.path([(low, top + 22), (high, top + 22)], INK, 1.5)
        label = f"{TIMES} {number(result[way][1])}"
        if way == "one_thread":
            label = f"{number(result['milliseconds'], 0)} ms"
        canvas.text(max(median, high) + 7, top + 26.5, label, size=12, mono=True)


def picture(values):
    """Draw a group of bars for each size, then where it was measured."""
    results = values["results"]
    group = ROW * len(WAYS) + 40
    height = 46 + group * len(results) + 42
    canvas = Canvas(
        height,
        "Time forward and back, as multiples of one process with one thread. "
        + "; ".join(spoken(result) for result in results)
        + f". Measured on {values['machine']}, {values['versions']}, "
        f"{values['date']}"
        + (", while other work was running." if busy(values) else "."),
    )
    canvas.heading(14, "Two processes on one processor")
    widest = max(result[way][2] for result in results for way in WAYS)
    for i, result in enumerate(results):
        bars(canvas, 46 + group * i, result, ROOM / widest)
    y = 46 + group * len(results)
    if busy(values):
        words = "Other work was running: take these as provisional."
        canvas.text(0, y - 22, words, WRONG, 12.5, bold=True)
    canvas.text(0, y, "Bars: medians; lines: the middle half of the rounds.", size=12)
    where = f"{values['machine']}; load before: {values['load_before']}"
    canvas.text(0, y + 17, where, MUTED, 12)
    canvas.text(0, y + 34, f"{values['versions']}, {values['date']}", MUTED, 12)
    return canvas.svg()
