"""Model files for the commands: opened, checked, and always as an estimator."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from typing import Any


def open_model(path: str | os.PathLike[str]) -> tuple[Any, dict[str, Any]]:
    """Give the fitted estimator of a model file (a bare tree gets one) and the metadata."""
    import ceiba.families  # noqa: F401 - the file may hold one of their estimators
    from ceiba.estimators.model_file import restore, wrap
    from ceiba.tree import Tree

    with _named(path):
        document = _read(path)
        model = restore(document)
    return wrap(model) if isinstance(model, Tree) else model, document.metadata


def open_tree(path: str | os.PathLike[str]) -> tuple[Any, dict[str, Any]]:
    """Give the tree of a model file and the metadata, without waiting for scikit-learn.

    A tree that was searched for has its certificate: that is one of the estimator's attributes.
    """
    with _named(path):
        document = _read(path)
        if not _is_certified(document):
            return document.tree, document.metadata
    model, metadata = open_model(path)
    return model.tree_, metadata


def _is_certified(document: Any) -> bool:
    stored = None if document.model is None else document.model.value
    fitted = stored.get("fitted") if isinstance(stored, dict) else None
    return isinstance(fitted, dict) and "certificate_" in fitted


def _read(path: str | os.PathLike[str]) -> Any:
    from ceiba.tree.model_file import read

    return read(path)


@contextlib.contextmanager
def _named(path: str | os.PathLike[str]) -> Iterator[None]:
    """Say which file is no model: of a command's two files, it may be the wrong one."""
    from ceiba.errors import ModelFileError

    try:
        yield
    except ModelFileError as error:
        text = str(error)
        name = os.fspath(path)
        raise ModelFileError(text if name in text else f"{name}: {text}") from None


def reading_of(
    metadata: dict[str, Any],
    separator: str | None,
    encoding: str,
    markers: list[str] | None,
    decimal_comma: bool,
    quiet: bool = False,
) -> Any:
    """Give how to read a CSV: what counted as missing when learning does so again."""
    from ceiba.cli.files.reading import Reading

    stored = metadata.get("missing_markers")
    if not markers and isinstance(stored, list) and all(isinstance(one, str) for one in stored):
        markers = [one for one in stored if one]
    return Reading.of(separator, encoding, markers, decimal_comma, quiet)
