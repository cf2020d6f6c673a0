"""What starts, case by case, and under which names.

The conditions are read from the workflow; the rules beside them say the same in Python.
"""

from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import yaml
from expressions import render, starts

FILE = Path(__file__).parent.parent / ".github" / "workflows" / "site.yml"
WORKFLOW: dict[Any, Any] = yaml.safe_load(FILE.read_text(encoding="utf-8"))
JOBS: dict[str, Any] = WORKFLOW["jobs"]
EVENTS: dict[str, Any] = WORKFLOW[True]  # YAML reads the key `on` as true
REFS = [
    "refs/heads/main",
    "refs/heads/MAIN",
    "refs/heads/other",
    "refs/tags/main",
    "refs/pull/5/merge",
]
RESULTS = ["success", "failure", "cancelled", "skipped"]


class Case(NamedTuple):
    """What GitHub knows when it decides whether a job starts."""

    event: str = "push"
    ref: str = "refs/heads/main"
    runner: str | None = None
    cancelled: bool = False
    lint: str = "success"
    cpu: str = "success"
    build: str = "success"
    gpu: str = "skipped"
    head: str | None = None  # the repository that a pull request comes from
    author: str = "Owner"  # of a pull request

    def context(self, job: str) -> dict[str, Any]:
        event: dict[str, Any] = {
            "repository": {"default_branch": "main", "name": "mha"}
        }
        if self.event == "pull_request":
            repo = {"full_name": self.head} if self.head else None  # deleted: null
            user = {"login": self.author}
            event["pull_request"] = {"head": {"repo": repo}, "user": user}
        github = {
            "workflow": "site",
            "event_name": self.event,
            "event": event,
            "ref": self.ref,
            "repository": "Owner/mha",
            "repository_owner": "Owner",
            "server_url": "https://github.com",
            "sha": "0123abc",
        }
        needs = JOBS[job].get("needs", [])
        return {
            "github": github,
            "vars": {"GPU_RUNNER": self.runner} if self.runner else {},
            "needs": {need: {"result": getattr(self, need)} for need in needs},
        }


def publish_cases() -> Iterator[Case]:
    whens = product(EVENTS, REFS, [None, "gpu"], [False, True])
    return (Case(*when, *what) for when in whens for what in product(RESULTS, repeat=4))


def may_publish(case: Case) -> bool:
    gpu_is_well = case.gpu == "success"
    gpu_is_absent = case.gpu == "skipped" and case.runner is None
    return (
        case.event in ("push", "workflow_dispatch")
        and case.ref.lower() == "refs/heads/main"  # GitHub's == ignores case
        and not case.cancelled
        and case.lint == case.cpu == case.build == "success"
        and (gpu_is_well or gpu_is_absent)
    )


def first_difference(condition: str) -> Case | None:
    def publishes(case: Case) -> bool:
        return starts(condition, case.context("publish"), case.cancelled)

    return next(
        (case for case in publish_cases() if publishes(case) != may_publish(case)),
        None,
    )


def test_events_are_those_of_the_tables() -> None:
    assert set(EVENTS) == {"push", "pull_request", "workflow_dispatch", "schedule"}
    assert EVENTS["push"] == {"branches": ["main"]}


def test_publish_waits_for_every_job_but_those_that_look_ahead() -> None:
    assert set(JOBS["publish"]["needs"]) == set(JOBS) - {*("publish", "newest", "next")}


def test_site_is_published_when_and_only_when_it_may_be() -> None:
    assert first_difference(JOBS["publish"]["if"]) is None


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("!cancelled() && ", ""),
        ("!cancelled()", "always()"),
        ("!cancelled()", "success()"),
        (" && vars.GPU_RUNNER == ''", ""),  # accepts any 'skipped'
        ("needs.gpu.result == 'success'", "needs.gpu.result != 'failure'"),
        ("needs.lint.result == 'success'", "needs.lint.result != 'failure'"),
        ("needs.cpu.result == 'success'", "needs.cpu.result != 'cancelled'"),
        ("needs.build.result == 'success'", "needs.cpu.result == 'success'"),
        ("github.event_name == 'push'", "github.event_name != 'pull_request'"),
        (" || github.event_name == 'workflow_dispatch'", ""),
        ("github.ref == ", "github.ref_name == "),
        ("refs/heads/{0}", "refs/tags/{0}"),
    ],
)
def test_table_tells_a_wrong_publish_condition(right: str, wrong: str) -> None:
    condition = JOBS["publish"]["if"]
    assert condition.count(right) == 1

    assert first_difference(condition.replace(right, wrong)) is not None


