"""Every number on the experiment's page is one of its results."""

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from prose import prose

from mha.experiment.files import Results, read_results
from mha.experiment.grammar import BANKS, ORDERS, QUESTIONS, ROLES, SLOTS, THINGS
from mha.experiment.runs import CENTRE, HEADS, SETTINGS, Run, Setting
from mha.experiment.summary import percent, setting_of

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs/chapters/6.1-multi-head-self-attention/experiment.md"
RESULTS = read_results(ROOT / "docs/measured/experiment.json")
LETTERS = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight"]


def at(runs: list[Run], setting: Setting, heads: int) -> list[Run]:
    return [run for run in runs if (setting_of(run), run.num_heads) == (setting, heads)]


def mean(runs: list[Run]) -> str:
    return percent(sum(run.all_right for run in runs) / len(runs))


def claims_about_the_result(runs: list[Run]) -> Iterator[str]:
    one, two, four, eight = (at(runs, CENTRE, heads) for heads in HEADS)
    assert mean(four) == mean(eight)
    yield (
        f"With one head {mean(one)} % of the sentences have all six answers right, "
        f"with two heads {mean(two)} %, with four and with eight {mean(four)} %."
    )
    reached = sorted(run.all_right for run in two)
    yield f"two heads reach from {percent(reached[0])} % to {percent(reached[-1])} %."
    easy = [run.accuracy[q] for run in one for q in (1, 2, 4, 5)]
    assert min(easy) >= 0.99
    yield "each in 99 % of the sentences or more"
    pairs = sorted(sorted((run.accuracy[0], run.accuracy[3])) for run in one)
    settled = [pair for pair in pairs if pair[1] > 0.95]
    assert len(settled) == 4
    yield (
        "In four of the five seeds it has settled for one of them, more than 95 % "
        f"right, and is right about the other in {percent(settled[0][0])} % to "
        f"{percent(settled[-1][0])} %; guessing among the seven other names would give "
        f"{percent(1 / 7)} %."
    )
    counts = {run.num_weights for run in runs if setting_of(run) == CENTRE}
    assert len(counts) == 1
    yield f"it is {counts.pop():,} for 1, 2, 4 and 8 heads."


def claims_about_heads(runs: list[Run]) -> Iterator[str]:
    four, eight = at(runs, CENTRE, 4)[0].lost, at(runs, CENTRE, 8)[0].lost
    assert max(loss for loss in four[1] if loss != four[1][1]) < 0.1
    assert all(sum(loss > 0.05 for loss in row) > 1 for row in four)
    yield (
        f"With four heads, head 2 is in charge of the doing, by {percent(four[1][1])} "
        "points, and the others serve several questions each."
    )
    assert max(eight[0][1:]) <= 0.005
    assert max(eight[5][:4]) <= 0.02 < 0.5 < eight[5][5]
    assert max(row[3] for row in eight) == eight[2][3]
    yield (
        f"without head 1 the giver is lost, by {percent(eight[0][0])} points, and "
        "nothing else; without head 6 the place is lost, by "
        f"{percent(eight[5][4])}, and with it the bank."
    )
    yield (
        f"it costs {percent(eight[2][3])} points without head 3 and "
        f"{percent(eight[6][3])} without head 7."
    )


def claims_about_looks() -> Iterator[str]:
    most = {}
    for form in ("active", "passive"):
        file = ROOT / f"docs/figures/experiment_looks_{form}.json"
        data = json.loads(file.read_text("utf-8"))
        most[form] = [
            data["words"][row.index(max(row))] for row in data["attn_weights"]["8"]
        ]
    assert (most["active"][0], most["passive"][0]) == ("Anna", "Ben")  # the givers
    assert most["active"].count("bank") == most["passive"].count("bank") == 2
    yield "Of the eight heads, head 1 finds the giver wherever that name stands"
    assert (most["active"][2], most["passive"][2]) == ("Ben", "At")
    assert most["passive"][6] == "Anna"
    yield (
        "Head 3 looks at the receiver in the active sentence and at *At* in the "
        "passive one, where head 7 has found the receiver"
    )


def claims_about_difficulty(runs: list[Run]) -> Iterator[str]:
    def row(setting: Setting) -> list[str]:
        return [mean(at(runs, setting, heads)) for heads in HEADS]

    steps = replace(CENTRE, steps=2 * CENTRE.steps)
    easy, harder, wide, long = (
        row(replace(CENTRE, words=2)),
        row(replace(CENTRE, words=4)),
        row(replace(CENTRE, width=32)),
        row(steps),
    )
    assert easy[0] == "100"
    yield f"The middle is {CENTRE.words} words of each kind and width {CENTRE.width}."
    yield "With 2 words of each kind it answers everything, in every seed"
    yield (
        f"With 4 words it is down to {harder[0]} %; with {CENTRE.words}, the middle, "
        f"it is down to {mean(at(runs, CENTRE, 1))} %, and there neither width 32 "
        f"({wide[0]} %) nor twice the training ({long[0]} %) mends it."
    )
    yield f"Two heads, too, stay at {long[1]} % with twice the training"
    _, two, four, eight = row(replace(CENTRE, words=16))
    yield (
        f"With 16 words, more than this width holds at ease, 2 heads answer {two} %, "
        f"4 heads {four} %, 8 heads {eight} %."
    )
    _, two, four, eight = row(replace(CENTRE, width=8))
    yield (
        f"At width 8 the order is the same, {two} %, {four} % and {eight} %, although "
        "each of 8 heads is then a single number wide."
    )
    yield (
        "with 2 words of each kind, where one head is right in everything, two heads "
        f"reach {easy[1]} % and four {easy[2]} %."
    )


