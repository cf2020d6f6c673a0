import os
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from cases import cuda_or_skip


def test_no_gpu_skips_with_a_reason():
    with pytest.raises(pytest.skip.Exception, match=r"^torch sees no GPU\Z"):
        cuda_or_skip(available=False, required=False)


def test_no_gpu_fails_where_one_is_required():
    with pytest.raises(pytest.fail.Exception, match="MHA_REQUIRE_CUDA=1 asks for"):
        cuda_or_skip(available=False, required=True)


@pytest.mark.parametrize("required", [False, True])
def test_a_gpu_runs_the_test(required):
    assert cuda_or_skip(available=True, required=required) is None


def test_the_environment_variable_requires_a_gpu(tmp_path):
    here = Path(__file__).parent
    test = tmp_path / "test_it.py"
    test.write_text(
        "from conftest import device\n\ndef test_it(device):\n    pass\n",
        encoding="utf-8",
    )
    command = [sys.executable, "-m", "pytest", "-c", here / "bare.ini", "-k", "cuda"]
    command += ["-p", "no:cacheprovider", "--rootdir", tmp_path, test]
    no_gpu = {"CUDA_VISIBLE_DEVICES": "", "PYTHONPATH": str(here)}

    run = subprocess.run(
        command,
        env=os.environ | no_gpu | {"MHA_REQUIRE_CUDA": "1"},
        capture_output=True,
        text=True,
        check=False,
    )

    assert run.returncode == 1
    assert "MHA_REQUIRE_CUDA=1 asks for a GPU, but torch sees none" in run.stdout


def test_device_is_one_that_torch_knows(device):
    assert torch.empty(1, device=device).device.type == device
