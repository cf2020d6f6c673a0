"""Every number on the page of the costs is one of the results."""

import re
import statistics
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch
from prose import prose

from mha import measured
from mha.bench import (
    KERNEL,
    PRODUCT,
    REFERENCE,
    WIDTHS,
    Group,
    Row,
    full_plan,
    ratio,
    read,
)
from mha.bench.rounds import COMPILED, TOKENS

TIMES = "\u00d7"
ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs/chapters/6.1-multi-head-self-attention/cost.md"
RESULTS = read(ROOT / "docs/measured/bench-cpu.json")
LISTING = measured.read(ROOT / "docs/measured/listing.json", "what the listing gained")
MEMORY = measured.read(ROOT / "docs/measured/memory.json", "what fresh memory costs")
GROUPS = {
    (group.setting.width, group.setting.backward, group.setting.num_tokens): group
    for group in RESULTS.groups
}
FIRST, SECOND = (width for width, _ in WIDTHS)
LENGTHS = TOKENS["cpu"]
LONGEST = LENGTHS[-1]


def row(name: str, width: int, backward: bool, num_tokens: int) -> Row:
    found = GROUPS[width, backward, num_tokens].row(name)
    assert found is not None
    return found


def ratios(name: str, other: str, **only: object) -> list[float]:
    """How many times as long as another a form takes, at all sizes or some."""
    return [
        ratio(group.row(name), group.row(other)).median
        for group in RESULTS.groups
        if all(getattr(group.setting, key) == value for key, value in only.items())
    ]


def share(found: Row, group: Group) -> float:
    return found.rate / group.row(PRODUCT).rate


def operator_ms(found: Row, name: str) -> float:
    return sum(
        1000 * found.median * operator.share
        for operator in found.operators
        if operator.name == name
    )


def test_the_published_run_is_a_full_one():
    plan = full_plan("cpu", (), 5, compiled=True)

    assert RESULTS.complete
    assert len(RESULTS.groups) == plan.sizes
    for group in RESULTS.groups:
        assert all(len(found.times) == plan.rounds for found in group.rows)


def claims_about_equality() -> Iterator[str]:
    apart = max(found.difference or 0 for g in RESULTS.groups for found in g.rows)
    yield f"the largest difference of the whole run is {apart:.0f} such steps"


def claims_about_time() -> Iterator[str]:
    own = ratios("sdpa", REFERENCE)
    yield (
        f"In the {len(own)} settings it takes {TIMES}{min(own):.2f} to "
        f"{TIMES}{max(own):.2f} of the time of PyTorch's own module."
    )
    gain = {
        num_tokens: sorted(ratios("fused", "sdpa", num_tokens=num_tokens))
        for num_tokens in LENGTHS[-3:]
    }
    told = [
        f"{TIMES}{found[0]:.1f} to {TIMES}{found[-1]:.1f} at {num_tokens:,} tokens"
        for num_tokens, found in gain.items()
    ]
    yield (
        f"The fused listing takes {told[0]}, {told[1]} and {told[2]} of the kernel's "
        "time, over both widths and both ways."
    )
    settings = [found for sizes in gain.values() for found in sizes]
    yield (
        "We had aimed at twice as fast from 1,024 tokens on: in "
        f"{sum(found < 2 for found in settings)} of these {len(settings)} settings it "
        "is less."
    )
    (first,) = ratios("stacked", "fused", width=FIRST, backward=False, num_tokens=128)
    yield (
        f"At 128 tokens the list of heads takes {TIMES}{first:.2f} of "
        f"the fused form's time"
    )
    slower = [
        num_tokens
        for num_tokens in LENGTHS
        if ratios(
            "fused", "stacked", width=FIRST, backward=False, num_tokens=num_tokens
        )[0]
        > 1
    ]
    assert slower == list(LENGTHS[LENGTHS.index(slower[0]) :])
    (last,) = ratios(
        "fused", "stacked", width=FIRST, backward=False, num_tokens=LONGEST
    )
    yield (
        f"from {slower[0]:,} tokens on it is the other way round, and at {LONGEST:,} "
        f"tokens the fused form takes {TIMES}{last:.2f} of the time of the list."
    )
    (wide,) = ratios(
        "fused", "stacked", width=SECOND, backward=False, num_tokens=LONGEST
    )
    (back,) = ratios("fused", "stacked", width=FIRST, backward=True, num_tokens=LONGEST)
    yield (
        f"(With 8 heads in place of 12 it is {TIMES}{wide:.2f}, with backward "
        f"{TIMES}{back:.2f}.)"
    )


