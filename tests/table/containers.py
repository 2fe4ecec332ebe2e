"""The same table in every container: a dict of lists, and what others make of it."""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa

Columns = dict[str, list[Any]]


def _records(columns: Columns) -> list[dict[str, Any]]:
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def _structured(columns: Columns) -> np.ndarray:
    dtype = [(name, object) for name in columns]
    return np.array(list(zip(*columns.values(), strict=True)), dtype=dtype)


def _duckdb(columns: Columns) -> Any:
    import duckdb

    return duckdb.from_arrow(pa.table(columns))


NAMED: dict[str, Callable[[Columns], Any]] = {
    "dict": dict,
    "records": _records,
    "structured": _structured,
    "pandas": pd.DataFrame,
    "pandas-object": lambda columns: pd.DataFrame(columns, dtype=object),
    "pandas-nullable": lambda columns: pd.DataFrame(columns).convert_dtypes(),
    "pandas-arrow": lambda columns: pa.table(columns).to_pandas(types_mapper=pd.ArrowDtype),
    "polars": lambda columns: pl.DataFrame(columns),
    "polars-lazy": lambda columns: pl.DataFrame(columns).lazy(),
    "pyarrow": pa.table,
}
if find_spec("duckdb") is not None:  # not among the test dependencies
    NAMED["duckdb"] = _duckdb

NAMELESS: dict[str, Callable[[Columns], Any]] = {
    "object-array": lambda columns: pd.DataFrame(columns, dtype=object).to_numpy(),
    "lists": lambda columns: [list(row) for row in zip(*columns.values(), strict=True)],
    "tuples": lambda columns: list(zip(*columns.values(), strict=True)),
    "pandas-int-names": lambda columns: pd.DataFrame(dict(enumerate(columns.values()))),
}
