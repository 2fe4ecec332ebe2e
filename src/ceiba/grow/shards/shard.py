"""A shard as arrays: in memory, mapped from a file, or on a worker of a cluster."""

from __future__ import annotations

from dataclasses import dataclass
from threading import Lock
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from ceiba import _core
from ceiba.grow.shards.layout import Ranges, ShardLayout
from ceiba.table import Kind, Schema

Words = npt.NDArray[np.uint64]
_MAKING = Lock()


@dataclass
class ShardArrays:
    """Rows of a table: its columns, its target, its bins and room for an order of rows.

    Attributes
    ----------
    columns : list of arrays
        float64, float32, or int32 codes.
    target : int32 or float64 array
        Class codes or numbers.
    bins : uint8 array of shape (n_rows, n_numeric)
    order : uint32 array
        Filled by the core.
    weights : float64 array, optional
    """

    columns: list[npt.NDArray[Any]]
    target: npt.NDArray[Any]
    bins: npt.NDArray[np.uint8]
    order: npt.NDArray[np.uint32]
    weights: npt.NDArray[np.float64] | None = None

    def core_columns(self, schema: Schema) -> _core.Columns:
        """Give the columns to the core, without a copy."""
        core = _core.Columns(len(self.target))
        for info, values in zip(schema.columns, self.columns, strict=True):
            if info.is_numeric:
                core.add_numeric(values)
            else:
                core.add_levels(values, info.n_levels, info.kind is Kind.ORDERED)
        return core

    def fill_bins(self, schema: Schema, edges: list[list[float]]) -> Ranges:
        """Put every number into its bin; give the range of values in each bin."""
        return tuple(_core.bin_rows(self.core_columns(schema), edges, self.bins))


@dataclass
class Shard:
    """A shard that answers rounds. Pickled without its state: it catches up with the next round."""

    arrays: ShardArrays
    schema: Schema
    layout: ShardLayout
    number: int

    @property
    def core(self) -> _core.Shard:
        """The shard of the core; made at first use, once: it fills the order of rows."""
        with _MAKING:
            made = self.__dict__.get("_core")
            if made is None:
                made = self.__dict__["_core"] = self._made()
        return made

    def _made(self) -> _core.Shard:
        own = self.arrays
        return _core.Shard(
            own.core_columns(self.schema),
            own.bins,
            own.target if own.target.dtype == np.int32 else None,
            own.target if own.target.dtype == np.float64 else None,
            own.weights,
            own.order,
            self.layout.core,
            self.number,
        )

    def answer(self, question: Words) -> Words:
        """Answer a round."""
        return cast(Words, self.core.answer(question))

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_core"}

    def __sizeof__(self) -> int:  # a cluster leaves large things where they are
        own = self.arrays
        weights = () if own.weights is None else (own.weights,)
        return sum(a.nbytes for a in (*own.columns, own.target, own.bins, own.order, *weights))


def empty_arrays(
    schema: Schema, n_rows: int, single: frozenset[str], *, classes: bool, weighted: bool = False
) -> dict[str, Any]:
    """Give type and shape of every array of a shard, by name.

    Parameters
    ----------
    schema : Schema
    n_rows : int
    single : frozenset of str
        The columns of float32.
    classes : bool
        Whether the target is one of classes.
    weighted : bool
        Whether rows have weights.
    """
    shapes: dict[str, Any] = {}
    for j, info in enumerate(schema.columns):
        kind = np.float32 if info.name in single else np.float64
        shapes[f"column{j}"] = (np.dtype(kind if info.is_numeric else np.int32), (n_rows,))
    n_binned = sum(info.kind is not Kind.CATEGORICAL for info in schema.columns)
    shapes["target"] = (np.dtype(np.int32 if classes else np.float64), (n_rows,))
    shapes["bins"] = (np.dtype(np.uint8), (n_rows, n_binned))
    shapes["order"] = (np.dtype(np.uint32), (n_rows,))
    if weighted:
        shapes["weights"] = (np.dtype(np.float64), (n_rows,))
    return shapes


def named_arrays(arrays: dict[str, Any], n_columns: int) -> ShardArrays:
    """Put arrays that were made by `empty_arrays` in their places."""
    columns = [arrays[f"column{j}"] for j in range(n_columns)]
    return ShardArrays(
        columns, arrays["target"], arrays["bins"], arrays["order"], arrays.get("weights")
    )
