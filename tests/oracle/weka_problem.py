"""A Weka golden as a problem: columns (ordered ones as nominal), labels and J48's options."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tests.oracle.load import Golden, TableColumn, read_csv


@dataclass(frozen=True)
class WekaProblem:
    columns: list[TableColumn]
    labels: list[str]
    classes: list[str]
    incomplete: list[TableColumn] | None  # rows with values removed
    options: dict[str, Any]


def problem(golden: Golden) -> WekaProblem:
    table = read_csv(f"{golden['dataset']}.csv", golden["dataset"])
    target = table[golden["target"]]
    dropped = set(golden.get("rows_dropped", ()))
    rows = [r for r, v in enumerate(target.values) if v is not None and r not in dropped]
    if "Id3" in golden["engine"]:
        columns = [table[name] for name in golden["predictors"]]
        rows = [r for r in rows if all(c.values[r] is not None for c in columns)]
    na_rows = golden.get("na_rows")
    incomplete = None
    if na_rows is not None:
        holes = read_csv(na_rows["file"], golden["dataset"])
        incomplete = [nominal(holes[name]) for name in golden["predictors"]]
    return WekaProblem(
        [nominal(table[name].at(rows)) for name in golden["predictors"]],
        [str(target.values[r]) for r in rows],
        golden["classes"],
        incomplete,
        options(golden["options"]),
    )


def nominal(column: TableColumn) -> TableColumn:
    kind = "numeric" if column.kind == "numeric" else "categorical"
    return TableColumn(column.name, kind, column.levels, column.values)


def options(words: list[str]) -> dict[str, Any]:
    """J48's command line in the words of `ceiba.c45`."""
    given = dict(zip(words, [*words[1:], ""], strict=False))
    return {
        "min_samples": int(given.get("-M", 2)),
        "confidence": None if "-U" in given else float(given.get("-C", 0.25)),
        "raising": "-S" not in given,
        "binary": "-B" in given,
    }
