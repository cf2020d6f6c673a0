"""The same fault in other styles has the same code."""

import os
from collections import Counter

import pytest
from styles import EXCEPTIONS, FAULTS, STYLES, layer

from mha import check
from mha.checker.codes import MISTAKES

MANY = "mask", "softmax", "scale", "heads"
ON_GITHUB = os.environ.get("GITHUB_ACTIONS") == "true"
WHOLE = ON_GITHUB or os.environ.get("MHA_SWEEP") == "1"
SAMPLE = [pair for i, pair in enumerate(FAULTS) if WHOLE or i % 15 == 0]


@pytest.mark.parametrize("style", STYLES)
def test_a_style_without_a_fault_is_right(style):
    report = check(layer(style))

    assert report.status == "right", str(report)


@pytest.mark.parametrize(("code", "style"), SAMPLE)
def test_a_fault_has_its_code_in_every_style(code, style):
    layer_class = layer(style, FAULTS[code, style])

    report = check(layer_class, compiled=code == "graph-break")

    assert report.finding is not None, str(report)
    assert report.finding.code == code, str(report)


@pytest.mark.parametrize("mistake", MISTAKES.values(), ids=lambda one: one.code)
def test_every_fault_is_in_enough_styles(mistake):
    styles = Counter(code for code, _ in FAULTS)

    enough = styles[mistake.code] >= (3 if mistake.family in MANY else 2)

    assert enough or mistake.code in EXCEPTIONS
