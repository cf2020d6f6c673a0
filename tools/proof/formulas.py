"""Formulas as they are written: each becomes MathML, and shows nothing as typed."""

import re
from collections.abc import Iterator
from pathlib import Path

from latex2mathml.converter import convert

from tools.proof.sources import markdown_files, named, read

FORMULA = re.compile(
    r"^[> \t]*```math[ \t]*\n(?P<block>.*?)\n[> \t]*```[ \t]*$"
    r"|`#!math (?P<inline>[^`]*)`",
    re.M | re.S,
)
COMMAND = re.compile(r"\\(?:[a-zA-Z]+|.)")
TAG = re.compile(r"<[^>]*>")


def check_formulas(root: Path) -> Iterator[str]:
    """Each formula on a page is one that latex2mathml reads to its end."""
    for path in markdown_files(root):
        text = read(root, path)
        for formula in FORMULA.finditer(text):
            group = "inline" if formula["block"] is None else "block"
            line = text.count("\n", 0, formula.start(group)) + 1
            if wrong := misread(formula[group]):
                yield f"{named(root, path)}:{line}: {wrong}"


def misread(formula: str) -> str:
    """What is wrong with a formula, and what to do; "" if nothing is."""
    open_braces = 0
    for sign in COMMAND.sub("", formula):
        open_braces += (sign == "{") - (sign == "}")
        if open_braces < 0:
            break
    if open_braces:
        return f"the formula {formula!r} has a brace without its other; write both"
    try:
        shown = TAG.sub("", convert(formula))
    except Exception as error:  # its errors have no base of their own
        words = re.sub("([A-Z])", r" \1", type(error).__name__.removesuffix("Error"))
        said = words.lower().strip()
        return f"the formula {formula!r} cannot be read: {said}; mend or finish it"
    for command in COMMAND.findall(formula):
        if command in shown:
            return (
                f"a formula shows '{command}' as it is typed; write it with commands "
                "that latex2mathml knows, or in words"
            )
    return ""
