"""The pictures of the pages show what the package computes."""

import importlib
import json
import re
import sys
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
import torch

from mha import CausalAttention
from mha.examples import inputs
from mha.mistakes.heads import MergeWithoutTranspose, SplitWithoutTranspose
from mha.mistakes.layer import Layer

FIGURES = Path(__file__).parents[1] / "docs" / "figures"
sys.path.append(str(FIGURES))
chapter = importlib.import_module("chapter")
canvas = importlib.import_module("canvas")
gallery = importlib.import_module("gallery")
tables = importlib.import_module("tables")
NAMES = list(gallery.PICTURES)
CURE = "draw the pictures again with `make figures`"

# Data has four digits. Another machine may round the last one the other way, and a
# number printed to four digits is itself off by half of the last: 2e-4 covers both.
TOLERANCE = 2e-4


def data(name):
    return json.loads((FIGURES / f"{name}.json").read_text("utf-8"))


def svg(name):
    return (FIGURES / f"{name}.svg").read_bytes().decode("utf-8")


def elements(name):
    return list(ET.fromstring(svg(name)).iter())


def differences(written, computed, place=""):
    """Places where two trees of data differ, with what is at each."""
    pair = f"{place} is {written} in the file and {computed} in the package"
    if isinstance(written, bool) or isinstance(computed, bool | str):
        return [] if written == computed else [pair]
    if isinstance(written, int | float) and isinstance(computed, int | float):
        return [] if abs(written - computed) <= TOLERANCE else [pair]
    if type(written) is not type(computed) or len(written) != len(computed):
        return [pair]
    if isinstance(written, list):
        written, computed = dict(enumerate(written)), dict(enumerate(computed))
    if not isinstance(written, dict) or written.keys() != computed.keys():
        return [pair]
    return [
        difference
        for key in written
        for difference in differences(written[key], computed[key], f"{place}[{key!r}]")
    ]


def check_data(name, written):
    stale = differences(written, gallery.PICTURES[name].values())
    assert not stale, f"docs/figures/{name}.json{stale[0]}: {CURE}"


def check_picture(name, written):
    fresh = gallery.PICTURES[name].picture(data(name))
    assert written == fresh, f"docs/figures/{name}.svg is not its data drawn: {CURE}"


@pytest.mark.parametrize("name", NAMES)
def test_data_is_what_the_package_computes(name):
    check_data(name, data(name))


@pytest.mark.parametrize("name", tables.TABLES)
def test_table_is_what_was_measured(name):
    written = (FIGURES / f"{name}.table").read_text("utf-8")

    stale = f"docs/figures/{name}.table is not what was measured: {CURE}"
    assert written == tables.TABLES[name](), stale


@pytest.mark.parametrize("name", NAMES)
def test_picture_is_its_data_drawn(name):
    check_picture(name, svg(name))


@pytest.mark.parametrize("name", gallery.DATA)
def test_data_without_a_picture_is_what_the_package_computes(name):
    stale = differences(data(name), gallery.DATA[name].values())
    assert not stale, f"docs/figures/{name}.json{stale[0]}: {CURE}"


def tensor_of(step):
    """The tensor that a step of the split describes."""
    return torch.tensor(step["memory"]).as_strided(step["shape"], step["strides"])


@pytest.mark.parametrize("num_heads", [1, 2, 4])
def test_steps_of_the_split_are_made_by_the_code_beside_them(num_heads):
    steps = data("split_steps")[str(num_heads)]
    before = {"cut": "project", "transposed": "cut", "straight": "project"}
    before |= {"back": "worked", "copied": "back", "glued": "copied"}
    before |= {"unglued": "worked"}

    for name, earlier in before.items():
        made = eval(
            f"tensor.{steps[name]['code']}", {"tensor": tensor_of(steps[earlier])}
        )
        assert made.tolist() == tensor_of(steps[name]).tolist()
        assert list(made.shape) == steps[name]["shape"]
        assert list(made.stride()) == steps[name]["strides"]