def test_the_middle_has_the_smallest_width_that_will_do():
    said = (
        "With half that width no number of heads answers nearly everything; with the "
        "middle's, four heads and eight do."
    )
    runs = RESULTS.runs
    half, full = (
        [mean(at(runs, setting, heads)) for heads in HEADS]
        for setting in (replace(CENTRE, width=CENTRE.width // 2), CENTRE)
    )

    assert said in prose(PAGE)
    assert max(map(int, half)) < 50
    assert [heads for heads, share in zip(HEADS, full) if int(share) >= 99] == [4, 8]


def test_eight_heads_are_nowhere_clearly_worse_than_four():
    runs = RESULTS.runs
    shares = {
        setting: [
            sum(run.all_right for run in group) / len(group)
            for group in (at(runs, setting, 4), at(runs, setting, 8))
        ]
        for setting in SETTINGS
    }

    assert all(eight > four - 0.01 for four, eight in shares.values())
    assert shares[CENTRE][1] < shares[CENTRE][0]
    assert sum(run.all_right < 0.99 for run in at(runs, CENTRE, 8)) == 1


def narrow(run: Run) -> list[list[float]]:
    """The heads that give more than half to the word of one role."""
    return [row for row in run.looks if max(row[: len(ROLES)]) > 0.5]


def claims_about_seeds(runs: list[Run]) -> Iterator[str]:
    fours, eights = at(runs, CENTRE, 4), at(runs, CENTRE, 8)
    yield (
        f"With four heads {sum(len(narrow(run)) for run in fours)} of the "
        f"{4 * len(fours)} heads give more than half of their attention to the word of "
        f"one role, with eight heads {sum(len(narrow(run)) for run in eights)} of the "
        f"{8 * len(eights)}."
    )
    where, thing, bank = (
        ROLES.index("where"),
        ROLES.index("what"),
        QUESTIONS.index("which bank"),
    )
    heads = [max(range(8), key=lambda h: run.looks[h][where]) for run in eights]
    shares = sorted(run.looks[head][where] for run, head in zip(eights, heads))
    assert len(set(heads)) == len(eights) == 5
    yield (
        f"which gives it between {percent(shares[0])} % and {percent(shares[-1])} % of "
        "its attention"
    )
    givers = [any(row[0] > 0.5 for row in run.looks) for run in eights]
    yield (
        "A head with more than half for the giver is there in "
        f"{LETTERS[sum(givers)]} of the five."
    )
    costs = [
        sorted((row[bank], head) for head, row in enumerate(run.lost)) for run in eights
    ]
    assert [ranked[-1][1] for ranked in costs] == heads
    seconds = [run.looks[ranked[-2][1]] for run, ranked in zip(eights, costs)]
    things = sum(row[thing] == max(row) for row in seconds)
    yield (
        f"by {percent(min(ranked[-1][0] for ranked in costs))} points or more, without "
        "the head for the place, and by "
        f"{percent(min(ranked[-2][0] for ranked in costs))} points or more without "
        f"a second one, in {LETTERS[things]} of the five the head that looks at the "
        "thing most."
    )
    spared = sum(max(row) <= 0.005 for run in eights for row in run.lost)
    yield f"of {8 * len(eights)}, only {LETTERS[spared]} can be switched off"


def claims_about_the_source(results: Results) -> Iterator[str]:
    born = results.provenance
    yield f"{len(results.sentences)} sentences are asked."
    yield "[1], [2], [4] and [8] heads"
    yield f"| machine | {born['machine']}, {born['system']}, one thread |"
    yield f"| versions | Python {born['python']}, PyTorch {born['torch']} |"
    yield f"| date | {born['date']} |"
    yield (
        f"| time | {born['seconds']} seconds in all, {born['processor_seconds']} of "
        "them of one processor |"
    )
    seeds = ", ".join(map(str, born["seeds"]))
    yield f"| seeds | {seeds} in the middle, the first three elsewhere |"


def told_by_the_grammar(text: str) -> list[str]:
    """The answers to a sentence, found by the order that it fits."""
    said = text[0].lower() + text[1:-1] if text[:2] in ("At", "Th") else text[:-1]
    (found,) = (
        dict(zip(order, said.split()))
        for order in ORDERS
        if len(order) == len(said.split()) + 1
        and all(
            slot in SLOTS or slot == word for slot, word in zip(order, said.split())
        )
    )
    telling = BANKS[THINGS.index(found["WHAT"]) % 2]
    bank = telling if found["WHERE"] == "bank" else "no bank"
    return [*(found[slot] for slot in SLOTS), bank]


def test_every_number_of_the_page_is_one_of_the_results():
    rest = prose(PAGE)
    results = RESULTS
    claims = [
        *claims_about_the_result(results.runs),
        *claims_about_heads(results.runs),
        *claims_about_looks(),
        *claims_about_difficulty(results.runs),
        *claims_about_seeds(results.runs),
        *claims_about_the_source(results),
    ]

    missing = [claim for claim in claims if rest.count(claim) != 1]
    for claim in claims:
        rest = rest.replace(claim, "")

    assert missing == []
    assert re.findall(r"[^.]*\d[^.]*", rest) == []


def test_the_answers_of_the_sample_sentences_are_right():
    samples = re.findall(r"^- \*(.+?)\* Who\? (.+)$", PAGE.read_text("utf-8"), re.M)

    for text, told in samples:
        given = [words.rstrip(".") for words in re.findall(r"\*\*(.+?)\*\*", told)]
        assert given == told_by_the_grammar(text)
    assert len(samples) == 3
