"""The workflow's files are valid, pinned, safe and complete."""

import re
import shutil
import subprocess
import sysconfig
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parent.parent
FILE = ROOT / ".github" / "workflows" / "site.yml"
DEPENDABOT = ROOT / ".github" / "dependabot.yml"
TEXT = FILE.read_text(encoding="utf-8")
GUIDE = (ROOT / "docs" / "contribute.md").read_text(encoding="utf-8")
WORKFLOW: dict[Any, Any] = yaml.safe_load(TEXT)
JOBS: dict[str, Any] = WORKFLOW["jobs"]
STEPS = [(name, step) for name, job in JOBS.items() for step in job["steps"]]
RUNS = [step["run"] for _, step in STEPS if "run" in step]

INSTALL = 'uv pip install --torch-backend {} -c constraints.txt -e ".[site,test]"'
COVERAGE = "build/coverage.json"
CORES = "-n auto --dist worksteal"
ALLOWED = {
    INSTALL.format("cpu"): "the pinned versions, without the CUDA build",
    INSTALL.format("auto"): "the same, with the CUDA build that fits the GPU's driver",
    INSTALL.format("cpu").replace("-c constraints.txt ", ""): "the newest versions",
    INSTALL.format("cpu").replace(
        "test", "next"
    ): "the site, and what follows Material",
    "ruff check": "style",
    "ruff format --check": "layout",
    "pyright": "types",
    f"python -m pytest {CORES}": "every test",
    "python -m pytest -m cuda": "the tests that need a GPU",
    "python -m tools.build": "builds, proves and puts site/ in place",
    f"python -m pytest {CORES} --cov --cov-report=term --cov-report=json:{COVERAGE}": (
        "every test, on the site in SITE_DIR, with a note of the lines that ran"
    ),
    "python -m tools.assets": "puts what comes from packages in its place",
    "python -m zensical build --clean --strict": "builds by the next generator",
    "python -m tools.proof build/next": "proves what that built",
    f"python -m tools.proof site --coverage {COVERAGE}": "every shown line ran",
}


