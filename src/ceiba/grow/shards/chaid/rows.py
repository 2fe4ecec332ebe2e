"""The rows of a shard as CHAID asks about them: their categories, and the nodes they are in."""

from __future__ import annotations

from collections.abc import Sequence
from threading import Lock
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from ceiba import _core
from ceiba.grow.chaid.categories import codes_of
from ceiba.grow.shards.binning.keys import keys_of
from ceiba.grow.shards.chaid.rounds import Ask, Level, Round, sums
from ceiba.grow.shards.together import Words

if TYPE_CHECKING:
    from ceiba.grow.shards.shard import Shard

Array = npt.NDArray[np.float64]
Places = npt.NDArray[np.int32]
_GONE: Final = -1  # a row in a leaf
_BLOCK: Final = 1 << 18  # rows


class CategoryRows:
    """Answers the rounds of one tree.

    Parameters
    ----------
    shard : Shard
    tree : int
    cuts : list of float64 arrays or None
        Of each column; None: a column of levels.
    """

    def __init__(self, shard: Shard, tree: int, cuts: Sequence[Array | None]) -> None:
        own = shard.arrays
        self._rows = shard.order_of(tree)  # and it stays so
        self._size = [
            len(info.levels) + 1 if own_cuts is None else len(own_cuts) + 2
            for info, own_cuts in zip(shard.schema.columns, cuts, strict=True)
        ]
        self._codes = [
            values if own_cuts is None else self._binned(shard, tree, j, values, own_cuts)
            for j, (values, own_cuts) in enumerate(zip(own.columns, cuts, strict=True))
        ]
        self._target, self._weights = own.target, own.weights
        self._n_classes = shard.layout.target if isinstance(shard.layout.target, int) else 0
        self._node = shard.room(f"node-{tree}", np.dtype(np.int32), len(self._rows))
        self._node[:] = 0
        self._n_levels = 0
        self._busy = Lock()

    @staticmethod
    def _binned(
        shard: Shard, tree: int, j: int, values: npt.NDArray[Any], cuts: Array
    ) -> npt.NDArray[Any]:
        """Give the bin of each number; missing is the last."""
        n = len(cuts) + 1
        codes = shard.room(f"bins{j}-{tree}", np.dtype(np.min_scalar_type(n)), len(values))
        for at in range(0, len(values), _BLOCK):
            own = codes_of(values[at : at + _BLOCK], cuts)
            codes[at : at + _BLOCK] = np.where(own < 0, n, own)
        return codes

    def answer(self, asked: Round) -> Words | None:
        """Answer a round; None: these rows have gone further than it."""
        with self._busy:
            if len(asked.way) < self._n_levels:
                return None
            for level in asked.way[self._n_levels :]:
                self._follow(level)
                self._n_levels += 1
            n_open = int(self._node.max(initial=0)) + 1
            place = np.full(max(n_open, max(asked.nodes) + 1), -1, np.int32)
            place[np.array(asked.nodes)] = np.arange(len(asked.nodes))
            at = np.where(self._node < 0, np.int32(-1), place[self._node])
            chosen = at >= 0
            rows, at = self._rows[chosen], at[chosen]
        if asked.ask == Ask.DESCRIBE:
            return self._describe(rows, at, len(asked.nodes))
        return self._count(rows, at, asked)

    def _follow(self, level: Level) -> None:
        """Send the rows of all open nodes on to the next level."""
        order = np.argsort(self._node, kind="stable")
        ends = np.searchsorted(self._node[order], np.arange(len(level) + 1))
        self._node[order[: ends[0]]] = _GONE
        first = 0
        for i, step in enumerate(level):
            here = order[ends[i] : ends[i + 1]]
            if step is None:
                self._node[here] = _GONE
                continue
            branch = step.branch[self._category(step.column, self._rows[here])]
            if (branch < 0).any():
                raise _core.Contradiction("a shard has rows of a category that it did not count")
            self._node[here] = first + branch
            first += int(step.branch.max()) + 1

    def _category(self, j: int, rows: npt.NDArray[Any]) -> Places:
        """Give the category of some rows; missing is the last."""
        codes = self._codes[j][rows]
        last = self._size[j] - 1
        return np.where(codes < 0, last, codes).astype(np.int32)

    def _describe(self, rows: npt.NDArray[Any], at: Places, n: int) -> Words:
        y = np.ascontiguousarray(self._target[rows])
        most, least = np.full(n, -np.inf), np.full(n, np.inf)
        np.maximum.at(most, at, y)
        np.minimum.at(least, at, y)
        pairs = np.stack([keys_of(most + 0.0), keys_of(least + 0.0)], axis=1).ravel()
        counts = np.bincount(at, minlength=n).astype(np.uint64)
        return sums([counts, np.asarray(_core.sum_digits(y, at, n))], pairs)

    def _count(self, rows: npt.NDArray[Any], at: Places, asked: Round) -> Words:
        n = len(asked.nodes)
        words: list[Any] = []
        y = np.ascontiguousarray(self._target[rows])
        moments: list[Array] = []
        if asked.ask == Ask.MOMENTS:
            centred = y - asked.means[at]
            moments = [centred, centred * centred]
        for j, size in enumerate(self._size):
            cell = at * np.int32(size) + self._category(j, rows)
            if self._n_classes:
                of_class = cell.astype(np.intp) * self._n_classes + y
                words.append(np.bincount(of_class, minlength=n * size * self._n_classes))
            else:
                words.append(np.bincount(cell, minlength=n * size))
            words += [_core.sum_digits(one, cell, n * size) for one in moments]
            if asked.weigh:
                assert self._weights is not None
                own = np.ascontiguousarray(self._weights[rows])
                words.append(_core.sum_digits(own, cell, n * size))
        return sums([np.asarray(one, np.uint64) for one in words], np.empty(0, np.uint64))