@pytest.mark.parametrize("num_heads", [1, 2, 4])
def test_steps_of_the_split_say_what_moves(num_heads):
    steps = data("split_steps")[str(num_heads)]
    before = {"transposed": "cut", "back": "worked", "copied": "back"}
    before |= {"worked": "transposed"}
    moved = {
        name: steps[name]["memory"] != steps[earlier]["memory"]
        for name, earlier in before.items()
    }
    in_order = [steps[name]["memory"] == list(range(12)) for name in before]

    assert moved == {
        name: num_heads > 1 and name in ("worked", "copied") for name in before
    }
    assert all(in_order) == (num_heads == 1)
    assert ("leaps about" in steps["back"]["words"]) == (num_heads > 1)
    assert ("nothing to copy" in steps["copied"]["words"]) == (num_heads == 1)


@pytest.mark.parametrize("num_heads", [1, 2, 4])
def test_steps_of_the_split_are_those_of_the_layers(num_heads):
    steps = data("split_steps")[str(num_heads)]
    x = tensor_of(steps["project"])
    right, straight, unglued = (
        kind(4, 4, 3, 0.0, num_heads)
        for kind in (Layer, SplitWithoutTranspose, MergeWithoutTranspose)
    )

    split = right.split(x)

    assert x.tolist() == [[[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11]]]
    assert tensor_of(steps["transposed"]).tolist() == split.tolist()
    assert tensor_of(steps["worked"]).tolist() == split.tolist()
    assert tensor_of(steps["straight"]).tolist() == straight.split(x).tolist()
    assert tensor_of(steps["glued"]).tolist() == right.merge(split).tolist()
    assert tensor_of(steps["unglued"]).tolist() == unglued.merge(split).tolist()


def test_stale_number_is_found():
    stale = data("mask")
    stale["attn_weights"][2][1] += 0.001

    with pytest.raises(AssertionError, match=r"mask.json\['attn_weights'\]\[2\]\[1\]"):
        check_data("mask", stale)
    with pytest.raises(AssertionError, match="make figures"):
        check_data("mask", stale)


@pytest.mark.parametrize(
    "computed", [{"x": [1]}, {"x": [1, "2"]}, {"y": [1, 2]}, {"x": [1, True]}, [1], {}]
)
def test_data_of_another_form_is_found(computed):
    assert differences({"x": [1, 2]}, computed)


def test_edited_picture_is_found():
    edited = svg("mask").replace("0.34", "0.35", 1)

    with pytest.raises(AssertionError, match=r"mask.svg is not .* `make figures`"):
        check_picture("mask", edited)


def test_picture_follows_its_data():
    values = data("mask")
    values["attn_weights"][5][5] = 0.8765

    picture = gallery.PICTURES["mask"].picture(values)

    assert ">0.88</text>" in picture
    assert "0.17, 0.16, 0.88." in picture  # in the words for those who listen, too


def test_drawing_again_writes_the_same_bytes(tmp_path, monkeypatch):
    monkeypatch.setattr(gallery, "HERE", tmp_path)

    gallery.draw("splitting")

    assert len(list(tmp_path.iterdir())) == 2
    for file in tmp_path.iterdir():
        assert file.read_bytes() == (FIGURES / file.name).read_bytes()


def test_every_data_file_and_picture_is_drawn_by_a_module():
    files = {
        file.name for file in FIGURES.iterdir() if file.suffix in (".json", ".svg")
    }

    drawn = {f"{name}{end}" for name in NAMES for end in (".json", ".svg")}
    assert files == drawn | {f"{name}.json" for name in gallery.DATA}


@pytest.mark.parametrize("name", NAMES)
def test_picture_says_what_it_shows(name):
    root = elements(name)[0]

    assert root.get("role") == "img"
    assert len(root.get("aria-label").split()) > 25
    assert root.get("aria-label").endswith((".", ".)"))
    if name != "direction":  # the one picture without numbers
        assert any(letter.isdigit() for letter in root.get("aria-label"))


