"""Layers as learners write them: right ones pass, wrong ones get their own code."""

import importlib.util
import re
from pathlib import Path

import pytest
from torch import nn

from mha import check
from mha.checker.codes import MISTAKES

CORPUS = Path(__file__).parent / "corpus"
RIGHT = sorted((CORPUS / "right").glob("*.py"))
WRONG = sorted((CORPUS / "wrong").glob("*.py"))
FORMS = {
    "CausalAttention": "causal",
    "MultiHeadAttentionWrapper": "stacked",
    "MultiHeadAttention": "fused",
    "GroupedQueryAttention": "grouped",
}


def load(path: Path) -> type[nn.Module]:
    """The layer in a file, by its name."""
    spec = importlib.util.spec_from_file_location(f"corpus_{path.stem}", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return next(vars(module)[name] for name in FORMS if name in vars(module))


def code_of(path: Path) -> str:
    """`mask_inverted_2.py` has the fault `mask-inverted`."""
    return re.sub(r"_\d+$", "", path.stem).replace("_", "-")


@pytest.mark.parametrize("path", RIGHT, ids=lambda path: path.stem)
def test_a_right_layer_has_no_finding(path):
    layer_class = load(path)

    report = check(layer_class)

    assert report.finding is None, str(report)
    assert (report.status, report.form) == ("right", FORMS[layer_class.__name__])


@pytest.mark.parametrize("path", WRONG, ids=lambda path: path.stem)
def test_a_wrong_layer_gets_its_own_code(path):
    report = check(load(path), compiled=code_of(path) == "graph-break")

    assert report.finding is not None, str(report)
    assert report.finding.code == code_of(path), str(report)


def test_every_code_has_a_layer():
    assert {code_of(path) for path in WRONG} == set(MISTAKES)


def test_there_are_right_layers_in_many_styles():
    assert len(RIGHT) >= 24
