"""A dask DataFrame gives the tree of the table in memory, also when workers are killed."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import ceiba
from ceiba.errors import DataError, OptionError, SchemaError
from ceiba.grow.shards import grower
from ceiba.grow.shards.on_dask import DaskExchange
from tests.grow.sharding import assert_same_tree

dd = pytest.importorskip("dask.dataframe")
distributed = pytest.importorskip("distributed")
pd = pytest.importorskip("pandas")


def frame_of(n: int) -> Any:
    rng = np.random.default_rng(0)
    single = rng.normal(size=n).astype("float32")
    letters = rng.choice(["x", "y", "zz"], n).astype(object)
    letters[rng.random(n) < 0.05] = None
    signal_ = single + (letters == "x") + rng.normal(size=n)
    return pd.DataFrame(
        {
            "single": single,
            "gaps": np.where(rng.random(n) < 0.1, np.nan, rng.normal(size=n)),
            "letters": letters,
            "integer": rng.integers(0, 400, n),
            "label": np.where(signal_ > 0.5, "yes", "no"),
            "number": signal_ * 3,
        }
    )


@pytest.fixture(scope="module")
def client() -> Iterator[Any]:
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=None, memory_limit=0
        ) as cluster,
        distributed.Client(cluster) as made,
    ):
        yield made


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(grower, "GATHER_ROWS", 100)
    monkeypatch.setattr(grower, "FETCH_ROWS", 16)


def test_a_frame_without_a_cluster_says_what_to_do() -> None:
    with pytest.raises(DataError, match="there is no client"):
        ceiba.DecisionTreeClassifier().fit(dd.from_pandas(frame_of(10), npartitions=2), "label")


def test_the_tree_of_a_dask_frame_is_the_tree_in_memory(client: Any) -> None:
    frame = frame_of(1200)
    lazy = dd.from_pandas(frame, npartitions=5, sort=False)
    for make, target in (
        (ceiba.DecisionTreeClassifier, "label"),
        (ceiba.DecisionTreeRegressor, "number"),
    ):
        other = "number" if target == "label" else "label"
        model = make(max_depth=4).fit(lazy.drop(columns=other), target)
        expected = make(max_depth=4).fit(frame.drop(columns=other), target)
        assert_same_tree(model.tree_, expected.tree_)
        answers = model.predict(lazy)
        assert not isinstance(answers, np.ndarray)  # lazy
        assert np.array_equal(
            answers.compute(), expected.predict(frame[expected.feature_names_in_])
        )


def test_empty_partitions_and_refusals(client: Any) -> None:
    frame = frame_of(600)
    lazy = dd.from_pandas(frame, npartitions=3, sort=False)
    lazy = lazy.map_partitions(lambda part: part[part.index >= 250]).drop(columns="number")
    expected = ceiba.DecisionTreeClassifier(max_depth=4).fit(
        frame[250:].drop(columns="number"), "label"
    )
    model = ceiba.DecisionTreeClassifier(max_depth=4).fit(lazy, "label")
    assert_same_tree(model.tree_, expected.tree_)
    with pytest.raises(OptionError, match="prune"):
        ceiba.DecisionTreeClassifier(prune=ceiba.prune.ReducedError()).fit(lazy, "label")
    with pytest.raises(SchemaError, match="no column 'lable'"):
        ceiba.DecisionTreeClassifier().fit(lazy, "lable")
    spoilt = dd.from_pandas(frame.assign(gaps=np.inf).drop(columns="number"), npartitions=2)
    with pytest.raises(DataError, match="infinity"):
        ceiba.DecisionTreeClassifier().fit(spoilt, "label")


def test_killed_workers_change_nothing(client: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    frame = frame_of(1500).drop(columns="number")
    expected = ceiba.DecisionTreeClassifier(max_depth=5).fit(frame, "label")
    lazy = dd.from_pandas(frame, npartitions=4, sort=False)
    asked = []
    real = DaskExchange.ask

    def ask(self: DaskExchange, question: Any) -> Any:
        asked.append(len(question))
        if len(asked) in (2, 5):  # after shards were made and rows were routed
            os.kill(next(iter(client.run(os.getpid).values())), signal.SIGKILL)
        return real(self, question)

    monkeypatch.setattr(DaskExchange, "ask", ask)
    model = ceiba.DecisionTreeClassifier(max_depth=5).fit(lazy, "label")
    assert len(asked) > 5
    assert_same_tree(model.tree_, expected.tree_)
