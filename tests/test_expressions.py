"""The evaluator of GitHub's expressions, on cases from GitHub's documentation."""

import pytest
from expressions import evaluate, render, starts

CONTEXT = {"github": {"ref": "refs/heads/main", "event": {"name": "Push"}}, "vars": {}}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("'it''s'", "it's"),
        ("github.ref", "refs/heads/main"),
        ("GitHub.Ref", "refs/heads/main"),
        ("github.event.name == 'push'", True),  # case does not count
        ("github.event.name != 'push'", False),
        ("github.event.missing.name", None),
        ("github.ref.name", None),
        ("vars.GPU_RUNNER == ''", True),  # null and '' are both 0
        ("vars.GPU_RUNNER != ''", False),
        ("vars.GPU_RUNNER == 'gpu'", False),
        ("vars.GPU_RUNNER == false", True),
        ("'0' == false", True),
        ("'gpu' == true", False),  # not a number, so equal to nothing
        ("null == false", True),
        ("!vars.GPU_RUNNER", True),
        ("!'0'", False),  # a string with something in it is true
        ("!!'a' == true", True),
        ("vars.GPU_RUNNER || 'other'", "other"),
        ("'one' && 'two'", "two"),
        ("'' && 'two' || 'three'", "three"),
        ("'a' || 'b' && ''", "a"),  # && binds tighter
        ("('a' || 'b') && ''", ""),
        ("'a' == 'b' == false", True),  # from the left
        ("format('refs/heads/{0}', 'main') == github.ref", True),
        ("format('{1}{0}{1}', 'a', vars.GPU_RUNNER)", "a"),
    ],
)
def test_expression_has_the_documented_value(text: str, value: object) -> None:
    assert evaluate(text, CONTEXT) == value


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1 < 2", "no such sign is known here: '1 < 2'"),
        ("'open", 'no such sign is known here: "\'open"'),
        ("'a' 'b'", "an expression must end here, got \"'b'\""),
        ("('a'", r"'\)' must follow, got \[\]"),
        ("'a' ==", "a value must stand here, got ''"),
        ("contains('a')", r"a function must be one of \['format'\], got 'contains'"),
    ],
)
def test_what_the_evaluator_does_not_know_is_an_error(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        evaluate(text, CONTEXT)


@pytest.mark.parametrize(
    ("condition", "result", "cancelled", "started"),
    [
        ("'yes'", "success", False, True),
        ("'yes'", "skipped", False, False),  # success() is meant
        ("'yes'", "success", True, False),
        ("!cancelled()", "skipped", False, True),
        ("!cancelled()", "failure", False, True),
        ("!cancelled()", "success", True, False),
        ("always()", "failure", True, True),
        ("failure()", "failure", False, True),
        ("failure()", "skipped", False, False),
    ],
)
def test_job_starts_as_github_starts_it(
    condition: str, result: str, cancelled: bool, started: bool
) -> None:
    context = {"needs": {"build": {"result": result}}}

    assert starts(condition, context, cancelled) == started


def test_template_keeps_what_stands_around_its_expressions() -> None:
    template = "a ${{ github.event.name }} of ${{ github.ref }}${{ vars.NONE }}!"

    assert render(template, CONTEXT) == "a Push of refs/heads/main!"