@pytest.mark.parametrize("name", NAMES)
def test_picture_can_be_read_on_a_phone(name):
    root, *parts = elements(name)
    words = [part for part in parts if part.tag.endswith("text")]

    assert float(root.get("viewBox").split()[2]) <= 380
    assert words
    assert min(float(part.get("font-size")) for part in words) >= 12


@pytest.mark.parametrize("name", NAMES)
def test_picture_keeps_off_its_caption(name):
    root, *parts = elements(name)
    placed = [part.attrib for part in parts if "y" in part.attrib]
    bottoms = [float(part["y"]) + float(part.get("height", 0)) for part in placed]

    assert max(bottoms) <= float(root.get("viewBox").split()[3])


@pytest.mark.parametrize("name", NAMES)
def test_picture_stands_alone_and_beside_others_in_a_page(name):
    text = svg(name)
    tags = {part.tag.rpartition("}")[2] for part in elements(name)}
    names = {attribute for part in elements(name) for attribute in part.attrib}

    assert text.startswith("<svg ")
    assert text.endswith("</svg>\n")
    assert "" not in text.rstrip("\n").split("\n")  # Markdown ends HTML at a blank line
    assert tags <= {"svg", "rect", "path", "circle", "text"}
    assert not names & {"id", "class", "href"}
    assert text.count("://") == 1  # the namespace
    assert "url(" not in text


@pytest.mark.parametrize("name", NAMES)
def test_every_colour_is_one_of_the_palette(name):
    colors = (*canvas.HEADS, *canvas.TOKENS, canvas.INK, canvas.MUTED)
    palette = {"none", canvas.FAINT, canvas.TEAL, canvas.WRONG, *colors}
    styles = [part.get("style", "fill:none") for part in elements(name)]

    used = {
        value
        for style in styles
        for key, value in (rule.split(":", 1) for rule in style.split(";"))
        if key in ("fill", "stroke")
    }

    assert used <= palette


def test_weights_of_the_mask_add_up_to_one():
    values = data("mask")

    for row, hidden in zip(values["attn_weights"], values["hidden"]):
        assert sum(row) == pytest.approx(1, abs=3e-4)  # six numbers of four digits
        assert [weight == 0 for weight in row] == hidden


@torch.no_grad()
def test_weights_of_the_mask_are_those_that_the_layer_uses():
    layer = chapter.seeded(CausalAttention, 3, 2, 6, 0.0)
    attn_weights = torch.tensor(data("mask")["attn_weights"])

    context_vec = attn_weights @ layer.W_value(inputs)

    expected = layer(inputs[None])[0]
    assert (context_vec - expected).abs().max() < TOLERANCE


@torch.no_grad()
def test_steps_of_the_home_picture_lead_to_the_output_of_the_layer():
    values = data("home")
    heads = torch.tensor(values["attn_weights"]) @ torch.tensor(values["values"])
    layer = gallery.PICTURES["home"].sharp_layer()

    projected = layer.out_proj(torch.cat(list(heads), dim=-1))

    expected = layer(inputs[None])[0]
    assert (projected - expected).abs().max() < 2 * TOLERANCE  # rounded at two steps


def test_changing_a_later_token_moves_nothing_behind_the_mask():
    values = data("influence")
    later = [(i, j) for i in range(6) for j in range(i + 1, 6)]

    assert all(values["causal"][i][j] == 0 for i, j in later)
    assert all(values["unmasked"][i][j] > 0.1 for i, j in later)


def test_one_averaging_head_cannot_tell_the_sentences_apart_and_two_can():
    values = data("one_budget")
    outputs = {
        kind: [[head["output"] for head in heads] for heads in values[kind]]
        for kind in ("even", "uneven", "two_heads")
    }

    assert outputs["even"][0] == outputs["even"][1]
    assert outputs["uneven"][0] != outputs["uneven"][1]
    assert outputs["two_heads"][0] == outputs["two_heads"][1][::-1]


