"""Temporary scratch files from which the arrays of shards are mapped."""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import numpy as np

from ceiba.errors import DataError

_ALIGNED = 64  # alignment in bytes, a multiple of every dtype's size


class Scratch:
    """Temporary files for arrays, deleted once opened; on Windows, when the `with` block ends."""

    def __init__(self, directory: str | None) -> None:
        self.directory = directory or tempfile.gettempdir()
        self._leftover: list[Path] = []  # files to remove later, because they were still mapped

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for path in self._leftover:
            with contextlib.suppress(OSError):
                path.unlink()

    def check_free_space(self, n_bytes: int) -> None:
        """Raise an error if the disk has fewer free bytes than required."""
        free = shutil.disk_usage(self.directory).free
        if free < n_bytes:
            raise DataError(
                f"Scratch files require {n_bytes / 1e9:.2f} GB in {self.directory}, but "
                f"only {free / 1e9:.2f} GB is free. Pass another directory as `scratch`."
            )

    def arrays(self, name: str, shapes: dict[str, Any]) -> dict[str, Any]:
        """Return arrays with the types and shapes in `shapes`, mapped from a new file."""
        size = file_size(shapes)
        if not size:
            return {key: np.empty(shape, dtype) for key, (dtype, shape) in shapes.items()}
        try:
            handle, file = tempfile.mkstemp(f"-{name}", "ceiba-scratch-", self.directory)
            with os.fdopen(handle, "r+b") as stream, self._unlink_early(Path(file)):
                _reserve(stream.fileno(), size)
                mapped = np.memmap(stream, np.uint8, "r+", shape=(size,))
        except OSError as error:
            if error.errno not in (errno.ENOSPC, errno.EFBIG, errno.EDQUOT):
                raise
            raise DataError(
                f"No space left in {self.directory} for {size / 1e6:.1f} MB of scratch files. Free "
                "some space, or pass another directory as `scratch`."
            ) from error
        arrays, at = {}, 0
        for key, (dtype, shape) in shapes.items():
            n = dtype.itemsize * int(np.prod(shape))
            arrays[key] = np.ndarray(shape, dtype, mapped, at)
            at += -(-n // _ALIGNED) * _ALIGNED
        return arrays

    @contextlib.contextmanager
    def _unlink_early(self, path: Path) -> Iterator[None]:
        """On POSIX, unlink an open file at once, so that even a killed process frees its space."""
        try:
            if os.name == "posix":
                path.unlink()
            else:  # Windows cannot remove files that are mapped
                self._leftover.append(path)
            yield
        except BaseException:
            self._leftover.append(path)
            raise


def file_size(shapes: dict[str, Any]) -> int:
    """Return the size in bytes of a file with these arrays."""
    sizes = (dtype.itemsize * int(np.prod(shape)) for dtype, shape in shapes.values())
    return sum(-(-n // _ALIGNED) * _ALIGNED for n in sizes)


def _reserve(descriptor: int, size: int) -> None:
    """Reserve disk space, because writing to a mapped file on a full disk kills the process."""
    if hasattr(os, "posix_fallocate"):
        os.posix_fallocate(descriptor, 0, size)
    else:  # on macOS and Windows
        block = b"\0" * (1 << 20)
        for at in range(0, size, len(block)):
            os.write(descriptor, block[: min(len(block), size - at)])
