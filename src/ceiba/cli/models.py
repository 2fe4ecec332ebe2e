"""Model files for the commands: opened, checked, and always as an estimator."""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ceiba.errors import ModelFileError


def open_model(path: str | os.PathLike[str]) -> tuple[Any, dict[str, Any]]:
    """Return the fitted estimator of a model file (a bare tree gets one) and the metadata."""
    import ceiba.families  # noqa: F401 - the file may hold one of their estimators
    from ceiba.estimators.model_file import restore, wrap
    from ceiba.tree import Tree

    with _named(path):
        document = _read(path)
        model = restore(document)
    return wrap(model) if isinstance(model, Tree) else model, document.metadata


def open_tree(path: str | os.PathLike[str]) -> tuple[Any, dict[str, Any]]:
    """Return the tree of a model file and the metadata, without waiting for scikit-learn."""
    with _named(path):
        document = _read(path)
    return document.tree, document.metadata


def _read(path: str | os.PathLike[str]) -> Any:
    from ceiba.tree.model_file.document import read

    return read(path)


@contextlib.contextmanager
def _named(path: str | os.PathLike[str]) -> Iterator[None]:
    """Say which file is no model: of a command's two files, it may be the wrong one."""
    try:
        yield
    except ModelFileError as error:
        text = str(error)
        name = os.fspath(path)
        raise ModelFileError(text if name in text else f"{name}: {text}") from None


def save_model(model: Any, path: Path, metadata: dict[str, Any]) -> str:
    """Save a model; one that is there already is kept beside it, and a word says so."""
    if not path.is_file():
        model.save(path, metadata=metadata)
        return ""
    kept = _free_name(path)
    try:
        os.link(path, kept)
    except OSError:  # no links on this file system
        shutil.copy2(path, kept)
    model.save(path, metadata=metadata)
    if _same(path, kept):
        kept.unlink()
        return ""
    return f"{path} was there already: it is replaced, and kept as {kept}."


def _same(one: Path, other: Path) -> bool:
    """Return whether two model files differ at most in when they were written."""
    lines = (file.read_bytes().splitlines() for file in (one, other))
    first, second = ([line for line in part if b'"written"' not in line] for part in lines)
    return first == second


def _free_name(path: Path) -> Path:
    """Give a name for the old model that no file has: .bak, .bak2, ..."""
    numbers = ("" if k == 1 else str(k) for k in range(1, 10**6))
    names = (path.with_name(f"{path.name}.bak{number}") for number in numbers)
    return next(name for name in names if not name.exists())
