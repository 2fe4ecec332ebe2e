"""What the commands write to: devices work, and no room or no permission is exit code 1."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterator
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


@pytest.fixture
def locked() -> Iterator[Path]:
    """A folder in which nothing may be written, with a table that may not be read."""
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        for file in ("data.csv", "secret.csv"):
            (place / file).write_text(CSV, "utf-8")
        ok("learn", "data.csv", "--target", "RAIN", "--model", "m.ceiba", cwd=place)
        (place / "secret.csv").chmod(0)
        for file in ("data.csv", "m.ceiba"):
            (place / file).chmod(0o444)
        place.chmod(0o555)
        yield place
        place.chmod(0o755)


def without_privilege(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """Run the command line as a user whom permissions bind; root needs to give that up."""
    words = [sys.executable, "-m", "ceiba", *arguments]
    if os.geteuid() == 0:
        if shutil.which("setpriv") is None:
            pytest.skip("root may do anything, and there is no setpriv")
        words = ["setpriv", "--bounding-set", "-dac_override,-dac_read_search", "--", *words]
    return subprocess.run(words, cwd=cwd, capture_output=True, text=True, check=False)


def test_no_permission_is_exit_code_1_to_write_and_3_to_read(locked: Path) -> None:
    done = without_privilege("export", "m.ceiba", "sql", "--out", "t.sql", cwd=locked)
    assert (done.returncode, done.stderr) == (
        1,
        "ceiba: Cannot write 't.sql': Permission denied.\n",
    )
    done = without_privilege("describe", "secret.csv", cwd=locked)
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr == "ceiba: Cannot read 'secret.csv': Permission denied.\n"


def test_full_standard_output_is_exit_code_1(folder: Path) -> None:
    full = Path("/dev/full")
    if not full.is_char_device():
        pytest.skip("there is no /dev/full")
    with full.open("w") as out:
        done = subprocess.run(
            [sys.executable, "-m", "ceiba", "predict", "m.ceiba", "data.csv"], cwd=folder,
            stdout=out, stderr=subprocess.PIPE, text=True, check=False,
        )  # fmt: skip
    assert done.returncode == 1
    assert done.stderr == "ceiba: Cannot write the output: No space left on device.\n"


def test_data_that_cannot_be_read_is_exit_code_3(folder: Path) -> None:
    done = run("predict", "m.ceiba", "nothing.csv", "--out", "out.csv", cwd=folder)
    assert done.returncode == 3
    assert not (folder / "out.csv").exists()


def test_picture_of_an_unknown_kind_is_exit_code_2(folder: Path) -> None:
    done = run("plot", "m.ceiba", "--out", "x.doc", cwd=folder)
    assert done.returncode == 2
    assert "unknown image format .doc" in done.stderr
    assert "png" in done.stderr
