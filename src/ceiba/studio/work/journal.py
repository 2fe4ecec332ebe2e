"""Read and write the workspace file, which has one line of JSON per action.

Each line is synced before its action is acknowledged. Actions are deterministic, so opening the
file replays them. A line that a crash cut short was never acknowledged and is dropped. The first
line identifies the data of the workspace.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any, Final

from ceiba.errors import DataError, OptionError, OutputError

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

VERSION: Final = 1
_PREFIX: Final = b'{"ceiba_studio":'  # start of every workspace file


class Journal:
    """A workspace file, open for writing and (except on Windows) locked by this process."""

    def __init__(self, path: Path, file: IO[bytes]) -> None:
        self.path = path
        self.start: dict[str, Any] = {}
        self.actions: list[dict[str, Any]] = []
        self.remarks: list[str] = []
        self.saved: str | None = None
        self._file = file
        self._line_ends: list[int] = []  # end offsets of the header and of each action read
        self._length = 0  # end offset of the last complete line

    @classmethod
    def open(
        cls, path: Path, fingerprint: str, start: dict[str, Any], *, new: bool = False
    ) -> Journal:
        """Open the file of a workspace and read its actions.

        If the file has other data, or another model, lesson or given target, or if `new`, rename it
        and start a new one. Otherwise, read the attribute `start` from the file.
        """
        header = {"ceiba_studio": VERSION, "data": fingerprint, "start": start}
        journal = cls(path, _open(path))
        try:
            content = journal._file.read()
            old_header = {} if new else _read_header(content, path)
            journal.start = start
            if old_header and _is_same_work(old_header, header):
                journal.start = old_header["start"]
                journal._read(content)
            else:
                if content and old_header is not None:
                    journal._rename_old(new)
                journal._append(header)
        except BaseException:
            journal.close()
            raise
        return journal

    def write(self, action: str, arguments: dict[str, Any]) -> None:
        """Append an action to the file, and flush it to disk."""
        self._append({"action": action, "arguments": arguments})

    def close(self) -> None:
        """Close the file and release the lock."""
        self._file.close()

    def keep_first(self, n: int) -> Path:
        """Truncate the file to its first n actions, and return the path of a complete copy."""
        copy = find_free_name(self.path)
        try:
            self._file.seek(0)
            with _open_private(copy, "xb") as file:
                shutil.copyfileobj(self._file, file)
                file.flush()
                os.fsync(file.fileno())
            self._file.truncate(self._line_ends[n])
        except OSError as error:
            copy.unlink(missing_ok=True)
            raise _output_error(copy, error) from None
        self._length = self._line_ends[n]
        return copy

    def _rename_old(self, new: bool) -> None:
        """Rename the locked file and start a new one."""
        backup, old = find_free_name(self.path), self._file
        try:
            if fcntl is None:
                old.close()  # Windows cannot rename an open file
            self.path.rename(backup)
        except OSError as error:
            raise _output_error(self.path, error) from None
        self._file = _open(self.path)
        old.close()
        why = "" if new else f"{self.path.name} has other data or another model or target. "
        self.remarks.append(f"{why}The previous work is saved as {backup.name}.")

    def _read(self, content: bytes) -> None:
        self.saved = _modified_time(self._file)
        header, *lines, _ = content.split(b"\n")
        self._length = len(header) + 1
        self._line_ends.append(self._length)
        for number, line in enumerate(lines, 2):
            self._length += len(line) + 1
            entry = _parse_entry(line)
            if entry is None:
                self.remarks.append(f"{self.path.name}: line {number} is damaged and was skipped.")
                continue
            self.actions.append(entry)
            self._line_ends.append(self._length)

    def _append(self, entry: dict[str, Any]) -> None:
        """Write and sync a complete line, or leave the file unchanged."""
        try:
            text = json.dumps(entry, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
        except ValueError:
            raise OptionError("Numbers in action arguments must be finite.") from None
        line = text.encode("ascii") + b"\n"
        try:
            # Remove an incomplete line left by a crash or by a failed write.
            self._file.truncate(self._length)
            n_bytes = 0
            while n_bytes < len(line):  # on a nearly full disk, a write may be incomplete
                n_bytes += self._file.write(line[n_bytes:])
            os.fsync(self._file.fileno())
        except OSError as error:
            with contextlib.suppress(OSError):
                self._file.truncate(self._length)
            raise _output_error(self.path, error) from None
        self._length += len(line)


def _is_same_work(old_header: dict[str, Any], header: dict[str, Any]) -> bool:
    """Whether a stored header has the same data, model, lesson and target as a new one."""
    start, old_start = header["start"], old_header.get("start")
    if not isinstance(old_start, dict) or {**old_header, "start": 0} != {**header, "start": 0}:
        return False
    names = ["model", "lesson", *(["target"] if start.get("target") is not None else [])]
    return all(start.get(name) == old_start.get(name) for name in names)


def _open_private(path: Path, mode: str, buffering: int = -1) -> Any:
    """Open a file; except on Windows, only its owner can read a new file."""
    return open(path, mode, buffering, opener=lambda name, flags: os.open(name, flags, 0o600))


def _open(path: Path) -> IO[bytes]:
    """Open a file and, except on Windows, lock it until it is closed or the process ends."""
    while True:
        try:
            file: IO[bytes] = _open_private(path, "ab+", buffering=0)
            file.seek(0)
        except OSError as error:
            raise _output_error(path, error) from None
        if fcntl is None:
            return file
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if os.path.samestat(os.fstat(file.fileno()), path.stat()):
                return file
        except FileNotFoundError:
            pass
        except BlockingIOError:
            file.close()
            raise OutputError(
                f"{str(path)!r} is open in another studio. Use that one, or choose another "
                "workspace file."
            ) from None
        except OSError as error:
            file.close()
            raise _output_error(path, error) from None
        file.close()  # another process has renamed the open file


def _output_error(path: Path, error: OSError) -> OutputError:
    reason = error.strerror or str(error)
    return OutputError(f"Cannot write {str(path)!r}: {reason}. Choose another workspace file.")


def _read_header(content: bytes, path: Path) -> dict[str, Any] | None:
    """Return the header of a workspace file, or None if it is missing or incomplete."""
    first, end, _ = content.partition(b"\n")
    if not end and (first.startswith(_PREFIX) or _PREFIX.startswith(first)):
        return None
    header = _loads(first)
    if not isinstance(header, dict) or "ceiba_studio" not in header:
        raise DataError(f"{str(path)!r} is not a studio workspace. Choose another workspace file.")
    return header


def _parse_entry(line: bytes) -> dict[str, Any] | None:
    """Return the action on a line, or None if the line is damaged."""
    # An incomplete action may precede a complete one on the same line.
    for text in (line, line[line.rfind(b'{"action":') :]):
        entry = _loads(text)
        if (
            isinstance(entry, dict)
            and isinstance(entry.get("action"), str)
            and isinstance(entry.get("arguments"), dict)
        ):
            return entry
    return None


def _loads(text: bytes) -> Any:
    with contextlib.suppress(ValueError, RecursionError):
        return json.loads(text)
    return None


def find_free_name(path: Path) -> Path:
    """Return an unused path with the suffix .old, .old2, ..."""
    names = (path.with_name(f"{path.name}.old{'' if k == 1 else k}") for k in range(1, 10**6))
    return next(name for name in names if not name.exists())


def _modified_time(file: IO[bytes]) -> str | None:
    seconds = os.fstat(file.fileno()).st_mtime
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")
