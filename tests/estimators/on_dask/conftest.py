"""A cluster that the tests of a module share, and limits that make every kind of round occur."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from ceiba.shards import grower
from tests.shards.sharding import use_sizes


@pytest.fixture(scope="module")
def client() -> Iterator[Any]:
    dask, distributed = pytest.importorskip("dask"), pytest.importorskip("distributed")
    with (
        # A local cluster gives up on a worker that is restarting 15 seconds after an earlier loss.
        dask.config.set({"distributed.deploy.lost-worker-timeout": "1h"}),
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=":0", memory_limit=0
        ) as cluster,
        distributed.Client(cluster) as made,
    ):
        yield made


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    use_sizes(monkeypatch, 100, 16)


@pytest.fixture
def asks(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What the rounds so far asked."""
    asked: list[str] = []
    join_rounds = grower._core.join_rounds

    def record(growers: Any) -> Any:
        asked.extend(each.asks for _, each in growers)
        return join_rounds(growers)

    monkeypatch.setattr(grower._core, "join_rounds", record)
    return asked