def test_parts_of_the_heads_add_up_as_they_are_printed():
    values = data("glue_is_a_sum")
    columns = zip(*values["parts"], values["bias"], values["output"])

    for *summands, output in columns:
        printed = sum(round(number, 2) for number in summands)
        assert printed == pytest.approx(round(output, 2))


def test_heads_are_grouped_in_order():
    for many, read in data("grouped_heads").items():
        assert read == [[i // (8 // int(many)) + 1] for i in range(8)]


def test_half_the_heads_of_keys_hold_half_the_bytes():
    values = data("grouped_cache")

    for many, *sizes in zip(*values.values()):
        assert sizes == [
            many * sizes_of_one[-1]
            for sizes_of_one in (values["bfloat16"], values["float32"])
        ]


def test_new_tokens_read_all_that_came_before_and_without_offset_less():
    values = data("grouped_offset")
    right, wrong = torch.tensor(values["right"]), torch.tensor(values["wrong"])

    assert right.tolist() == torch.ones(6, 6).tril().bool().tolist()
    assert torch.equal(wrong[:3], right[:3])
    assert (wrong.sum(dim=1) < right.sum(dim=1)).tolist()[3:] == [True] * 3
    assert not (wrong & ~right).any()


def page_colors(scheme):
    """The colours that site.css gives the pictures, by name."""
    css = (FIGURES.parent / "assets" / "site.css").read_text("utf-8")
    block = css.partition(f'[data-md-color-scheme="{scheme}"] {{')[2].partition("}")[0]
    return dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6});", block))


def channels(color):
    return [int(color[place : place + 2], 16) / 255 for place in (1, 3, 5)]


def luminance(rgb):
    """Relative luminance as the accessibility guidelines (WCAG 2) define it."""
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in rgb]
    return sum(c * weight for c, weight in zip(linear, (0.2126, 0.7152, 0.0722)))


def contrast(one, other):
    darker, lighter = sorted((luminance(one), luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


SHADES = ("teal", "wrong", *(f"head-{i}" for i in (1, 2, 3, 4)))
SHADES += tuple(f"token-{i}" for i in (1, 2, 3))


@pytest.mark.parametrize("scheme", ["default", "slate"])
@pytest.mark.parametrize("name", ["ink", "muted", *SHADES])
def test_words_can_be_read_on_the_page(scheme, name):
    colors = page_colors(scheme)

    assert contrast(channels(colors[name]), channels(colors["paper"])) >= 4.5


@pytest.mark.parametrize("scheme", ["default", "slate"])
@pytest.mark.parametrize("name", [*SHADES, "faint"])
def test_numbers_can_be_read_on_the_darkest_cell(scheme, name):
    colors = page_colors(scheme)
    pairs = zip(channels(colors[name]), channels(colors["paper"]))

    cell = [canvas.DARKEST * c + (1 - canvas.DARKEST) * paper for c, paper in pairs]

    assert contrast(channels(colors["ink"]), cell) >= 4.5


@pytest.mark.parametrize("scheme", ["default", "slate"])
def test_lines_can_be_seen_on_the_page(scheme):
    colors = page_colors(scheme)

    assert contrast(channels(colors["faint"]), channels(colors["paper"])) >= 3


def test_pictures_alone_have_the_colours_of_the_light_page():
    page = page_colors("default")
    drawn = "".join(svg(name) for name in NAMES)

    alone = dict(re.findall(r"var\(--([\w-]+), (#[0-9a-f]{6})\)", drawn))

    assert alone == {name: page[name] for name in alone}


def test_minus_zero_is_printed_as_zero():
    assert canvas.number(-0.001) == "0.00"
    assert canvas.number(-0.5) == "\u22120.50"
