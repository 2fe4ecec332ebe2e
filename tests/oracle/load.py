"""Reading the oracle's folder: data sets with their schema, goldens, and the comparison helper.

The folder is named by the environment variable CEIBA_ORACLE; by default it lies beside the project.
The CSV text is the truth: an empty cell is missing, level order is that of the schema, rows are
0-based positions in the file.
"""

from __future__ import annotations

import csv
import importlib.util
import json
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

Golden = dict[str, Any]
PROJECT = Path(__file__).resolve().parents[2]


def folder() -> Path:
    return Path(os.environ.get("CEIBA_ORACLE", PROJECT.parent / "shared" / "oracle"))


@dataclass(frozen=True)
class TableColumn:
    name: str
    kind: str  # numeric | categorical | ordered
    levels: tuple[str, ...]
    values: tuple[float | str | None, ...]  # numbers or level names

    def codes(self) -> list[float | int | None]:
        """Numbers, or positions of the levels."""
        if self.kind == "numeric":
            return list(self.values)
        position = {level: code for code, level in enumerate(self.levels)}
        return [None if value is None else position[value] for value in self.values]

    def at(self, rows: list[int]) -> TableColumn:
        return TableColumn(self.name, self.kind, self.levels, tuple(self.values[r] for r in rows))


@cache
def schema(dataset: str) -> dict[str, dict[str, Any]]:
    return json.loads((folder() / "data" / f"{dataset}.schema.json").read_text("utf-8"))["columns"]


@cache
def read_csv(file: str, dataset: str) -> dict[str, TableColumn]:
    """The columns of a CSV file of the oracle, typed by the schema of its data set."""
    described = schema(dataset)
    with (folder() / "data" / file).open(newline="", encoding="utf-8") as stream:
        names, *lines = list(csv.reader(stream))
    result = {}
    for name, cells in zip(names, zip(*lines, strict=True), strict=True):
        kind = described[name]["type"]
        levels = tuple(described[name].get("levels", ()))
        read = float if kind == "numeric" else str
        values = tuple(None if cell == "" else read(cell) for cell in cells)
        result[name] = TableColumn(name, kind, levels, values)
    return result


def frame(columns: list[TableColumn]) -> Any:
    """A pandas frame with the declared levels, as a user would hold it."""
    import pandas as pd

    series = {}
    for column in columns:
        if column.kind == "numeric":
            series[column.name] = pd.Series(column.values, dtype="float64")
        else:
            dtype = pd.CategoricalDtype(column.levels, ordered=column.kind == "ordered")
            series[column.name] = pd.Series(column.values, dtype=object).astype(dtype)
    return pd.DataFrame(series)


def goldens(kind: str, only: str = "") -> Iterator[Golden]:
    """Every golden of a kind (rpart, sklearn, weka) whose name contains `only`, by name."""
    for path in sorted((folder() / kind).glob("*.json")):
        if only in path.stem:
            yield json.loads(path.read_text("utf-8"))


def golden(kind: str, name: str) -> Golden:
    return json.loads((folder() / kind / f"{name}.json").read_text("utf-8"))


@cache
def comparison() -> Callable[..., tuple[list[str], list[str]]]:
    """`compare(golden, candidate)` of the oracle itself, so that there is one judge."""
    spec = importlib.util.spec_from_file_location("oracle_compare", folder() / "compare.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.compare
