"""What visitors find beside the code: how to cite, report, contribute and ask."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
TEMPLATES = ROOT / ".github" / "ISSUE_TEMPLATE"
FORMS = sorted(TEMPLATES.glob("*.yml"))
GUIDES = ["CONTRIBUTING", "MAINTAINING", "CHANGELOG", "CODE_OF_CONDUCT", "README"]
SCREEN = 45  # lines
FIELDS = 3  # asked for in a form, at most
KINDS = {"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"}


def text(name: str) -> str:
    return (ROOT / name).read_text("utf-8")


@pytest.mark.parametrize(
    ("schema", "path"),
    [
        ("citation-file-format", ROOT / "CITATION.cff"),
        *(("github-issue-forms", form) for form in FORMS),
    ],
    ids=lambda it: getattr(it, "name", it),
)
def test_a_file_fits_its_schema(schema: str, path: Path):
    command = [sys.executable, "-m", "check_jsonschema"]
    command += ["--builtin-schema", f"vendor.{schema}", str(path)]

    done = subprocess.run(command, capture_output=True, encoding="utf-8")

    assert done.returncode == 0, done.stdout + done.stderr


def test_the_citation_is_of_this_package():
    citation = yaml.safe_load(text("CITATION.cff"))

    assert str(citation["version"]) == PROJECT["version"]
    assert citation["license"] == PROJECT["license"] == "MIT"
    assert citation["authors"] == [{"name": "Head by Head contributors"}]
    assert text("LICENSE").startswith("MIT License")


def test_there_is_a_form_for_each_kind_of_issue():
    assert [form.stem for form in FORMS] == ["chapter", "mistake", "page"]


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.stem)
def test_a_form_asks_only_what_is_needed(form: Path):
    body = yaml.safe_load(form.read_text("utf-8"))["body"]

    assert 1 <= len(body) <= FIELDS
    assert len({field["id"] for field in body}) == len(body)
    assert any(field.get("validations", {}).get("required") for field in body)


def test_the_guide_for_contributors_fits_a_screen():
    assert len(text("CONTRIBUTING.md").splitlines()) <= SCREEN


def test_the_guide_names_targets_and_files_that_are_there():
    guide = text("CONTRIBUTING.md")
    targets = re.findall(r"^(\w+):", text("Makefile"), re.M)
    named = re.findall(r"`((?:docs|mha|tests|tools)/[\w/.]*)`", guide)
    paths = [path for path in named if "NAME" not in path]  # which you choose

    assert set(re.findall(r"`make (\w+)", guide)) <= set(targets)
    assert len(paths) >= 5
    assert [path for path in paths if not (ROOT / path).exists()] == []


def test_the_page_that_the_guide_has_one_run_has_code_to_run():
    (page,) = re.findall(r"`\S*python -m pytest (\S+)`", text("CONTRIBUTING.md"))

    assert "```python" in text(page)


def test_the_steps_that_the_guide_points_to_are_on_the_page():
    (table,) = re.findall(r"(?:^\|.*\n)+", text("CONTRIBUTING.md"), re.M)
    steps = re.findall(r"\*([A-Z][^*]+)\*", table)
    headings = re.findall(r"^## (.*?) \{#", text("docs/contribute.md"), re.M)

    assert {"Add an example", "Teach the checker a mistake"} <= set(steps)
    assert set(steps) <= set(headings)


@pytest.mark.parametrize("name", GUIDES)
def test_links_between_the_guides_lead_to_files(name: str):
    targets = re.findall(r"\]\(([^)#\s]+)", text(f"{name}.md"))
    inside = [target for target in targets if "://" not in target]

    assert [target for target in inside if not (ROOT / target).is_file()] == []


def test_the_changelog_begins_with_what_is_not_released():
    versions = re.findall(r"^## (.*)$", text("CHANGELOG.md"), re.M)

    assert versions[0] == "Unreleased"
    assert all(
        re.fullmatch(r"\d+\.\d+\.\d+ - \d{4}-\d\d-\d\d", it) for it in versions[1:]
    )


def test_the_changelog_has_the_kinds_of_keep_a_changelog():
    kinds = re.findall(r"^### (.*)$", text("CHANGELOG.md"), re.M)

    assert kinds
    assert set(kinds) <= KINDS


def test_the_code_of_conduct_is_the_covenant_by_reference_and_says_whom_to_tell():
    conduct = text("CODE_OF_CONDUCT.md")

    assert "www.contributor-covenant.org/version/2/1/" in conduct
    assert "maintainers" in conduct
    assert not re.search(r"\S+@\S+\.\w", conduct)  # no address that nobody reads


def test_the_template_of_pull_requests_asks_three_things():
    template = text(".github/PULL_REQUEST_TEMPLATE.md")

    assert len(re.findall(r"^- \[ \] ", template, re.M)) == FIELDS
    assert "`make test`" in template
    assert "`CHANGELOG.md`" in template
