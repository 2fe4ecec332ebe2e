"""The data source of a workspace: a table, and the settings with which scripts read it."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from ceiba.errors import DataError, OptionError
from ceiba.studio.prepare import Prepared, prepare
from ceiba.studio.work.setup import LIKE_MODEL, Setup
from ceiba.table import Column, Table


@dataclass(frozen=True, eq=False)
class Source:
    """The table of a workspace, and the settings with which scripts read it."""

    name: str
    table: Table
    file: str | None = None
    reading: Mapping[str, Any] = field(default_factory=dict)
    expression: str | None = None
    folder: Path | None = None
    read_file: Callable[[Path], Any] | None = None
    held_out: Any = None
    model: Any = None
    model_file: str | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)
    separate_target: bool = False
    remarks: tuple[str, ...] = ()

    def prepare(self, setup: Setup) -> Prepared:
        """Prepare the table according to a setup."""
        assert setup.target is not None
        arguments = setup.arguments()
        if setup.held_out is not None and "share" not in setup.held_out:
            arguments["held_out"] = self._read_held_out(setup.held_out)
        if setup.from_model:
            arguments = {k: v for k, v in arguments.items() if k in LIKE_MODEL}
            arguments["like"] = self.model
        return prepare(self.table, setup.y, **arguments)

    def _read_held_out(self, chosen: Mapping[str, Any]) -> Any:
        if "given" in chosen:
            return self.held_out
        if self.read_file is None:
            raise OptionError("Held-out files require `ceiba studio`. Pass a share of the rows.")
        return self.read_file(self.resolve_path(chosen["file"]))

    def resolve_path(self, name: Any) -> Path:
        """Return the path of a file in the data folder; raise an error for a file outside of it."""
        if self.folder is None:
            raise OptionError("Held-out files require `ceiba studio`. Pass a share of the rows.")
        plain = isinstance(name, str) and 0 < len(name) <= 200 and name not in (".", "..")
        if not plain or any(c in name for c in "/\\\0:") or name.startswith("."):
            raise OptionError(f"file must be the name of a file in the data folder, got {name!r}.")
        path = self.folder / name
        if path.is_symlink() and path.resolve().parent != self.folder.resolve():
            raise OptionError(f"file must not link to another folder, got {name!r}.")
        return Path(path)

    def list_table_files(self) -> list[str]:
        """List the names of the table files in the data folder."""
        if self.folder is None or self.read_file is None:
            return []
        endings = (".csv", ".tsv", ".txt", ".parquet", ".arrow", ".feather", ".xlsx", ".gz")
        try:
            names = [file.name for file in self.folder.iterdir() if file.is_file()]
        except OSError as error:
            raise DataError(f"Cannot read the data folder: {error.strerror}.") from None
        return sorted(name for name in names if name.lower().endswith(endings) and name[0] != ".")

    @cached_property
    def fingerprint(self) -> str:
        """A hash of the names, levels and values of all columns, and of the model's tree."""
        digest = hashlib.blake2b(digest_size=16)
        with ThreadPoolExecutor(2) as pool:  # hashing releases the GIL
            for part in pool.map(_digest, self.table.columns):
                digest.update(part)
        if self.model is not None:
            digest.update(str(self.model.tree_).encode("utf-8", "replace"))
        return digest.hexdigest()


def _digest(column: Column) -> bytes:
    info = column.info
    digest = hashlib.blake2b(repr((info.name, info.levels)).encode("utf-8", "replace"))
    digest.update(np.ascontiguousarray(column.values).data)
    return digest.digest()
