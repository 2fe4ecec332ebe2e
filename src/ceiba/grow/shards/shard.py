"""A shard as arrays: in memory, mapped from a file, or on a worker of a cluster."""

from __future__ import annotations

from dataclasses import dataclass, field
from threading import Lock
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from ceiba import _core
from ceiba.grow.shards.chaid.rounds import Round, asks_about_categories
from ceiba.grow.shards.chaid.rows import CategoryRows
from ceiba.grow.shards.layout import Ranges, ShardLayout
from ceiba.grow.shards.scratch import Scratch
from ceiba.grow.shards.together import Words, is_joined, joined_answers, questions_of
from ceiba.table import Column, Kind, Schema, Table

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
        Room for the rows of the tree, node after node.
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


@dataclass(frozen=True)
class TreeBins:
    """Bins that one tree has for itself (`max_bins`): they follow from the rows it is grown on."""

    bins: npt.NDArray[np.uint8]
    layout: ShardLayout


@dataclass
class Shard:
    """A shard that answers rounds. Pickled without its state: it catches up with the next round.

    Tree 0 is that of all rows; tree v + 1 that of the rows that fold v does not hold out.

    Attributes
    ----------
    arrays : ShardArrays
    schema : Schema
    layout : ShardLayout
    number : int
        Its place among the shards.
    fold : uint16 array, optional
        The fold of each row.
    scratch : Scratch, optional
        Where there is room for the orders of rows of the folds' trees; None: in memory.
    own_bins : dict
        By tree, bins in the place of those that all trees share.
    """

    arrays: ShardArrays
    schema: Schema
    layout: ShardLayout
    number: int
    fold: npt.NDArray[np.uint16] | None = None
    scratch: Scratch | None = None
    own_bins: dict[int, TreeBins] = field(default_factory=dict)

    @property
    def core(self) -> _core.Shard:
        """The shard of the core for the tree of all rows."""
        return self.core_of(0)

    def core_of(self, tree: int) -> _core.Shard:
        """Give the shard of the core for a tree; made at first use, once: it rearranges rows."""
        with _MAKING:
            made = self.__dict__.setdefault("_core", {})
            if tree not in made:
                made[tree] = self._made(tree)
        return cast(_core.Shard, made[tree])

    def _made(self, tree: int) -> _core.Shard:
        own = self.arrays
        binned = self.own_bins.get(tree, TreeBins(own.bins, self.layout))
        return _core.Shard(
            own.core_columns(self.schema),
            binned.bins,
            own.target if own.target.dtype == np.int32 else None,
            own.target if own.target.dtype == np.float64 else None,
            own.weights,
            self.order_of(tree),
            binned.layout.core,
            self.number,
        )

    def rows_of(self, tree: int) -> npt.NDArray[np.uint32]:
        """List the rows of a tree, ascending: rows of weight 0 are in none."""
        own = self.arrays
        chosen: Any = slice(None) if own.weights is None else own.weights > 0
        if tree:
            assert self.fold is not None
            kept = self.fold != tree - 1
            chosen = kept if own.weights is None else kept & chosen
        rows: npt.NDArray[np.uint32] = np.arange(len(own.target), dtype=np.uint32)[chosen]
        return rows

    def order_of(self, tree: int) -> npt.NDArray[np.uint32]:
        """Make room for the rows of a tree, and list them there."""
        rows, order = self.rows_of(tree), self.arrays.order
        if tree:
            order = self.room(f"order-{tree}", rows.dtype, len(rows))
        order = order[: len(rows)]
        order[:] = rows
        return order

    def room_for_bins(self, tree: int) -> npt.NDArray[np.uint8]:
        """Make room for bins of a tree's own."""
        bins = self.arrays.bins
        if self.scratch is not None and not tree:
            return bins  # which nobody needs any more
        return self.room(f"bins-{tree}", bins.dtype, *bins.shape)

    def room(self, name: str, dtype: np.dtype[Any], *shape: int) -> npt.NDArray[Any]:
        """Make room for an array, in a scratch file where there is a place for them."""
        if self.scratch is None:
            return np.empty(shape, dtype)
        made = self.scratch.arrays(f"shard{self.number}-{name}", {name: (dtype, shape)})
        return cast(npt.NDArray[Any], made[name])

    def numbers(self, j: int, rows: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
        """Give the values of a column as numbers; codes of levels too, and NaN is missing."""
        values = self.arrays.columns[j][rows]
        numbers: npt.NDArray[np.float64] = values.astype(np.float64)
        if values.dtype == np.int32:
            numbers[values < 0] = np.nan
        return numbers

    def answer(self, question: Words) -> Words:
        """Answer a round, of one tree or of several."""
        if asks_about_categories(question):
            return self._about_categories(Round.read(question))
        if not is_joined(question):
            return cast(Words, self.core.answer(question))
        return joined_answers(
            [cast(Words, self.core_of(tree).answer(own)) for tree, own in questions_of(question)]
        )

    def _about_categories(self, asked: Round) -> Words:
        made = self.__dict__.setdefault("_categories", {})
        answer = made[asked.tree].answer(asked) if asked.tree in made else None
        if answer is None:  # asked for the first time, or about an earlier level
            made[asked.tree] = CategoryRows(self, asked.tree, asked.cuts)
            answer = made[asked.tree].answer(asked)
        return cast(Words, answer)

    def table(self, rows: npt.NDArray[Any]) -> Table:
        """Give some rows as a table."""
        columns = tuple(
            Column(info, values[rows])
            for info, values in zip(self.schema.columns, self.arrays.columns, strict=True)
        )
        return Table(columns, len(rows), self.schema)

    def __getstate__(self) -> dict[str, Any]:
        gone = ("_core", "_categories", "scratch")
        return {name: value for name, value in self.__dict__.items() if name not in gone}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, scratch=None)

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
