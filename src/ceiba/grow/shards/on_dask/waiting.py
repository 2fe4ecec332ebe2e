"""Waiting for workers: killed ones are replaced, and a cluster that has none left is an error.

Dask waits for ever where no worker comes back. A `LocalCluster` gives up on a worker that is gone
(or just restarting) 15 seconds after a loss, so repeated losses can leave it with none.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import CancelledError
from time import monotonic
from typing import Any, Final

from ceiba.errors import DataError

_GIVEN_UP: Final = 5  # times that something is asked again
_LOOK: Final = 5.0  # seconds after which the workers are counted
_ALONE: Final = 300.0  # seconds that a cluster may be without workers: it may be starting some
_AGAIN: Final = "Fit again when the cluster is back; a fit with `checkpoint=FILE` is then resumed."


def patiently(client: Any, needed: list[Any], submit: Callable[[], list[Any]]) -> list[Any]:
    """Submit work and wait for its results; again if the scheduler gave up on killed tasks.

    Parameters
    ----------
    client : distributed.Client
    needed : list of futures
        What the work depends on, which may have been lost with a worker.
    submit : callable
        Gives the futures of the work.

    Raises
    ------
    DataError
        The cluster has no workers, or no scheduler.
    """
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
