"""Tables on a Dask cluster, known by their type alone: nothing here imports dask."""

from __future__ import annotations

from typing import Any


def is_dask_frame(X: Any) -> bool:
    """Return whether a table is a dask DataFrame (or a column a dask Series)."""
    return _is_of_dask(X) and hasattr(X, "map_partitions")


def is_dask_array(X: Any) -> bool:
    """Return whether a table is a dask Array."""
    return _is_of_dask(X) and hasattr(X, "map_blocks")


def is_dask(X: Any) -> bool:
    """Return whether a table is a dask DataFrame or Array."""
    return _is_of_dask(X) and (hasattr(X, "map_partitions") or hasattr(X, "map_blocks"))


def _is_of_dask(X: Any) -> bool:
    return type(X).__module__.partition(".")[0] in ("dask", "dask_expr")
