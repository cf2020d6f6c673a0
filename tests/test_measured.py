"""Files of results: whole or not there, and no others are read."""

import json
import os
from pathlib import Path

import pytest
import torch

from mha import measured


def test_what_is_written_is_read(tmp_path: Path):
    data = {"kind": "rain", "days": [{"mm": 3.5}, {"mm": 0}], "where": {"town": "Ulm"}}

    measured.write(tmp_path / "rain.json", data)

    assert measured.read(tmp_path / "rain.json", "rain") == data
    assert os.listdir(tmp_path) == ["rain.json"]


def test_each_entry_has_a_line(tmp_path: Path):
    measured.write(tmp_path / "rain.json", {"days": [1, 2], "of": {"a": 1, "b": 2}})

    assert (tmp_path / "rain.json").read_text("utf-8").splitlines() == [
        "{", '"days": [', " 1,", " 2", "],", '"of": {', ' "a": 1,', ' "b": 2', "}", "}",
    ]  # fmt: skip


def test_a_write_that_fails_leaves_the_old_file(tmp_path: Path, monkeypatch):
    file = tmp_path / "rain.json"
    measured.write(file, {"mm": 3})

    def broken(*_):
        raise OSError("disk full")

    monkeypatch.setattr(os, "replace", broken)
    with pytest.raises(OSError, match="disk full"):
        measured.write(file, {"mm": 4})

    assert json.loads(file.read_text("utf-8")) == {"mm": 3}
    assert os.listdir(tmp_path) == ["rain.json"]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"mm 3", "rain.json must be JSON, got: Expecting value"),
        (b"\xff\xfe", "rain.json must be JSON, got: 'utf-8' codec"),
        (b'{"mm": 3}', "rain.json must be of kind 'rain', got None"),
        (b'{"kind": "snow"}', "rain.json must be of kind 'rain', got 'snow'"),
        (b"[3]", "rain.json must be of kind 'rain', got None"),
    ],
)
def test_a_foreign_file_is_refused(content: bytes, said: str, tmp_path: Path):
    (tmp_path / "rain.json").write_bytes(content)

    with pytest.raises(ValueError, match=said):
        measured.read(tmp_path / "rain.json", "rain")


def test_a_file_that_is_not_there_is_an_error_of_the_system(tmp_path: Path):
    with pytest.raises(FileNotFoundError):
        measured.read(tmp_path / "rain.json", "rain")


def test_a_file_that_can_be_written_is_found_out_without_a_trace(tmp_path: Path):
    measured.check_file(tmp_path / "new" / "rain.json")

    assert os.listdir(tmp_path / "new") == []


def test_a_folder_is_no_file(tmp_path: Path):
    with pytest.raises(IsADirectoryError, match="must be a file, got the folder"):
        measured.check_file(tmp_path)


def test_a_file_is_no_folder(tmp_path: Path):
    (tmp_path / "file").touch()

    with pytest.raises(OSError, match="file"):
        measured.check_file(tmp_path / "file" / "rain.json")


def test_a_processor_without_a_name_is_unknown(tmp_path: Path, monkeypatch):
    monkeypatch.setattr(measured.platform, "processor", lambda: "")
    named = tmp_path / "cpuinfo"
    named.write_text("model name\t: Abacus 3\n", "utf-8")

    assert measured.processor(named) == "Abacus 3"
    assert measured.processor(tmp_path / "none") == "unknown processor"


def test_the_birth_certificate_names_the_gpu_where_there_is_one(monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "get_device_name", lambda: "Abacus 4")

    born = measured.provenance("mha bench", threads=3)

    assert (born["command"], born["threads"]) == ("mha bench", 3)
    assert (born["gpu"], born["torch"]) == ("Abacus 4", torch.__version__)
