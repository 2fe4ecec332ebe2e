"""Draw random rows and label them with the predictions of a tree (`Tree.sample`).

Every column is drawn uniformly and independently, then the tree labels the rows. A numeric column
without a known range is drawn from an interval that reaches one step beyond the tree's outermost
cuts on it, so that every branch receives rows.
"""

from __future__ import annotations

import datetime
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final, Literal

import numpy as np

from ceiba.errors import OptionError
from ceiba.table import ColumnInfo, Kind, load_zone, read_like
from ceiba.tree.arrays import Array
from ceiba.tree.routing import route

if TYPE_CHECKING:
    from ceiba.tree.tree import Tree

Container = Literal["dict", "numpy", "pandas", "polars", "pyarrow"]
_FRAME_CONSTRUCTORS: Final = {
    "pandas": ("pandas", "DataFrame"),
    "polars": ("polars", "DataFrame"),
    "pyarrow": ("pyarrow", "table"),
}


def sample(tree: Tree, n: int, *, random_state: Any, container: Container) -> tuple[Any, Array]:
    """Draw random rows and label them with the tree's predictions; see `Tree.sample`."""
    if n < 0:
        raise OptionError(f"n must be at least 0, got {n}.")
    seed = 0 if random_state is None else random_state
    if isinstance(seed, np.random.RandomState):
        seed = seed.randint(2**31)
    rng = np.random.default_rng(seed)
    columns = {
        info.name: _draw_column(tree, j, info, n, rng) for j, info in enumerate(tree.schema.columns)
    }
    table = read_like(columns, tree.schema, match="name")
    return _to_container(columns, container), route.predict(tree, table)


def _draw_column(tree: Tree, j: int, info: ColumnInfo, n: int, rng: np.random.Generator) -> Array:
    """Draw n values of column j, including missing values if a split has a branch for them."""
    if info.kind != Kind.NUMERIC:
        levels = np.empty(len(info.levels), object)
        levels[:] = info.levels
        values: Array = levels[rng.integers(len(levels), size=n)]
    elif info.display == "boolean":
        values = rng.integers(2, size=n).astype(bool)
    else:
        values = _to_display_type(rng.uniform(*_sampling_range(tree, j, info), size=n), info)
    separated = (tree.splits.column == j) & tree.splits.has_missing_branch
    if separated.any():
        rows = int(tree.n_rows[0])
        share = info.n_missing / rows if rows and info.n_missing else 0.5
        values = values.astype(object) if values.dtype.kind == "b" else values
        missing: dict[str, Any] = {"O": None, "m": "NaT", "M": "NaT"}
        values[rng.random(n) < share] = missing.get(values.dtype.kind, np.nan)
    return values


def _to_display_type(numbers: Array, info: ColumnInfo) -> Array:
    """Convert seconds to the date, datetime or duration type of the column, if it has one."""
    if info.display == "date":
        return np.floor(numbers / 86400).astype("datetime64[D]")
    if info.zone is not None:
        epoch = datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC)
        zone = load_zone(info.zone)
        values = np.empty(len(numbers), dtype=object)
        for i, number in enumerate(numbers.tolist()):
            values[i] = (epoch + datetime.timedelta(seconds=number)).astimezone(zone)
        return values
    if info.display == "datetime":
        return np.floor(numbers * 1e6).astype("datetime64[us]")
    if info.display == "duration":
        return np.floor(numbers * 1e6).astype("timedelta64[us]")
    return numbers


def _sampling_range(tree: Tree, j: int, info: ColumnInfo) -> tuple[float, float]:
    if info.minimum is not None and info.maximum is not None:
        return info.minimum, info.maximum
    cuts = tree.splits.cuts_of(j)
    if len(cuts) == 0:
        return 0.0, 1.0
    step = (cuts[-1] - cuts[0]) / (len(cuts) - 1) if len(cuts) > 1 else max(abs(cuts[0]), 1.0)
    return float(cuts[0] - step), float(cuts[-1] + step)


def _to_container(columns: dict[str, Array], container: Container) -> Any:
    if container == "dict":
        return columns
    if container == "numpy":
        return np.column_stack(list(columns.values())) if columns else np.zeros((0, 0))
    lists = {name: values.tolist() for name, values in columns.items()}
    if container in _FRAME_CONSTRUCTORS:
        module, name = _FRAME_CONSTRUCTORS[container]
        return getattr(import_module(module), name)(lists)
    raise OptionError(
        f"container must be 'dict', 'numpy', 'pandas', 'polars' or 'pyarrow', got {container!r}."
    )
