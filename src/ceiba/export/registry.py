"""Table of the export formats. A new format requires one row here and one function."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from ceiba.errors import OptionError, did_you_mean
from ceiba.task import Task
from ceiba.tree import Tree
from ceiba.tree.model_file import atomic_write


@dataclass(frozen=True)
class Format:
    """An export format: its name, file suffixes and function.

    Attributes
    ----------
    name : str
    function : str
        ``module.function`` inside `ceiba.export`.
    suffixes : tuple of str
        File suffixes of this format.
    about : str
        One-line description.
    tasks : tuple of Task
        Tasks that the format supports.
    """

    name: str
    function: str
    suffixes: tuple[str, ...]
    about: str
    tasks: tuple[Task, ...] = tuple(Task)

    def load(self) -> Any:
        """Import and return the function that exports a tree to this format."""
        module, _, function = self.function.rpartition(".")
        return getattr(import_module(f"ceiba.export.{module}"), function)


_ALL: Final = (
    Format("text", "text.to_text", (".txt",), "the tree as people read it"),
    Format("rules", "text.to_rules", (".rules",), "one line per leaf: if ... then ..."),
    Format("sql", "code.sql.to_sql", (".sql",), "a query: one WHEN per leaf; ten dialects"),
    Format("python", "code.python.to_python", (".py",), "a module without dependencies"),
    Format("c", "code.c.to_c", (".c", ".h"), "a C99 function"),
    Format("javascript", "code.javascript.to_javascript", (".js", ".mjs"), "a JavaScript module"),
    Format("json", "json.to_json", (".json",), "nodes, splits and values for other programs"),
    Format("onnx", "onnx.to_onnx", (".onnx",), "a graph for onnxruntime (bytes)"),
    Format("pmml", "pmml.to_pmml", (".pmml", ".xml"), "PMML 4.4 TreeModel"),
    Format("excel", "excel.to_excel", (".xlsx",), "a workbook whose formulas predict (bytes)"),
    Format("dot", "drawings.flow_charts.to_dot", (".dot", ".gv"), "a Graphviz drawing"),
    Format("mermaid", "drawings.flow_charts.to_mermaid", (".mmd",), "a Mermaid drawing"),
    Format("svg", "drawings.svg.to_svg", (".svg",), "a picture"),
    Format(
        "sklearn",
        "sklearn.to_sklearn",
        (),
        "a fitted scikit-learn estimator (an object)",
        (Task.CLASSIFICATION, Task.REGRESSION),
    ),
)

#: The formats by name.
FORMATS: Final[Mapping[str, Format]] = MappingProxyType({format_.name: format_ for format_ in _ALL})
_ALIASES: Final = {
    "py": "python", "js": "javascript", "txt": "text", "c99": "c", "postgres": "sql",
    "xlsx": "excel",
}  # fmt: skip


def format_named(name: str) -> Format:
    """Return the format with the given name or alias."""
    chosen = FORMATS.get(_ALIASES.get(name, name))
    if chosen is None:
        allowed = ", ".join(FORMATS)
        hint = did_you_mean(name, FORMATS)
        raise OptionError(f"Unknown format {name!r}. Allowed values: {allowed}.{hint}")
    return chosen


def format_of_path(path: str | os.PathLike[str]) -> Format:
    """Return the format for the suffix of a file."""
    suffix = Path(path).suffix.lower()
    for format_ in FORMATS.values():
        if suffix in format_.suffixes:
            return format_
    suffixes = ", ".join(suffix for format_ in FORMATS.values() for suffix in format_.suffixes)
    raise OptionError(
        f"Cannot infer the format of {os.fspath(path)!r}. Supported suffixes: {suffixes}."
    )


def export(
    tree: Tree,
    format: str,  # noqa: A002
    path: str | os.PathLike[str] | None = None,
    **options: Any,
) -> Any:
    """Return a tree in another format, and write it to `path` if given.

    Parameters
    ----------
    tree : Tree
    format : str
        A key of `ceiba.export.FORMATS`: text, rules, sql, python, c, javascript, json, onnx, pmml,
        excel, ... .
    path : path, optional
        File to write, atomically.
    **options
        Options of the format's function, e.g. ``dialect="duckdb"`` of `ceiba.export.to_sql`.

    Returns
    -------
    str, bytes (onnx, excel) or an estimator (sklearn)

    Examples
    --------
    >>> import ceiba
    >>> tree = ceiba.tree.build(("x <= 2.5", "a", "b"))
    >>> print(ceiba.export.export(tree, "rules"))
    if x <= 2.5 or missing then a  (p=1)
    if x > 2.5 then b  (p=1)
    """
    chosen = format_named(format)
    tree.task.require(chosen.tasks, f"format={chosen.name!r}")
    result = chosen.load()(tree, **options)
    if path is None:
        return result
    if not isinstance(result, str | bytes):
        raise OptionError(f"path is not supported with format={chosen.name!r}. Omit path.")
    with atomic_write(path) as file:
        file.write(result if isinstance(result, bytes) else result.encode("utf-8"))
    return result
