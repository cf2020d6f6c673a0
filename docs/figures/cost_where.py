"""Where the time of a forward call goes: PyTorch's operators, by what they do."""

from canvas import FAINT, HEADS, INK, MUTED, TEAL, Canvas
from cost_data import WIDTH, groups, spoken

KINDS = {  # what operators do, and their names in PyTorch
    "projections": ("aten::mm", "aten::addmm"),
    "scores and averages": ("aten::bmm",),
    "softmax": ("aten::_softmax",),
    "fill": ("aten::masked_fill_",),
    "kernel": ("aten::_scaled_dot_product_flash_attention_for_cpu",),
}
COLORS = dict(zip((*KINDS, "rest"), (FAINT, HEADS[0], HEADS[1], HEADS[3], TEAL, INK)))
FORMS = ("stacked", "fused", "sdpa")
ROOM = 285


def parts(row):
    """Milliseconds of each kind: its share of the profile, of the timed median."""
    shares = dict.fromkeys((*KINDS, "rest"), 0.0)
    for operator in row.operators:
        kinds = [kind for kind, names in KINDS.items() if operator.name in names]
        shares[kinds[0] if kinds else "rest"] += operator.share
    return {
        kind: float(f"{1000 * row.median * share:.4g}")
        for kind, share in shares.items()
    }


def values():
    """For two lengths and each form, where its time goes."""
    found = groups(WIDTH, False)
    return {
        str(length): {
            form: parts(row)
            for form, row in ((form, found[length].row(form)) for form in FORMS)
            if row
        }
        for length in (256, max(found))
    }


def told(name, kinds):
    """One form in words."""
    known = [f"{kind} {spoken(ms)} ms" for kind, ms in kinds.items() if ms >= 0.1]
    return f"{name}: {', '.join(known)}"


def picture(values):
    """Draw a bar for each form, in pieces."""
    canvas = Canvas(
        70 + sum(40 + 46 * len(forms) for forms in values.values()),
        "Where the time of a forward call goes. "
        + " ".join(
            f"At {int(length):,} tokens, {'; '.join(map(told, forms, forms.values()))}."
            for length, forms in values.items()
        ),
    )
    for i, kind in enumerate(COLORS):
        x, y = 150 * (i % 2), 10 + 18 * (i // 2)
        canvas.rect(x, y - 10, 14, 12, COLORS[kind], 0.55)
        canvas.text(x + 20, y, kind, MUTED, 12.5)
    y = 84
    for length, forms in values.items():
        canvas.text(0, y, f"{int(length):,} tokens", size=14, bold=True)
        longest = max(sum(kinds.values()) for kinds in forms.values())
        for form, kinds in forms.items():
            y += 20
            canvas.text(0, y, form, size=12.5)
            x = 0
            for kind, ms in kinds.items():
                width = ROOM * ms / longest
                canvas.rect(x, y + 6, width, 16, COLORS[kind], 0.55, radius=0)
                x += width
            total = f"{spoken(sum(kinds.values()))} ms"
            canvas.text(x + 6, y + 19, total, size=12, mono=True)
            y += 26
        y += 40
    return canvas.svg()
