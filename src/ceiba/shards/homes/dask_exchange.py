"""Rounds on the workers of a Dask cluster: its client, its shards, and waiting for workers.

Shards are results of pure tasks, not actors: a shard that is lost with its worker is made again
from its partition, and the next round holds all splits so far. A round travels as the result of a
task (what `client.scatter` sends has no lineage and cannot be made again). Tasks ask to run where
their shard is, and may run elsewhere: a task that insists would wait for a dead worker for ever.
Answers are merged on each worker first, so that one answer per worker travels. A task whose workers
died too often is given up by the scheduler ("allowed-failures"); it is then submitted again.

Dask waits for ever where no worker comes back, and a `LocalCluster` gives up on a worker that is
gone (or just restarting) 15 seconds after a loss: a cluster without workers is an error here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError
from contextlib import contextmanager
from functools import reduce
from time import monotonic
from typing import Any, Final

import numpy as np

from ceiba import _core
from ceiba.errors import DataError
from ceiba.shards.shard import Arrays, Shard, Words

RETRIES: Final = 10
_CONNECT: Final = "10s"  # that a scheduler has to answer
_GIVEN_UP: Final = 5  # times that something is asked again
_LOOK: Final = 5.0  # seconds after which the workers are counted
_ALONE: Final = 300.0  # seconds that a cluster may be without workers: it may be starting some
_AGAIN: Final = "Fit again when the cluster is back; a fit with `checkpoint=FILE` is then resumed."


@contextmanager
def client_of(cluster: Any) -> Iterator[Any]:
    """Open the client of a cluster: by address, as it is, or (None) the one that is in use."""
    try:
        from distributed import Client, default_client
    except ImportError as error:
        raise ImportError(
            "Fitting on a cluster needs the package distributed. Install it with: "
            "pip install ceiba[dask]"
        ) from error
    if isinstance(cluster, str):
        try:
            opened = Client(cluster, timeout=_CONNECT, set_as_default=False)  # type: ignore[no-untyped-call]
        except (OSError, ValueError) as error:
            raise DataError(
                f"There is no Dask scheduler at {cluster}: {error}. Start one with `dask "
                "scheduler`, and give the address that it prints."
            ) from error
        with opened:
            yield opened
        return
    if cluster is None:
        try:
            cluster = default_client()  # type: ignore[no-untyped-call]
        except ValueError as error:
            raise DataError(
                "A dask DataFrame is learned from on a cluster, and there is no client. Make one: "
                "`from dask.distributed import Client; Client()` uses the cores of this machine."
            ) from error
    if getattr(cluster, "asynchronous", False):
        raise DataError(
            "The Dask client is asynchronous, and fitting waits for answers. Make a client without "
            "asynchronous=True, or fit in a thread that has one."
        )
    yield cluster


class DaskExchange:
    """Shards that are results on the workers of a cluster."""

    def __init__(self, client: Any, shards: list[Any]) -> None:
        self._client = client
        self._shards = shards

    def ask(self, rounds: Words) -> Words:
        """Ask all shards the same rounds; return their answers as one."""
        [answer] = with_retries(self._client, self._shards, lambda: [self._submit_rounds(rounds)])
        return np.array(answer)  # may be read-only otherwise

    def _submit_rounds(self, rounds: Words) -> Any:
        client = self._client
        sent = self._submit(_identity, rounds)
        holders = client.who_has(self._shards)
        by_worker: dict[tuple[str, ...], list[Any]] = {}
        for shard in self._shards:
            place = tuple(sorted(holders.get(shard.key) or ())[:1])
            answer = self._submit(_answer, shard, sent, **_worker_hint(place))
            by_worker.setdefault(place, []).append(answer)
        merged = [
            self._submit(_merge, answers, **_worker_hint(place)) if len(answers) > 1 else answers[0]
            for place, answers in by_worker.items()
        ]
        while len(merged) > 1:
            pairs = [merged[k : k + 2] for k in range(0, len(merged), 2)]
            merged = [self._submit(_merge, pair) if len(pair) == 2 else pair[0] for pair in pairs]
        return merged[0]

    def scatter(self, kind: str, arrays: Sequence[Arrays]) -> None:
        """Send each shard its arrays of a kind."""
        self._shards = [
            self._submit(Shard.scatter, shard, kind, own)
            for shard, own in zip(self._shards, arrays, strict=True)
        ]

    def collect(self, kind: str) -> list[Arrays]:
        """Return the arrays of a kind that each shard has, in their order."""
        shards = self._shards
        return with_retries(
            self._client, shards, lambda: [self._submit(Shard.collect, one, kind) for one in shards]
        )

    def _submit(self, work: Any, *given: Any, **where: Any) -> Any:
        return self._client.submit(work, *given, pure=False, retries=RETRIES, **where)


def _worker_hint(place: Sequence[str]) -> dict[str, Any]:
    return {"workers": list(place), "allow_other_workers": True} if place else {}


def _identity(rounds: Words) -> Words:
    return rounds


def _answer(shard: Shard, rounds: Words) -> Words:
    return shard.answer(np.array(rounds))


def _merge(answers: Sequence[Words]) -> Words:
    return reduce(_core.merge_answers, map(np.array, answers))


def with_retries(client: Any, needed: list[Any], submit: Callable[[], list[Any]]) -> list[Any]:
    """Submit work and wait for its results; again if the scheduler gave up on killed tasks."""
    from distributed import KilledWorker
    from distributed.comm.core import CommClosedError

    try:
        for _ in range(_GIVEN_UP):
            try:
                return _results(client, submit())
            except KilledWorker:
                client.retry(needed)
        return _results(client, submit())
    except Exception as error:
        is_lost = isinstance(error, CancelledError | CommClosedError)
        if client.status == "running" and not is_lost:
            raise  # what the work itself has to say
        raise DataError(f"The Dask scheduler does not answer any more. {_AGAIN}") from error


def _results(client: Any, futures: list[Any]) -> list[Any]:
    _wait(client, futures)
    return list(client.gather(futures))


def _wait(client: Any, futures: list[Any]) -> None:
    """Wait until all are done, or the cluster has been without workers for too long."""
    from distributed import wait

    alone_since = None
    while True:
        try:
            wait(futures, timeout=_LOOK)  # type: ignore[no-untyped-call]
            return
        except TimeoutError:
            alone_since = None if client.nthreads() else alone_since or monotonic()
        if alone_since is not None and monotonic() - alone_since >= _ALONE:
            raise DataError(
                f"The Dask cluster has had no worker for {_ALONE:.0f} seconds. {_AGAIN}"
            )
