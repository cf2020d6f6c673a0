import json

import pytest

from tools import mutants


def stats(killed, timeout, total):
    return {"killed": killed, "timeout": timeout, "total": total, "survived": 0}


@pytest.mark.parametrize(
    ("killed", "timeout", "code", "said"),
    [
        (200, 0, 0, "100.0 % of 200 mutants killed, at least 95 % must be\n"),
        (185, 5, 0, "95.0 % of 200 mutants killed, at least 95 % must be\n"),
        (189, 0, 1, "94.5 % of 200 mutants killed, at least 95 % must be\n"),
    ],
)
def test_under_95_percent_fails(
    tmp_path, monkeypatch, capsys, killed, timeout, code, said
):
    path = tmp_path / "stats.json"
    path.write_text(json.dumps(stats(killed, timeout, 200)), encoding="utf-8")
    monkeypatch.setattr(mutants, "STATS", path)

    assert mutants.main() == code
    assert capsys.readouterr().out == said


def test_no_run_is_no_pass(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(mutants, "STATS", tmp_path / "none.json")

    assert mutants.main() == 1
    assert "must exist: run `make mutants`" in capsys.readouterr().out


def test_no_mutants_is_no_pass():
    with pytest.raises(ValueError, match=r"^there must be mutants to kill, got 0\Z"):
        mutants.killed_percent(stats(0, 0, 0))
