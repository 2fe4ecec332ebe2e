"""One verb between a grower and its shards: ask all of them, get one merged answer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import reduce
from typing import Any, Protocol, TypeVar, cast

from ceiba import _core
from ceiba.grow.shards.shard import Shard
from ceiba.grow.shards.together import Words

T = TypeVar("T")


class Exchange(Protocol):
    """Where shards live: threads of this process, or workers of a cluster."""

    def ask(self, question: Words) -> Words:
        """Ask all shards the same round; give their answers as one."""

    def each(self, work: Callable[[Shard, Any], T], given: Sequence[Any]) -> list[T]:
        """Do some work on every shard, each with what is given to it; results in their order."""

    def change(self, work: Callable[[Shard, Any], Shard], given: Sequence[Any]) -> None:
        """Put what some work makes of every shard in its place."""


def two_as_one(a: Words, b: Words) -> Words:
    """Merge two answers to one round; the order does not matter."""
    return cast(Words, _core.merge_answers(a, b))


class ThreadExchange:
    """Shards in this process, some at a time.

    Parameters
    ----------
    shards : sequence of Shard
    n_threads : int
    """

    def __init__(self, shards: Sequence[Shard], n_threads: int) -> None:
        self._shards = shards
        self._n_threads = max(1, min(n_threads, len(shards)))

    def ask(self, question: Words) -> Words:
        """Ask all shards the same round; give their answers as one."""

        def share(first: int) -> Words:
            own = self._shards[first :: self._n_threads]
            return reduce(two_as_one, (shard.answer(question) for shard in own))

        if self._n_threads == 1:
            return share(0)
        with ThreadPoolExecutor(self._n_threads) as pool:
            return reduce(two_as_one, list(pool.map(share, range(self._n_threads))))

    def each(self, work: Callable[[Shard, Any], T], given: Sequence[Any]) -> list[T]:
        """Do some work on every shard, each with what is given to it; results in their order."""
        with ThreadPoolExecutor(self._n_threads) as pool:
            return list(pool.map(work, self._shards, given))

    def change(self, work: Callable[[Shard, Any], Shard], given: Sequence[Any]) -> None:
        """Put what some work makes of every shard in its place."""
        self._shards = self.each(work, given)
