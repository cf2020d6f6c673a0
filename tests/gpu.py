"""Run the CUDA tests, then the benchmark, on a machine with a GPU, torch and pytest.

    python tests/gpu.py FILE        FILE: where the results of the benchmark go, as JSON

All of it takes at most eight minutes: the benchmark ends when they are over, and the
file then says that it is not complete. The last lines are a table. The exit status is
that of the tests, or 1 if a form did not compute what the others do.
"""

import os
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))  # the package need not be installed

import torch  # noqa: E402

from mha import bench, measured  # noqa: E402

SECONDS = 7.5 * 60  # what is being measured then comes to its end
ROUNDS = 3
TESTS = ("-m", "pytest", "-c", "tests/layers/bare.ini", "-m", "cuda", "tests/layers")


def table(results: bench.Results) -> str:
    """One line for each form and size: milliseconds, ratio, memory."""
    lines = [f"{'form':32}{'tokens':>7}{'ms':>10}{'ratio':>8}{'extra MB':>10}"]
    for group in results.groups:
        setting, reference = group.setting, group.row(bench.REFERENCE)
        way = "forward and backward" if setting.backward else "forward"
        lines += ["", f"{setting.dtype}, {setting.width} wide, {way}"]
        for row in group.rows:
            line = f"{row.name:32}{setting.num_tokens:7}"
            if row.times:
                line += f"{1000 * row.median:10.3f}"
                ratio = bench.ratio(row, reference).median if reference else None
                line += f"{ratio:8.2f}" if ratio else " " * 8
                line += f"{(row.extra_bytes or 0) / 1e6:10.1f}"
            lines.append(f"{line}  {row.note}".rstrip())
    return "\n".join(lines)


def measure(file: Path, command: str, plan: bench.Plan, until: float) -> bench.Results:
    """Measure size after size, each written at once, while there is time."""
    born = measured.provenance(command, torch.get_num_threads())
    groups: list[bench.Group] = []
    results = bench.Results(born, False, ())
    for group in bench.run(plan, lambda name: None):
        groups.append(group)
        complete = len(groups) == plan.sizes
        results = bench.Results(born, complete, tuple(groups))
        bench.write(file, results)
        print(f"{len(groups)} of {plan.sizes}: {group.setting}", flush=True)
        if time.monotonic() > until:
            break
    return results


def main(arguments: list[str]) -> int:
    """Test, measure, print."""
    until = time.monotonic() + SECONDS
    if len(arguments) != 1 or arguments[0].startswith("-"):
        print(__doc__, file=sys.stderr)
        return 2
    try:
        plan = bench.full_plan("cuda", (), ROUNDS, compiled=True)
        measured.check_file(file := Path(arguments[0]))
    except (OSError, ValueError) as error:
        print(f"this script needs a GPU and a FILE: {error}", file=sys.stderr)
        return 2
    env = os.environ | {"MHA_REQUIRE_CUDA": "1"}
    status = subprocess.run([sys.executable, *TESTS], cwd=ROOT, env=env).returncode
    command = f"python tests/gpu.py {arguments[0]}"
    results = measure(file, command, plan, until)
    print(table(results))
    wrong = any(row.wrong for group in results.groups for row in group.rows)
    return status or int(wrong)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
