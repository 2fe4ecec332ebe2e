"""The file of a workspace: one line of JSON per action, on disk before the action is acknowledged.

Actions are deterministic, so the list of them is the state: opening the file does them again. A
line that a crash has cut short was never acknowledged, and is dropped. The first line says which
data the actions belong to.
"""

from __future__ import annotations

import contextlib
import json
import os
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any, Final

from ceiba.errors import DataError, OutputError

VERSION: Final = 1


class Journal:
    """A workspace file that is open for writing, by one process at a time."""

    def __init__(self, path: Path, file: IO[bytes], actions: list[dict[str, Any]]) -> None:
        self.path = path
        self.actions = actions
        self.saved = _modified(path)
        self._file = file

    @classmethod
    def open(
        cls, path: Path, fingerprint: str, start: dict[str, Any]
    ) -> tuple[Journal, str | None]:
        """Open the file of a workspace, and give what was done in it; a word if it was another's.

        A file of other data is put aside under another name, never overwritten.
        """
        remark = None
        header = {"ceiba_studio": VERSION, "data": fingerprint, "start": start}
        actions, present = _read(path)
        if present is not None and any(present.get(key) != header[key] for key in header):
            aside = free_name(path)
            path.rename(aside)
            actions, present = [], None
            remark = f"{path.name} was made with other data or options. It is kept as {aside.name}."
        try:
            file = path.open("ab" if present is not None else "xb", buffering=0)
        except OSError as error:
            raise OutputError(
                f"Cannot write {str(path)!r}: {error.strerror}. Choose another place with "
                "--workspace."
            ) from None
        _lock(file, path)
        journal = cls(path, file, actions)
        if present is None:
            journal._append(header)
            journal.saved = None
        else:
            file.truncate(_whole_length(path))
        return journal, remark

    def write(self, action: str, arguments: dict[str, Any]) -> None:
        """Put an action on disk."""
        self._append({"action": action, "arguments": arguments})

    def close(self) -> None:
        """Let others open the file."""
        self._file.close()

    def _append(self, entry: dict[str, Any]) -> None:
        line = json.dumps(entry, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
        try:
            self._file.write(line.encode("ascii") + b"\n")
            os.fsync(self._file.fileno())
        except OSError as error:
            raise OutputError(f"Cannot write {str(self.path)!r}: {error.strerror}.") from None


def _read(path: Path) -> tuple[list[dict[str, Any]], dict[str, Any] | None]:
    """Give the actions and the first line of a file; None: there is no file, or nothing in it."""
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        return [], None
    except OSError as error:
        raise DataError(f"{str(path)!r} cannot be read: {error.strerror}.") from None
    lines = content[: content.rfind(b"\n") + 1].splitlines()
    try:
        entries = [json.loads(line) for line in lines]
    except ValueError:
        entries = [None]
    if not lines:
        path.unlink()
        return [], None
    if not all(isinstance(entry, dict) for entry in entries) or "ceiba_studio" not in entries[0]:
        raise DataError(
            f"{str(path)!r} is not a workspace of the studio. Choose another place with "
            "--workspace."
        )
    return entries[1:], entries[0]


def _whole_length(path: Path) -> int:
    return path.read_bytes().rfind(b"\n") + 1


def free_name(path: Path) -> Path:
    """Give a name beside a path that no file has: .old, .old2, ..."""
    names = (path.with_name(f"{path.name}.old{'' if k == 1 else k}") for k in range(1, 10**6))
    return next(name for name in names if not name.exists())


def _modified(path: Path) -> str | None:
    with contextlib.suppress(OSError):
        return datetime.fromtimestamp(path.stat().st_mtime, UTC).isoformat(timespec="seconds")
    return None


def _lock(file: IO[bytes], path: Path) -> None:
    """Refuse a workspace that another process has open; the system frees a killed one's."""
    try:
        import fcntl
    except ImportError:  # Windows
        return
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        file.close()
        raise OutputError(
            f"{str(path)!r} is open in another studio. Use that one, or choose another place with "
            "--workspace."
        ) from None
