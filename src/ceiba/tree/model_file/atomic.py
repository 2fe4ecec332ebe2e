"""Write files atomically: write a temporary file in the same folder, then rename it.

Links are followed. A replaced file keeps its mode (and its owner, where the system allows it).
Devices and pipes cannot be replaced and are written directly. The temporary file (draft) is removed
on any error, and on SIGTERM and SIGHUP, but not on SIGKILL.
"""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import signal
import stat
import threading
from collections.abc import Iterator
from pathlib import Path
from types import FrameType
from typing import IO, Any, Final

from ceiba.errors import OutputError

#: Error codes of system errors that always concern the output file.
_DISK_ERRORS: Final = frozenset({errno.ENOSPC, errno.EFBIG, errno.EDQUOT, errno.EROFS})
_SIGNALS: Final = ("SIGTERM", "SIGHUP")  # Windows does not have SIGHUP
_drafts: set[Path] = set()


@contextlib.contextmanager
def atomic_write(
    path: str | os.PathLike[str], mode: str = "wb", **options: Any
) -> Iterator[IO[Any]]:
    """Open a temporary file that replaces `path` if the block succeeds; open a device directly."""
    target = Path(os.path.realpath(path))
    with _as_output_error(path):
        status = target.stat() if target.exists() else None
    if status is not None and not stat.S_ISREG(status.st_mode):
        with _as_output_error(path):
            through = target.open(mode, **options)
        with _as_output_error(path, any_error=False), through:
            yield through
        return
    draft = target.with_name(f".{target.name[:100]}.{secrets.token_hex(4)}.part")
    _drafts.add(draft)
    _swap_handlers(signal.SIG_DFL, _remove_drafts_and_exit)
    try:
        with _as_output_error(path):
            file = draft.open(mode.replace("w", "x"), **options)
        with _as_output_error(path, any_error=False), file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        with _as_output_error(path):
            if status is not None:
                with contextlib.suppress(OSError, AttributeError):  # not root, or not POSIX
                    os.chown(draft, status.st_uid, status.st_gid)
                draft.chmod(stat.S_IMODE(status.st_mode))
            draft.replace(target)
    finally:  # after Ctrl-C too
        draft.unlink(missing_ok=True)
        _drafts.discard(draft)
        if not _drafts:
            _swap_handlers(_remove_drafts_and_exit, signal.SIG_DFL)


@contextlib.contextmanager
def _as_output_error(path: str | os.PathLike[str], *, any_error: bool = True) -> Iterator[None]:
    """Convert any `OSError` in the block, or only those in `_DISK_ERRORS`, to `OutputError`."""
    try:
        yield
    except OSError as error:
        # In the caller's `with` block, other errors may concern files that the caller reads.
        if not any_error and (isinstance(error, OutputError) or error.errno not in _DISK_ERRORS):
            raise
        reason = error.strerror or str(error)
        raise OutputError(f"Cannot write {os.fspath(path)!r}: {reason}.") from None


def _swap_handlers(old: Any, new: Any) -> None:
    """In the main thread, set handlers of SIGTERM and SIGHUP to `new` if they are `old`."""
    if threading.current_thread() is not threading.main_thread():
        return
    for name in _SIGNALS:
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) is old:
            signal.signal(number, new)


def _remove_drafts_and_exit(number: int, _: FrameType | None) -> None:
    for draft in list(_drafts):
        with contextlib.suppress(OSError):
            draft.unlink(missing_ok=True)
    signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)
