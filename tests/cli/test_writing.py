"""What the commands write to: devices work, and no room or no permission is exit code 1."""

from __future__ import annotations

import os
import stat
import sys
from pathlib import Path

import pytest

from tests.cli.running import CSV, ok, run

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="needs Linux")

COMMANDS = {
    "learn": ("learn", "data.csv", "--model", "{out}"),
    "predict": ("predict", "m.ceiba", "data.csv", "--out", "{out}"),
    "prune": ("prune", "m.ceiba", "--alpha", "0.1", "--out", "{out}"),
    "plot": ("plot", "m.ceiba", "--out", "{out}"),
    "report": ("report", "m.ceiba", "--out", "{out}"),
    "export": ("export", "m.ceiba", "sql", "--out", "{out}"),
    "datasets": ("datasets", "iris", "--out", "{out}"),
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "data.csv").write_text(CSV, "utf-8")
    ok("learn", "data.csv", "--target", "RAIN", "--model", "m.ceiba", cwd=tmp_path)
    return tmp_path


def words(command: str, out: Path) -> list[str]:
    given = [word.format(out=out) for word in COMMANDS[command]]
    return [*given, "--target", "RAIN"] if command == "learn" else given


def device(folder: Path, minor: int) -> Path:
    path = folder / "device"
    try:
        os.mknod(path, stat.S_IFCHR | 0o666, os.makedev(1, minor))
        path.open("wb").close()
    except OSError:
        pytest.skip("only on Linux as root, where devices can be made")
    return path


@pytest.mark.parametrize("command", COMMANDS)
def test_device_is_written_through(command: str, folder: Path) -> None:
    null = device(folder, 3)
    ok(*words(command, null), cwd=folder)
    assert stat.S_ISCHR(null.stat().st_mode)
    assert {one.name for one in folder.iterdir()} == {"data.csv", "m.ceiba", "device"}


@pytest.mark.parametrize("command", COMMANDS)
def test_full_disk_is_exit_code_1(command: str, folder: Path) -> None:
    done = run(*words(command, device(folder, 7)), cwd=folder)
    assert done.returncode == 1
    assert "No space left on device" in done.stderr
    assert "not your fault" not in done.stderr


@pytest.mark.parametrize("command", COMMANDS)
def test_place_that_cannot_be_written_is_exit_code_1(command: str, folder: Path) -> None:
    done = run(*words(command, Path("/proc/nothing")), cwd=folder)
    assert done.returncode == 1
    assert "Cannot write '/proc/nothing'" in done.stderr


def test_data_that_cannot_be_read_is_exit_code_3(folder: Path) -> None:
    done = run("predict", "m.ceiba", "nothing.csv", "--out", "out.csv", cwd=folder)
    assert done.returncode == 3
    assert not (folder / "out.csv").exists()


def test_picture_of_an_unknown_kind_is_exit_code_2(folder: Path) -> None:
    done = run("plot", "m.ceiba", "--out", "x.doc", cwd=folder)
    assert done.returncode == 2
    assert "no picture is called .doc" in done.stderr
    assert "png" in done.stderr
