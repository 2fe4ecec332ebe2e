"""Open and save model files, and fit the example models."""

from __future__ import annotations

import contextlib
import os
import shlex
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from ceiba.errors import ModelFileError, OptionError

#: Files that the command has changed, which are listed if it is interrupted.
CHANGED_FILES: Final[list[Path]] = []


def open_model(path: str | os.PathLike[str]) -> tuple[Any, dict[str, Any]]:
    """Return the estimator and metadata of a model file; a bare tree is wrapped in an estimator."""
    import ceiba.families  # noqa: F401 - the file may hold one of their estimators
    from ceiba.estimators.model_file import restore, wrap_tree
    from ceiba.tree import Tree
    from ceiba.tree.model_file import read

    with _name_file(path):
        document = read(path)
        model = restore(document)
    return wrap_tree(model) if isinstance(model, Tree) else model, document.metadata


def open_tree(path: str | os.PathLike[str]) -> tuple[Any, dict[str, Any]]:
    """Return the tree and metadata of a model file without importing scikit-learn."""
    from ceiba.tree.model_file import read

    with _name_file(path):
        document = read(path)
    return document.tree, document.metadata


@contextlib.contextmanager
def _name_file(path: str | os.PathLike[str]) -> Iterator[None]:
    """Add the path to errors about a model file, because a command may read two files."""
    try:
        yield
    except ModelFileError as error:
        text = str(error)
        name = os.fspath(path)
        raise ModelFileError(text if name in text else f"{name}: {text}") from None


def save_model(model: Any, path: Path, metadata: dict[str, Any]) -> str:
    """Save a model and the commands that built it; return a message if a file was replaced."""
    words = ["ceiba"]
    for word in sys.argv[1:]:  # no local folders
        words.append(Path(word).name if Path(word).is_absolute() else word)
    commands = [metadata["command"]] if "command" in metadata else []
    metadata = {**metadata, "command": " && ".join([*commands, shlex.join(words)])}
    names = (path.with_name(f"{path.name}.bak{number}") for number in ("", *range(2, 10**6)))
    backup = next(name for name in names if not name.exists())
    if replaces := path.is_file():
        try:
            os.link(path, backup)
        except OSError:  # some file systems do not support hard links
            shutil.copy2(path, backup)
    model.save(path, metadata=metadata)
    CHANGED_FILES.append(path)
    if not replaces:
        return ""
    old, new = (
        [line for line in file.read_bytes().splitlines() if b'"written"' not in line]
        for file in (backup, path)
    )
    if old == new:  # the files differ only in their timestamps
        backup.unlink()
        return ""
    return f"Replaced {path}. The old file is saved as {backup}."


def write_example_report(
    name: str, path: Path, lang: str, title: str | None = None
) -> tuple[Any, Any, Any]:
    """Fit a model to 2/3 of a data set and write its report; return model, report and test rows."""
    from ceiba.datasets import get_path, load
    from ceiba.estimators import DecisionTreeClassifier, DecisionTreeRegressor
    from ceiba.prune import CostComplexity

    get_path(name)  # fail early if the name is unknown
    data = load(name)
    if not isinstance(data.target, str):
        raise OptionError(f"--example {name} is not supported, because it has a survival target.")
    n = len(data.y)
    groups = ([i for i in range(n) if i % 3], range(0, n, 3))
    train, test = (
        ({name: [c[i] for i in rows] for name, c in data.X.items()}, [data.y[i] for i in rows])
        for rows in groups
    )
    is_number = all(isinstance(value, int | float) for value in data.y)
    kind = DecisionTreeRegressor if is_number else DecisionTreeClassifier
    model = kind(prune=CostComplexity(rule="1se", keep_unpruned=True)).fit(*train)
    title = title or name.replace("_", " ").capitalize()
    return model, model.report(path, train=train, test=test, title=title, lang=lang), test
