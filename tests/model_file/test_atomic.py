"""Writing leaves what is at the place as it was: links, modes, devices, pipes; and no drafts."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

import ceiba
from ceiba.errors import CeibaError, OutputError
from ceiba.tree.model_file.atomic import atomic_write

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs Linux or macOS")
IS_ROOT = hasattr(os, "geteuid") and os.geteuid() == 0


def write(path: Path, text: bytes = b"new") -> None:
    with atomic_write(path) as file:
        file.write(text)


def test_link_is_followed(tmp_path: Path) -> None:
    target, link = tmp_path / "target", tmp_path / "link"
    target.write_text("old")
    link.symlink_to("target")
    write(link)
    assert link.is_symlink()
    assert target.read_text() == "new"


def test_link_to_nothing_yet_is_followed(tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to("target")
    write(link)
    assert link.is_symlink()
    assert (tmp_path / "target").read_text() == "new"


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o444, 0o755])
def test_file_keeps_its_mode(tmp_path: Path, mode: int) -> None:
    path = tmp_path / "file"
    path.write_text("old")
    path.chmod(mode)
    write(path)
    assert path.read_text() == "new"
    assert stat.S_IMODE(path.stat().st_mode) == mode


def test_new_file_has_the_mode_of_any_new_file(tmp_path: Path) -> None:
    plain = tmp_path / "plain"
    plain.write_text("")
    write(tmp_path / "file")
    assert (tmp_path / "file").stat().st_mode == plain.stat().st_mode


@pytest.mark.skipif(not IS_ROOT, reason="only on Linux as root")
def test_file_keeps_its_owner(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("old")
    os.chown(path, 65534, 65534)
    write(path)
    assert (path.stat().st_uid, path.stat().st_gid) == (65534, 65534)


def test_pipe_is_written_through(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    got: list[bytes] = []
    reader = threading.Thread(target=lambda: got.append(pipe.read_bytes()))
    reader.start()
    ceiba.tree.build(("x <= 2.5", "a", "b")).export("rules", pipe)
    reader.join(10)
    assert got[0].startswith(b"if x <= 2.5")
    assert stat.S_ISFIFO(pipe.stat().st_mode)


def device(folder: Path, minor: int) -> Path:
    """A device of our own: a mistake must not replace the real one."""
    path = folder / "device"
    try:
        os.mknod(path, stat.S_IFCHR | 0o666, os.makedev(1, minor))
        path.open("wb").close()
    except OSError:
        pytest.skip("only on Linux as root, where devices can be made")
    return path


def test_device_is_written_through(tmp_path: Path) -> None:
    null = device(tmp_path, 3)
    model = ceiba.DecisionTreeClassifier().fit([[1.0], [2.0]], ["a", "b"])
    model.save(null)
    model.report(null)
    assert stat.S_ISCHR(null.stat().st_mode)
    assert [one.name for one in tmp_path.iterdir()] == ["device"]


def test_full_device_is_our_error(tmp_path: Path) -> None:
    full = device(tmp_path, 7)
    tree = ceiba.tree.build(("x <= 2.5", "a", "b"))
    for save in (tree.save, lambda path: tree.export("sql", path), tree.report):
        with pytest.raises(OutputError, match="Cannot write .*No space left on device"):
            save(full)
    assert stat.S_ISCHR(full.stat().st_mode)


def test_folder_is_our_error_that_is_also_one_of_the_system(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match="directory") as error:
        write(tmp_path)
    assert isinstance(error.value, OSError)
    assert isinstance(error.value, CeibaError)


def test_error_of_what_is_read_meanwhile_stays_what_it_is(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError), atomic_write(tmp_path / "file"):
        (tmp_path / "nothing").read_bytes()
    assert list(tmp_path.iterdir()) == []


_SLOW = """
import signal, sys, time
signal.signal(signal.SIGHUP, signal.SIG_DFL)  # a parent under nohup has it ignored
from ceiba.tree.model_file.atomic import atomic_write
with atomic_write(sys.argv[1]) as file, atomic_write(sys.argv[1] + ".second") as other:
    file.write(b"half"); file.flush(); other.write(b"half"); other.flush()
    print("writing", flush=True)
    time.sleep(60)
"""


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_signal_ends_the_process_and_leaves_no_draft(tmp_path: Path, number: int) -> None:
    path = tmp_path / "file"
    path.write_text("old")
    command = [sys.executable, "-c", _SLOW, str(path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"writing\n"
        assert len(list(tmp_path.iterdir())) == 3
        time.sleep(0.05)
        process.send_signal(number)
        assert process.wait(30) == -number
    assert [one.name for one in tmp_path.iterdir()] == ["file"]
    assert path.read_text() == "old"


def test_handlers_of_signals_are_as_before(tmp_path: Path) -> None:
    before = signal.getsignal(signal.SIGTERM)
    write(tmp_path / "file")
    assert signal.getsignal(signal.SIGTERM) is before
