"""Simpler cases: without an option, without rows, without a column, with plainer settings."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any


def without_part(items: list[Any]) -> Iterator[list[Any]]:
    """The list without half of it, a quarter, ... and at last without single items."""
    size = (len(items) + 1) // 2
    while size:
        for start in range(0, len(items), size):
            yield items[:start] + items[start + size :]
        size //= 2


def smaller_table(case: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """A case with columns, target, weight and options: fewer of each."""
    for name in case["options"]:
        yield {**case, "options": {k: v for k, v in case["options"].items() if k != name}}
    if case.get("weight") is not None:
        yield {**case, "weight": None}
    for columns in without_part(case["columns"]):
        yield {**case, "columns": columns}
    n_rows = len(case["target"])
    if all(len(column["cells"]) == n_rows for column in case["columns"]):
        for rows in without_part(list(range(n_rows))):
            yield taken(case, rows)
    for k, column in enumerate(case["columns"]):
        if column.get("dtype") is not None:
            columns = [*case["columns"]]
            columns[k] = {**column, "dtype": None}
            yield {**case, "columns": columns}


def taken(case: dict[str, Any], rows: list[int]) -> dict[str, Any]:
    """The case with these rows, in this order."""
    weight = case.get("weight")
    return {
        **case,
        "columns": [{**c, "cells": [c["cells"][i] for i in rows]} for c in case["columns"]],
        "target": [case["target"][i] for i in rows],
        "weight": None if weight is None else [weight[i] for i in rows],
    }
