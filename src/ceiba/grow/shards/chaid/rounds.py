"""The rounds of CHAID over shards, as words (see `cpp/core/shards/rounds.hpp`).

A round holds the cuts of all columns and the whole way so far, so a shard that was made again
catches up by itself. Questions about open nodes:

    count     classes: rows of each class, of every category of every column
    describe  numbers: rows, sum, and range of the target
    moments   numbers: rows, sum and sum of squares about a mean, of every category
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Final

import numpy as np
import numpy.typing as npt

from ceiba import _core
from ceiba.grow.shards.together import Words

Array = npt.NDArray[np.float64]
Groups = npt.NDArray[np.intp]
_MARK: Final = 2**64 - 2  # other rounds begin with a number of levels, or with 2^64 - 1
_SUMS: Final = 0  # Form::sums
#: Words of an exact sum.
DIGITS: Final = len(np.asarray(_core.sum_digits(np.empty(0), None, 1)))


class Ask(IntEnum):
    """What is asked."""

    COUNT = 0
    DESCRIBE = 1
    MOMENTS = 2


@dataclass(frozen=True)
class Step:
    """The split of an open node as rows need it: its column, and the branch of each category."""

    column: int
    branch: Groups  # -1: no row has this category


#: The splits of the open nodes of a level, None for leaves; branches are the nodes of the next.
Level = Sequence[Step | None]


@dataclass(frozen=True)
class Round:
    """A question to all shards.

    Attributes
    ----------
    tree : int
        See :class:`~ceiba.grow.shards.shard.Shard`.
    cuts : list of float64 arrays or None
        Of each column; None: a column of levels.
    way : list of Level
        What became of the open nodes of every level so far.
    ask : Ask
    nodes : list of int
        Places among the open nodes.
    means : float64 array
        Of the nodes, for moments.
    weigh : bool
        Whether the weights of categories are asked for as well.
    """

    tree: int
    cuts: Sequence[Array | None]
    way: Sequence[Level]
    ask: Ask
    nodes: Sequence[int]
    means: Array = field(default_factory=lambda: np.empty(0))
    weigh: bool = False

    def words(self) -> Words:
        """Give the round as words."""
        parts: list[Words] = [_whole(_MARK, self.tree, len(self.cuts))]
        for cuts in self.cuts:
            parts += [_whole(0)] if cuts is None else [_whole(1 + len(cuts)), _bits(cuts)]
        parts.append(_whole(len(self.way)))
        for level in self.way:
            parts.append(_whole(len(level)))
            for step in level:
                if step is None:
                    parts.append(_whole(0))
                else:
                    parts += [_whole(1 + step.column, len(step.branch)), _whole(*(step.branch + 1))]
        parts += [_whole(self.ask, self.weigh, len(self.nodes)), _whole(*self.nodes)]
        parts += [_whole(len(self.means)), _bits(self.means)]
        return np.concatenate(parts)

    @classmethod
    def read(cls, words: Words) -> Round:
        """Read a round."""
        source = _Reader(words, 1)
        tree = source.word()
        cuts: list[Array | None] = []
        for _ in range(source.word()):
            n = source.word()
            cuts.append(None if n == 0 else source.take(n - 1).view(np.float64))
        way: list[Level] = []
        for _ in range(source.word()):
            level: list[Step | None] = []
            for _ in range(source.word()):
                column = source.word() - 1
                if column < 0:
                    level.append(None)
                else:
                    level.append(Step(column, source.take(source.word()).astype(np.intp) - 1))
            way.append(level)
        ask, weigh = Ask(source.word()), bool(source.word())
        nodes = source.take(source.word()).astype(np.intp).tolist()
        means = source.take(source.word()).view(np.float64)
        return cls(tree, cuts, way, ask, nodes, means, weigh)


def asks_about_categories(question: Words) -> bool:
    """Tell whether a question is a round of CHAID."""
    return int(question[0]) == _MARK


def sums(words: Sequence[npt.NDArray[np.uint64]], pairs: Words) -> Words:
    """Give an answer: words that are added, then pairs of a largest and a smallest one."""
    added = np.concatenate([np.empty(0, np.uint64), *(one.ravel() for one in words)])
    return np.concatenate([_whole(_SUMS, len(added)), added, pairs])


class Answer:
    """Reads a merged answer."""

    def __init__(self, words: Words) -> None:
        self._source = _Reader(words, 2)
        self._end = 2 + int(words[1])
        self.pairs = words[self._end :]

    def counts(self, *shape: int) -> Array:
        """Read counts."""
        return self._source.take(int(np.prod(shape))).astype(np.float64).reshape(shape)

    def exact_sums(self, *shape: int) -> Array:
        """Read sums, each rounded once."""
        digits = self._source.take(int(np.prod(shape)) * DIGITS)
        return np.asarray(_core.digit_sums(np.ascontiguousarray(digits))).reshape(shape)


class _Reader:
    def __init__(self, words: Words, at: int) -> None:
        self._words, self._at = words, at

    def word(self) -> int:
        self._at += 1
        return int(self._words[self._at - 1])

    def take(self, n: int) -> Words:
        self._at += n
        return self._words[self._at - n : self._at]


def _whole(*numbers: int) -> Words:
    return np.array([int(one) for one in numbers], np.uint64)


def _bits(numbers: Array) -> Words:
    return np.ascontiguousarray(numbers, np.float64).view(np.uint64)
