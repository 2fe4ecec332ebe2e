"""The same columns in every container that the library reads."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tests.hardening.fuzz.cells import cell


def _names(columns: list[Any]) -> list[str]:
    return [column["name"] for column in columns]


def _values(columns: list[Any]) -> list[list[Any]]:
    return [[cell(value) for value in column["cells"]] for column in columns]


def _rows(columns: list[Any]) -> list[list[Any]]:
    return [list(row) for row in zip(*_values(columns), strict=True)]


def _numpy(columns: list[Any]) -> Any:
    dtypes = {column["dtype"] for column in columns} - {None}
    return np.array(_rows(columns), dtype=sorted(dtypes)[0] if dtypes else None)


def _object_array(columns: list[Any]) -> Any:
    values = _values(columns)
    array = np.empty((len(values[0]) if values else 0, len(values)), object)
    for j, column in enumerate(values):
        for i, value in enumerate(column):
            array[i, j] = value
    return array


def _fortran(columns: list[Any]) -> Any:
    return np.asfortranarray(_numpy(columns))


def _strided(columns: list[Any]) -> Any:
    return np.repeat(np.array(_rows(columns), float), 2, axis=0)[::-2][::-1]


def _pandas(columns: list[Any]) -> Any:
    import pandas as pd

    series = []
    for column, values in zip(columns, _values(columns), strict=True):
        made = pd.Series(values, dtype=column["dtype"] or object, name=column["name"])
        series.append(made.infer_objects() if column["dtype"] is None else made)
    return pd.concat(series, axis=1)


def _polars(columns: list[Any]) -> Any:
    import polars as pl

    made = [
        pl.Series(column["name"], values, strict=False)
        for column, values in zip(columns, _values(columns), strict=True)
    ]
    return pl.DataFrame([s.cast(pl.Categorical) if s.dtype == pl.String else s for s in made])


def _polars_text(columns: list[Any]) -> Any:
    import polars as pl

    return pl.DataFrame(dict(zip(_names(columns), _values(columns), strict=True)), strict=False)


def _arrow(columns: list[Any]) -> Any:
    import pyarrow as pa

    made = []
    for values in _values(columns):
        kinds = {type(value) for value in values if value is not None}
        if np.datetime64 in kinds and len(kinds) > 1:  # Arrow itself crashes
            values = [str(value) for value in values]
        made.append(pa.array(values))
    return pa.table(made, names=_names(columns))


def _dict(columns: list[Any]) -> Any:
    return dict(zip(_names(columns), _values(columns), strict=True))


def _dict_of_arrays(columns: list[Any]) -> Any:
    values = [np.array(one) for one in _values(columns)]
    return dict(zip(_names(columns), values, strict=True))


def _list_of_dicts(columns: list[Any]) -> Any:
    names = _names(columns)
    return [dict(zip(names, row, strict=True)) for row in _rows(columns)]


def _ragged_dicts(columns: list[Any]) -> Any:
    """Cells that are None are left out of their row."""
    return [
        {key: value for key, value in row.items() if value is not None}
        for row in _list_of_dicts(columns)
    ]


def _sparse(columns: list[Any]) -> Any:
    from scipy import sparse

    return sparse.csr_matrix(np.array(_rows(columns), float))


def _sparse_columns(columns: list[Any]) -> Any:
    from scipy import sparse

    return sparse.csc_array(np.array(_rows(columns), float))


CONTAINERS: dict[str, Callable[[list[Any]], Any]] = {
    "numpy": _numpy,
    "object array": _object_array,
    "fortran": _fortran,
    "strided": _strided,
    "pandas": _pandas,
    "polars": _polars,
    "polars text": _polars_text,
    "arrow": _arrow,
    "dict": _dict,
    "dict of arrays": _dict_of_arrays,
    "list of dicts": _list_of_dicts,
    "ragged dicts": _ragged_dicts,
    "list of lists": _rows,
    "csr": _sparse,
    "csc": _sparse_columns,
}

#: For pandas and numpy; None: what the values are by themselves.
DTYPES = (
    None, None, None, "object", "category", "float64", "float32", "float16", "int8", "uint8",
    "int64", "Int64", "boolean", "bool", "string", "datetime64[ns]", "timedelta64[s]", "complex128",
    "Float64", "string[pyarrow]", "int64[pyarrow]", "S4", "U4", ">f8", "longdouble",
    "Sparse[float]",
)  # fmt: skip


def held(container: str, columns: list[Any]) -> Any:
    """The table in its container, or None if the container cannot hold it: no fault of ours."""
    try:
        return CONTAINERS[container](columns)
    except (KeyboardInterrupt, SystemExit, MemoryError):
        raise
    except BaseException:  # polars panics with one that is no Exception
        return None