def claims_about_where_time_goes() -> Iterator[str]:
    stacked, fused = (row(form, FIRST, False, LONGEST) for form in ("stacked", "fused"))
    softmax = [operator_ms(found, "aten::_softmax") for found in (stacked, fused)]
    products = [operator_ms(found, "aten::bmm") for found in (stacked, fused)]
    yield (
        f"At {LONGEST:,} tokens its softmax takes {softmax[1]:.0f} ms, and the twelve "
        f"small ones of the list together {softmax[0]:.0f} ms; the products around it "
        f"take {products[1]:.0f} ms and {products[0]:.0f} ms."
    )
    heads = WIDTHS[0][1]
    yield (
        f"All scores at once are {heads * LONGEST**2 * 4 / 1e6:.0f} MB, those of one "
        f"head {LONGEST**2 * 4 / 1e6:.0f} MB."
    )


def claims_about_fresh_memory() -> Iterator[str]:
    def middle(way: str, form: str, num_tokens: int, what: str = "seconds") -> float:
        return statistics.median(
            found[what]
            for turn in MEMORY["rounds"]
            for found in turn[way]
            if (found["form"], found["num_tokens"]) == (form, num_tokens)
        )

    seconds = {
        (way, form): middle(way, form, LONGEST)
        for way in ("fresh", "kept")
        for form in ("stacked", "fused")
    }
    pages = [middle("fresh", form, LONGEST, "faults") for form in ("fused", "stacked")]
    yield (
        f"At {LONGEST:,} tokens the fused form then touches {pages[0]:,.0f} pages of "
        f"4,096 bytes for the first time, {pages[0] * 4096 / 1e6:,.0f} MB, and the "
        f"list {pages[1]:,.0f}."
    )
    yield (
        f"With fresh memory the list takes {seconds['fresh', 'stacked']:.2f} s and the "
        f"fused form {seconds['fresh', 'fused']:.2f} s, with kept memory "
        f"{seconds['kept', 'stacked']:.2f} s and {seconds['kept', 'fused']:.2f} s."
    )
    run = {
        form: row(form, FIRST, False, LONGEST).median for form in ("stacked", "fused")
    }
    assert abs(run["fused"] - seconds["fresh", "fused"]) < 0.1
    assert abs(run["stacked"] - seconds["kept", "stacked"]) < 0.1
    yield (
        f"In the run above the fused form took {run['fused']:.2f} s, as with fresh "
        f"memory, and the list {run['stacked']:.2f} s, nearly as with kept memory."
    )
    alike = [
        seconds[way, "fused"] / seconds[way, "stacked"] for way in ("fresh", "kept")
    ]
    assert max(alike) < 1
    yield (
        f"with fresh memory it takes {TIMES}{alike[0]:.2f} of the time of the list, "
        f"with kept memory {TIMES}{alike[1]:.2f}."
    )


def extra(form: str, num_tokens: int, backward: bool = False) -> float:
    return row(form, FIRST, backward, num_tokens).extra_bytes / 1e6


