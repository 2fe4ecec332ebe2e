"""Anything tabular -> Table, when predicting: the columns, kinds and levels of a schema.

container -> Source -> columns found by position or by name -> levels coded by the schema -> Table.
A float matrix goes past all of this in a microsecond.
"""

from __future__ import annotations

from functools import partial
from typing import Any, Literal

import numpy as np

from ceiba.errors import OptionError, did_you_mean
from ceiba.table.conform import Unseen, conform
from ceiba.table.matching import by_name, by_position
from ceiba.table.readers.dispatch import open_source
from ceiba.table.readers.source import check_shape
from ceiba.table.scanning.scan import Scan
from ceiba.table.scanning.scanned import ScannedTable
from ceiba.table.schema import Schema
from ceiba.table.table import FLOATS, Table

_SMALL = 100_000  # cells that are copied faster than looked at column by column
_MATCHES = ("position", "name", "order")


def read_like(
    X: Any,
    schema: Schema,
    *,
    match: Literal["position", "name", "order"] = "position",
    unseen: Unseen = "keep",
    owner: str = "this tree",
) -> Table:
    """Read a table for predicting, by the schema seen when fitting.

    Parameters
    ----------
    X : table
        As in :func:`ceiba.table.read`, or a scan (by name). Infinities are allowed: they are
        beyond every cut.
    schema : Schema
        What was seen when fitting. A column called like its target is left out.
    match : {"position", "name", "order"}
        By position, names (if both sides have them) must be the same in the same order, as scikit-
        learn demands. By name, order is free and further columns are ignored. In
        order, names are not compared.
    unseen : {"keep", "missing", "error"}
        A level not seen when fitting gets the code ``n_levels``, becomes missing, or is an error.
    owner : str
        Who was fitted, for messages; estimators give their class name.

    Returns
    -------
    Table

    Raises
    ------
    SchemaError
        Other columns, other kinds.

    Examples
    --------
    >>> from ceiba.table import read
    >>> schema = read({"age": [31, 45], "city": ["Oslo", "Lima"]}).schema
    >>> table = read_like([{"city": "Rome", "age": 50}], schema, match="name")
    >>> [column.values.tolist() for column in table.columns]
    [[50.0], [2]]
    """
    # The fast path: a float matrix for unnamed numeric columns is taken as it is.
    if type(X) is np.ndarray and X.ndim == 2 and schema.is_matrix and not schema.named:
        dtype, shape = X.dtype, X.shape
        if dtype in FLOATS and shape[1] == schema.n_columns and shape[0] and X.flags.aligned:
            return Table.from_matrix(X, schema)
    if isinstance(X, Scan):
        return ScannedTable(X, schema, partial(read_like, match="name", unseen=unseen))
    source = open_source(X)
    if match in ("position", "order"):
        names = source.names
        if match == "order":
            names = schema.names if schema.named else None
        positions = by_position(names, source.n_columns, schema, owner)
        check_shape(source)
    elif match == "name":
        positions = by_name(source.names, source.n_columns, schema, owner)
    else:
        raise OptionError(
            f"match={match!r}. Allowed are 'position', 'name' and 'order'."
            f"{did_you_mean(match, _MATCHES)}"
        )
    if source.matrix is not None and schema.is_matrix:
        if positions == list(range(source.n_columns)):
            return Table.from_matrix(source.matrix, schema)
        if source.matrix.size <= _SMALL:
            return Table.from_matrix(source.matrix[:, positions], schema)
    if source.sparse is not None and schema.is_matrix:
        if positions == list(range(source.n_columns)):
            return Table.from_sparse(source.sparse, schema)
        return Table.from_sparse(source.sparse[:, positions], schema)
    columns = tuple(
        conform(source.read_column(j, info.name), info, unseen)
        for j, info in zip(positions, schema.columns, strict=True)
    )
    return Table(columns, source.n_rows, schema)