def gpu_cases() -> Iterator[Case]:
    heads = ["Owner/mha", "owner/mha", "Stranger/mha", None]
    authors = ["Owner", "dependabot[bot]"]
    rows = product(EVENTS, REFS, [None, "gpu", "0"], heads, authors)
    for event, ref, runner, head, author in rows:
        yield Case(event=event, ref=ref, runner=runner, head=head, author=author)


def gpu_may_run(case: Case) -> bool:
    here = case.head is not None and case.head.lower() == "owner/mha"
    ours = here and case.author != "dependabot[bot]"
    return case.runner is not None and (case.event != "pull_request" or ours)


def gpu_differences(condition: str) -> list[Case]:
    return [
        case
        for case in gpu_cases()
        if starts(condition, case.context("gpu"), False) != gpu_may_run(case)
    ]


def test_gpu_runs_where_a_runner_is_named_and_never_for_a_stranger() -> None:
    assert gpu_differences(JOBS["gpu"]["if"]) == []


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("vars.GPU_RUNNER != '' && ", ""),
        ("github.event_name != 'pull_request' || ", ""),
        ("head.repo.full_name", "base.repo.full_name"),
        (" && github.event.pull_request.user.login != 'dependabot[bot]'", ""),
        ("github.event.pull_request.user.login", "github.actor"),
    ],
)
def test_table_tells_a_wrong_gpu_condition(right: str, wrong: str) -> None:
    condition = JOBS["gpu"]["if"]
    assert condition.count(right) == 1

    assert gpu_differences(condition.replace(right, wrong)) != []


@pytest.mark.parametrize("job", ["lint", "cpu", "build"])
def test_job_has_no_condition(job: str) -> None:
    assert "if" not in JOBS[job]
    assert "needs" not in JOBS[job]


@pytest.mark.parametrize("event", EVENTS)
def test_newest_versions_are_tried_once_a_week(event: str) -> None:
    started = starts(JOBS["newest"]["if"], Case(event=event).context("newest"), False)

    assert started == (event == "schedule")


@pytest.mark.parametrize(
    ("case", "group", "cancels"),
    [
        (Case(), "site-refs/heads/main", "false"),
        (Case(event="schedule"), "site-weekly", "false"),
        (
            Case(event="pull_request", ref="refs/pull/5/merge"),
            "site-refs/pull/5/merge",
            "true",
        ),
    ],
)
def test_a_run_ends_another_one_only_on_a_pull_request(
    case: Case, group: str, cancels: str
) -> None:
    concurrency = WORKFLOW["concurrency"]

    assert render(concurrency["group"], case.context("build")) == group
    assert render(concurrency["cancel-in-progress"], case.context("build")) == cancels


@pytest.mark.parametrize("job", sorted(set(JOBS) - {"gpu"}))
def test_only_the_gpu_job_can_reach_a_runner_of_ones_own(job: str) -> None:
    matrix = JOBS[job].get("strategy", {}).get("matrix", {}).get("include", [])
    systems = {row["os"] for row in matrix} or {JOBS[job]["runs-on"]}

    assert systems <= {"ubuntu-24.04", "macos-15", "windows-2025"}


def test_deployments_stand_in_one_line_and_are_finished() -> None:
    assert JOBS["publish"]["concurrency"] == {
        "group": "pages",
        "cancel-in-progress": False,
    }


def test_site_knows_where_it_is_published_and_edited() -> None:
    env = JOBS["build"]["env"]
    context = Case().context("build")
    elsewhere = context | {"vars": {"SITE_URL": "https://attention.example/"}}

    assert render(env["SITE_URL"], context) == "https://Owner.github.io/mha/"
    assert render(env["SITE_URL"], elsewhere) == "https://attention.example/"
    assert (
        render(env["EDIT_URI"], context)
        == "https://github.com/Owner/mha/edit/main/docs/"
    )
    assert (
        render(env["SOURCE_URI"], context)
        == "https://github.com/Owner/mha/blob/0123abc/"
    )