def claims_about_memory() -> Iterator[str]:
    yield (
        f"At {LONGEST:,} tokens the fused form holds {extra('fused', LONGEST):,.0f} "
        f"MB, the list of heads {extra('stacked', LONGEST):.0f} MB and the kernel "
        f"{extra('sdpa', LONGEST):.0f} MB."
    )
    growth = {
        form: extra(form, LONGEST) / extra(form, LONGEST // 4)
        for form in ("sdpa", "fused")
    }
    assert growth["sdpa"] <= 4.4
    yield (
        f"From {LONGEST // 4:,} to {LONGEST:,} tokens, four times as many, the "
        f"kernel's grows {TIMES}{growth['sdpa']:.1f} and the fused "
        f"form's {TIMES}{growth['fused']:.1f}."
    )
    back = extra("sdpa", LONGEST, True) / extra("sdpa", LONGEST // 4, True)
    assert back <= 4.4
    yield f"with backward the kernel's grows {TIMES}{back:.1f}"


def claims_about_the_limit() -> Iterator[str]:
    shares = {
        (width, name): share(row(name, width, False, LONGEST), group)
        for width in (FIRST, SECOND)
        for group in [GROUPS[width, False, LONGEST]]
        for name in ("sdpa", KERNEL)
    }
    rates = [
        group.row(PRODUCT).rate / 1e9
        for group in RESULTS.groups
        if not group.setting.backward
    ]
    yield "We had aimed at 80 % for both"
    yield (
        f"a product of two matrices of 2,048 by 2,048 ran at "
        f"{statistics.median(rates):.0f} thousand million operations a second"
    )
    yield (
        f"At {LONGEST:,} tokens the layer with heads of 64 numbers reaches "
        f"{shares[FIRST, 'sdpa']:.0%} of that rate".replace("%", " %")
    )
    yield (
        f"the kernel alone {shares[FIRST, KERNEL]:.0%}; with heads of 128 numbers they "
        f"reach {shares[SECOND, 'sdpa']:.0%} and {shares[SECOND, KERNEL]:.0%}."
    ).replace("%", " %")


def claims_about_compiling() -> Iterator[str]:
    found = {
        form: ratios(f"{form}, compiled", form, backward=False) for form in COMPILED
    }
    stacked, fused = found["stacked"], found["fused"]
    rest = found["sdpa"] + found["MultiheadAttention"]
    yield (
        f"Forward, the compiled list of heads takes {TIMES}{min(stacked):.2f} to "
        f"{TIMES}{max(stacked):.2f} of its time, the fused form "
        f"{TIMES}{min(fused):.2f} to "
        f"{TIMES}{max(fused):.2f}, and the two on the kernel {TIMES}{min(rest):.2f} to "
        f"{TIMES}{max(rest):.2f}."
    )
    plain, made = extra("fused", LONGEST), extra("fused, compiled", LONGEST)
    yield (
        f"the fused form's memory at {LONGEST:,} tokens falls from {plain:,.0f} MB to "
        f"{made:,.0f} MB"
    )
    plain, made = extra("stacked", LONGEST), extra("stacked, compiled", LONGEST)
    yield f"that of the list grows from {plain:,.0f} MB to {made:,.0f} MB"


def claims_about_the_fast_path() -> Iterator[str]:
    slow = ratios(
        "MultiheadAttention, fast path", REFERENCE, backward=False, num_tokens=LONGEST
    )
    yield (
        f"At {LONGEST:,} tokens it takes {TIMES}{min(slow):.1f} to "
        f"{TIMES}{max(slow):.1f} of the "
        "time of the same module off that path."
    )


def claims_about_the_listing() -> Iterator[str]:
    gains = {
        size["num_tokens"]: statistics.median(
            times["before"] / times["now"] for times in size["rounds"]
        )
        for size in LISTING["sizes"]
    }
    last = LISTING["sizes"][-1]
    assert last["num_tokens"] == LONGEST
    times = {
        way: statistics.median(times[way] for times in last["rounds"])
        for way in ("before", "now")
    }
    yield (
        f"At {LONGEST:,} tokens a forward call of 12 heads fell from "
        f"{times['before']:.1f} s to {times['now']:.1f} s."
    )
    peaks = {way: size / 1e6 for way, size in last["extra_bytes"].items()}
    yield (
        f"What it holds at once stays what it was, {peaks['before']:,.0f} MB and "
        f"{peaks['now']:,.0f} MB"
    )
    yield (
        f"The old way takes {TIMES}{gains[LONGEST]:.2f} of the new one's time there, "
        f"{TIMES}{gains[1024]:.2f} at 1,024 tokens and {TIMES}{gains[128]:.2f} at 128, "
        "where scores are few."
    )


def claims_about_the_source() -> Iterator[str]:
    born = RESULTS.provenance
    yield (
        f"| machine | {born['machine']}, {born['system']}, {born['threads']} threads |"
    )
    yield f"| versions | Python {born['python']}, PyTorch {born['torch']} |"
    yield f"| date | {born['date']} |"
    same = ("machine", "system", "threads", "python", "torch", "date")
    for other in LISTING, MEMORY:
        assert [other["provenance"][key] for key in same] == [born[key] for key in same]


def test_every_number_of_the_page_is_one_of_the_results():
    rest = prose(PAGE)
    claims = [
        *claims_about_equality(),
        *claims_about_time(),
        *claims_about_where_time_goes(),
        *claims_about_fresh_memory(),
        *claims_about_memory(),
        *claims_about_the_limit(),
        *claims_about_compiling(),
        *claims_about_the_fast_path(),
        *claims_about_the_listing(),
        *claims_about_the_source(),
    ]

    missing = [claim for claim in claims if rest.count(claim) != 1]
    for claim in claims:
        rest = rest.replace(claim, "")

    assert missing == []
    assert re.findall(r"[^.]*\d[^.]*", rest) == []


@pytest.mark.parametrize("name", ["before", "now"])
def test_the_command_that_measured_the_listing_measures(name: str):
    import runpy

    script = runpy.run_path(str(ROOT / "docs/measured/listing.py"))
    torch.manual_seed(123)

    found = script["measure"](6)

    assert found["extra_bytes"][name] > 0
    assert len(found["rounds"]) == script["ROUNDS"]
