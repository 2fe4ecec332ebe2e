"""Workers, clients and schedulers that are lost: the same tree, a fit that goes on, or an error."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import Any

import pytest

import ceiba
from ceiba.errors import DataError
from ceiba.shards.homes import dask as dask_home
from ceiba.shards.homes.dask import DaskExchange
from tests.estimators.on_dask.frames import files_of, frame_of
from tests.marks import slow
from tests.shards.sharding import assert_same_tree, use_sizes

dd = pytest.importorskip("dask.dataframe")
distributed = pytest.importorskip("distributed")


def test_no_scheduler_at_an_address_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dask_home, "_CONNECT_TIMEOUT", "1s")
    scan = ceiba.scan(files_of(frame_of(20), tmp_path), cluster="tcp://127.0.0.1:1")
    with pytest.raises(DataError, match="Dask scheduler not found at tcp://127.0.0.1:1"):
        ceiba.DecisionTreeClassifier().fit(scan, "label")


class ClientDiedError(Exception):
    pass


@pytest.mark.slow
def test_a_fit_whose_client_died_is_resumed(
    client: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    frame = frame_of(1500).drop(columns="number")
    expected = ceiba.DecisionTreeClassifier(max_depth=6).fit(frame, "label")
    lazy = dd.from_pandas(frame, npartitions=4, sort=False)
    journal = tmp_path / "fit.checkpoint"
    rounds = []
    real = DaskExchange.ask

    def ask(self: DaskExchange, question: Any) -> Any:
        if len(rounds) == 9:
            raise ClientDiedError
        rounds.append(question)
        return real(self, question)

    monkeypatch.setattr(DaskExchange, "ask", ask)
    with pytest.raises(ClientDiedError):
        ceiba.DecisionTreeClassifier(max_depth=6).fit(lazy, "label", checkpoint=journal)
    monkeypatch.setattr(DaskExchange, "ask", real)
    with pytest.raises(DataError, match="not a checkpoint of this fit"):
        ceiba.DecisionTreeClassifier(max_depth=5).fit(lazy, "label", checkpoint=journal)
    model = ceiba.DecisionTreeClassifier(max_depth=6).fit(lazy, "label", checkpoint=journal)
    assert_same_tree(model.tree_, expected.tree_)
    assert not journal.exists()


def test_cluster_without_workers_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dask_home, "_POLL_TIME", 0.1)
    monkeypatch.setattr(dask_home, "_NO_WORKER_TIME", 0.3)
    lazy = dd.from_pandas(frame_of(300), npartitions=2, sort=False)
    with (
        distributed.LocalCluster(n_workers=0, dashboard_address=":0") as cluster,
        distributed.Client(cluster),
        pytest.raises(DataError, match="had no worker for 0 seconds"),
    ):
        ceiba.DecisionTreeClassifier().fit(lazy, "label")


def test_lost_scheduler_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    lazy = dd.from_pandas(frame_of(1500), npartitions=2, sort=False)
    cluster = distributed.LocalCluster(
        n_workers=1, threads_per_worker=1, dashboard_address=":0", processes=False
    )
    real, rounds = DaskExchange._submit_rounds, []

    def submitted(self: DaskExchange, question: Any) -> Any:
        rounds.append(question)
        if len(rounds) == 2:
            cluster.close()
        return real(self, question)

    monkeypatch.setattr(DaskExchange, "_submit_rounds", submitted)
    with (
        distributed.Client(cluster, timeout=1),
        pytest.raises(DataError, match="Lost the connection to the Dask scheduler"),
    ):
        ceiba.DecisionTreeClassifier().fit(lazy, "label")


def kill_one(client: Any) -> None:
    """Kill a worker with SIGKILL; its nanny starts another."""
    os.kill(next(iter(client.run(os.getpid).values())), signal.SIGKILL)


def fit_with_kills(
    client: Any,
    phase: str,
    asks: list[str],
    n_kills: int,
    monkeypatch: pytest.MonkeyPatch,
    n_rows: int,
) -> None:
    """Fit while workers are killed in one phase, and compare the tree."""
    use_sizes(monkeypatch, 100, 2)
    frame = frame_of(n_rows).drop(columns="number")
    expected = ceiba.DecisionTreeClassifier(max_depth=6).fit(frame, "label")
    lazy = dd.from_pandas(frame, npartitions=4, sort=False)
    killed = []
    real_submit, real_settle = DaskExchange._submit_rounds, dask_home.build_first_pass

    def submitted(self: DaskExchange, question: Any) -> Any:
        future = real_submit(self, question)
        if asks[-1] == phase and len(killed) < n_kills:
            killed.append(phase)
            kill_one(client)  # while the round is under way
        return future

    def settle(*args: Any) -> Any:
        if phase == "setup" and len(killed) < n_kills:
            killed.append(phase)
            kill_one(client)  # after the first look, before rows are coded
        return real_settle(*args)

    monkeypatch.setattr(dask_home, "build_first_pass", settle)
    monkeypatch.setattr(DaskExchange, "_submit_rounds", submitted)
    model = ceiba.DecisionTreeClassifier(max_depth=6).fit(lazy, "label")
    assert killed
    assert_same_tree(model.tree_, expected.tree_)


@pytest.mark.parametrize("phase", ["setup", "fetch", *slow(["count", "zoom"])])
def test_a_killed_worker_changes_nothing(
    client: Any, phase: str, asks: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    fit_with_kills(client, phase, asks, 1, monkeypatch, 4000)


@pytest.mark.slow
@pytest.mark.parametrize("phase", ["setup", "count", "zoom", "fetch"])
@pytest.mark.parametrize("time", [1, 2, 3])
def test_killed_workers_change_nothing(
    client: Any, phase: str, time: int, asks: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    fit_with_kills(client, phase, asks, 3, monkeypatch, 40_000)