def tool(name: str, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
    path = shutil.which(name, path=sysconfig.get_path("scripts"))
    assert path, f"{name} must be installed beside Python: install the test extra"
    return subprocess.run(
        [path, *arguments],
        capture_output=True,
        text=True,
        encoding="utf-8",
        cwd=ROOT,
    )


def test_zizmor_finds_nothing_in_its_pedantic_persona() -> None:
    # --strict-collection: a file that cannot be read is an error, not a warning.
    result = tool(
        *("zizmor", "--offline", "--strict-collection", "--persona", "pedantic"),
        ROOT / ".github",
    )

    assert result.returncode == 0, result.stdout + result.stderr
    assert "No findings to report" in result.stdout
    assert "ignored" not in result.stdout


@pytest.mark.parametrize(
    ("schema", "path"),
    [("vendor.github-workflows", FILE), ("vendor.dependabot", DEPENDABOT)],
)
def test_file_fits_its_schema(schema: str, path: Path) -> None:
    result = tool("check-jsonschema", "--builtin-schema", schema, path)

    assert result.returncode == 0, result.stdout + result.stderr


def test_every_action_is_pinned_to_a_commit_with_its_version_beside_it() -> None:
    uses = re.findall(r"uses:.*", TEXT)
    pinned = r"uses: [\w-]+/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+"

    assert len(uses) == sum("uses" in step for _, step in STEPS) > 0
    assert [line for line in uses if not re.fullmatch(pinned, line)] == []


def test_an_action_has_one_pin() -> None:
    pins = set(re.findall(r"uses: (.*)", TEXT))

    assert len(pins) == len({pin.split("@")[0] for pin in pins})


def test_every_command_is_an_install_or_the_projects_own() -> None:
    assert set(RUNS) == set(ALLOWED)


def commands_of(target: str) -> list[str]:
    """What a target of the Makefile runs in the environment."""
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    recipe = re.search(rf"^{target}:.*\n((?:\t.*\n)+)", makefile, re.MULTILINE)
    assert recipe, f"the Makefile must have the target {target}"
    return re.findall(r"\$\(BIN\)/(.*)", recipe[1])


@pytest.mark.parametrize(
    ("job", "targets"), [("lint", ["lint", "types"]), ("build", ["site", "test"])]
)
def test_job_runs_what_make_test_runs(job: str, targets: list[str]) -> None:
    runs = [step["run"] for name, step in STEPS if name == job and "run" in step]

    assert runs[0] == INSTALL.format("cpu")
    assert runs[1:] == [command for t in targets for command in commands_of(t)]


def test_constraints_that_the_installs_name_exist() -> None:
    assert (ROOT / "constraints.txt").is_file()


def test_extras_and_markers_that_the_commands_name_exist() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    extras = {e for run in RUNS for e in re.findall(r"[\[,](\w+)(?=[],])", run)}
    markers = settings["tool"]["pytest"]["ini_options"]["markers"]

    assert extras == {"site", "test", "next"}
    assert extras <= set(settings["project"]["optional-dependencies"])
    assert any(marker.startswith("cuda:") for marker in markers)


def test_oldest_python_is_the_packages_oldest() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    linux = [
        row["python"]
        for row in JOBS["cpu"]["strategy"]["matrix"]["include"]
        if row["os"].startswith("ubuntu")
    ]

    assert settings["project"]["requires-python"] == f">={linux[0]}"
    assert linux == ["3.11", "3.14"]


def test_the_guide_names_the_systems_of_the_tests() -> None:
    names = {"ubuntu": "Linux", "macos": "macOS", "windows": "Windows"}
    rows = JOBS["cpu"]["strategy"]["matrix"]["include"]
    *first, last = dict.fromkeys(names[row["os"].partition("-")[0]] for row in rows)

    assert f"the tests on {', '.join(first)} and {last}," in GUIDE


def test_every_job_has_the_least_permissions() -> None:
    least = {name: {"contents": "read"} for name in JOBS}
    least["publish"] = {"pages": "write", "id-token": "write"}

    assert WORKFLOW["permissions"] == {}
    assert {name: job["permissions"] for name, job in JOBS.items()} == least


def test_no_secret_is_used() -> None:
    assert re.findall(r"secrets\b|github\.token|GITHUB_TOKEN", TEXT) == []


def test_no_expression_reaches_a_shell() -> None:
    assert [run for run in RUNS if "${{" in run] == []


def test_no_job_runs_without_end() -> None:
    assert [name for name, job in JOBS.items() if job["timeout-minutes"] > 20] == []


def test_the_next_generator_is_tried_as_make_next_does() -> None:
    steps = [step for step in JOBS["next"]["steps"] if "run" in step]

    assert steps[0]["run"] == INSTALL.format("cpu").replace("test", "next")
    tried = [
        f"$(BIN)/{steps[1]['run']}",
        f"SITE_OUT=build/next $(BIN)/{steps[2]['run']}",
        f"$(BIN)/{steps[3]['run']}",
    ]
    assert [steps[2]["env"]] == [{"SITE_OUT": "build/next"}]
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert "\t{}\n\t{}\n\t{}\n".format(*tried) in makefile


def test_the_guide_names_the_tools_that_both_generators_run() -> None:
    settings = (ROOT / "mkdocs.yml").read_text("utf-8")
    extensions = settings.partition("markdown_extensions:")[2]
    (line,) = (it for it in GUIDE.splitlines() if "`python -m zensical`" in it)

    named = set(re.findall(r"`tools/(\w+)\.py`", line))
    assert named == set(re.findall(r"\btools\.(\w+)", extensions))


def test_only_the_next_generators_failure_is_forgiven() -> None:
    forgiven = [name for name, job in JOBS.items() if job.get("continue-on-error")]

    assert forgiven == ["next"]
    assert TEXT.count("continue-on-error") == 1
    assert "next" not in JOBS["publish"]["needs"]


def test_a_checkout_leaves_no_credentials_behind() -> None:
    checkouts = [step for _, step in STEPS if "checkout" in step.get("uses", "")]

    assert len(checkouts) == len(JOBS) - 1  # publish takes the artifact alone
    assert all(step["with"]["persist-credentials"] is False for step in checkouts)


def test_the_published_site_is_built_from_the_whole_history() -> None:
    """Where it ends early, git takes every page for changed on that day."""
    checkout = JOBS["build"]["steps"][0]

    assert checkout["with"]["fetch-depth"] == 0


def test_every_job_installs_into_an_environment_of_its_own() -> None:
    with_uv = [(name, s) for name, s in STEPS if "setup-uv" in s.get("uses", "")]

    assert {name for name, _ in with_uv} == set(JOBS) - {"publish"}
    assert all(step["with"]["activate-environment"] is True for _, step in with_uv)


def test_a_missing_gpu_fails_the_gpu_job() -> None:
    envs = [step["env"] for name, step in STEPS if name == "gpu" and "env" in step]

    assert envs == [{"MHA_REQUIRE_CUDA": "1"}]
    assert JOBS["gpu"]["runs-on"].startswith("${{ vars.GPU_RUNNER ||")


def test_what_is_proved_is_what_is_published() -> None:
    build, _, tests, proof, upload = JOBS["build"]["steps"][-5:]

    assert build["run"] == "python -m tools.build"
    assert tests["env"]["SITE_DIR"] == upload["with"]["path"] == "site"
    assert proof["run"].startswith("python -m tools.proof site ")


def test_on_a_pull_request_the_built_site_is_there_to_look_at() -> None:
    build, look = JOBS["build"]["steps"][-5:-3]

    assert build["run"] == "python -m tools.build"
    assert look["uses"].startswith("actions/upload-artifact@")
    assert look["if"] == "github.event_name == 'pull_request'"
    assert (look["with"]["name"], look["with"]["path"]) == ("site-to-look-at", "site")
    assert f"`{look['with']['name']}`" in GUIDE


def test_dependabot_moves_actions_and_packages_every_week() -> None:
    updates = yaml.safe_load(DEPENDABOT.read_text(encoding="utf-8"))["updates"]

    assert [
        (update["package-ecosystem"], update["directory"], update["schedule"])
        for update in updates
    ] == [
        ("github-actions", "/", {"interval": "weekly"}),
        ("pip", "/", {"interval": "weekly"}),
    ]
