"""Names for the columns of a table that came without: arrays and lists of lists."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ceiba.errors import OptionError
from ceiba.table.schema import Schema
from ceiba.table.table import Table


def with_names(table: Table, names: Sequence[str]) -> Table:
    """Return a table with names for its columns; when predicting, arrays are taken as before.

    Examples
    --------
    >>> from ceiba.table import read
    >>> from ceiba.table.named import with_names
    >>> with_names(read([[1, 2], [3, 4]]), ["age", "size"]).schema.names
    ('age', 'size')
    """
    given = [str(name) for name in names]
    schema = table.schema
    if schema.named:
        raise OptionError("feature_names is for tables without names; this one has its own.")
    if len(given) != schema.n_columns or len(set(given)) < len(given):
        raise OptionError(
            f"feature_names must hold {schema.n_columns} different names, one for each column. Got "
            f"{given!r}."
        )
    infos = tuple(
        replace(info, name=name) for info, name in zip(schema.columns, given, strict=True)
    )
    return table.with_schema(Schema(infos, schema.target, named=False))
