"""Rounds that are asked of shards on the workers of a cluster."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import Any, Final

import numpy as np

from ceiba.grow.shards.exchange import two_as_one
from ceiba.grow.shards.on_dask.waiting import patiently
from ceiba.grow.shards.shard import Shard
from ceiba.grow.shards.together import Words

RETRIES: Final = 10


class DaskExchange:
    """Shards that are results on the workers of a cluster.

    Parameters
    ----------
    client : distributed.Client
    shards : list of futures
    """

    def __init__(self, client: Any, shards: list[Any]) -> None:
        self._client = client
        self._shards = shards

    def ask(self, question: Words) -> Words:
        """Ask all shards the same round; give their answers as one."""
        [answer] = patiently(self._client, self._shards, lambda: [self._submitted(question)])
        return np.array(answer)  # may be read-only otherwise

    def _submitted(self, question: Words) -> Any:
        client = self._client
        sent = client.submit(_as_it_is, question, pure=False, retries=RETRIES)
        holders = client.who_has(self._shards)
        by_worker: dict[tuple[str, ...], list[Any]] = {}
        for shard in self._shards:
            place = tuple(sorted(holders.get(shard.key) or ())[:1])
            answer = client.submit(
                _answer, shard, sent, pure=False, retries=RETRIES, **_loosely(place)
            )
            by_worker.setdefault(place, []).append(answer)
        merged = [
            client.submit(_merge, answers, pure=False, retries=RETRIES, **_loosely(place))
            if len(answers) > 1
            else answers[0]
            for place, answers in by_worker.items()
        ]
        while len(merged) > 1:
            pairs = [merged[k : k + 2] for k in range(0, len(merged), 2)]
            merged = [
                client.submit(_merge, pair, pure=False, retries=RETRIES)
                if len(pair) == 2
                else pair[0]
                for pair in pairs
            ]
        return merged[0]

    def each(self, work: Any, given: Sequence[Any]) -> list[Any]:
        """Do some work on every shard, each with what is given to it; results in their order."""
        return patiently(self._client, self._shards, lambda: self._made(work, given))

    def change(self, work: Any, given: Sequence[Any]) -> None:
        """Put what some work makes of every shard in its place."""
        self._shards = self._made(work, given)

    def _made(self, work: Any, given: Sequence[Any]) -> list[Any]:
        return [
            self._client.submit(work, shard, one, pure=False, retries=RETRIES)
            for shard, one in zip(self._shards, given, strict=True)
        ]


def _loosely(place: Sequence[str]) -> dict[str, Any]:
    return {"workers": list(place), "allow_other_workers": True} if place else {}


def _as_it_is(question: Words) -> Words:
    return question


def _answer(shard: Shard, question: Words) -> Words:
    return shard.answer(np.array(question))


def _merge(answers: Sequence[Words]) -> Words:
    return reduce(two_as_one, map(np.array, answers))
