"""A table on a Dask cluster gives the tree of the table in memory."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ceiba
from ceiba.errors import DataError, OptionError, SchemaError
from ceiba.shards.homes import dask as dask_home
from ceiba.shards.homes.dask import DaskExchange
from tests.cli.running import run
from tests.estimators.on_dask.frames import files_of, frame_of
from tests.marks import slow
from tests.shards.sharding import assert_same_tree, random_problem, use_sizes, ways_to_cut
from tests.shards.test_shards_max_bins import in_shards

dd = pytest.importorskip("dask.dataframe")
distributed = pytest.importorskip("distributed")


def test_a_frame_without_a_cluster_says_what_to_do() -> None:
    with pytest.raises(DataError, match="requires a Dask client"):
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


@pytest.mark.parametrize(
    ("make", "weight"),
    [
        (ceiba.DecisionTreeClassifier(prune="cv", class_prior=[0.4, 0.6]), "weight"),
        (ceiba.DecisionTreeRegressor(max_leaf_nodes=12), None),
        (ceiba.id3(missing="majority", max_depth=4), None),
        (ceiba.DecisionTreeClassifier(max_bins=8, prune="cv", max_depth=4), "weight"),
        *slow(
            [
                (ceiba.DecisionTreeClassifier(prune="1se", random_state=2), None),
                (ceiba.DecisionTreeClassifier(max_leaf_nodes=9, class_weight="balanced"), "weight"),
                (ceiba.DecisionTreeRegressor(prune="cv", max_depth=5), "weight"),
            ]
        ),
    ],
    ids=str,
)
def test_all_meanings_are_those_of_memory(client: Any, make: Any, weight: str | None) -> None:
    from sklearn.base import clone

    frame = frame_of(900)
    target, other = ("label", "number") if "Classifier" in repr(make) else ("number", "label")
    frame = frame.drop(columns=other)
    if weight is not None:
        heavy = np.exp(np.random.default_rng(1).normal(size=len(frame)))
        frame[weight] = np.where(heavy > 2, 0.0, heavy)
    expected = clone(make).fit(frame, target, sample_weight=weight)
    lazy = dd.from_pandas(frame, npartitions=3, sort=False)
    model = clone(make).fit(lazy, target, sample_weight=weight)
    assert_same_tree(model.tree_, expected.tree_)
    for name in ("alpha_", "pruning_table_"):
        assert str(getattr(model, name, None)) == str(getattr(expected, name, None))


@pytest.mark.slow
def test_groups_are_held_out_together(client: Any) -> None:
    frame = frame_of(600).drop(columns="number")
    frame["group"] = np.random.default_rng(3).integers(0, 20, len(frame))
    lazy = dd.from_pandas(frame, npartitions=3, sort=False)
    make = ceiba.DecisionTreeClassifier(prune="cv", max_depth=4)
    expected = str(make.fit(frame, "label", groups="group").pruning_table_)
    assert str(make.fit(lazy, "label", groups="group").pruning_table_) == expected
    rest = lazy.drop(columns="group")
    assert str(make.fit(rest, "label", groups=lazy["group"]).pruning_table_) == expected
    with pytest.raises(SchemaError, match="Column not found: 'grup'. Columns:"):
        make.fit(lazy, "label", groups="grup")
    arrays = lazy[["group"]].to_dask_array(lengths=True)
    with pytest.raises(DataError, match="'group' names a column, but X is a Array"):
        make.fit(arrays, arrays[:, 0], groups="group")


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
    with pytest.raises(SchemaError, match="column 'lable' not found"):
        ceiba.DecisionTreeClassifier().fit(lazy, "lable")
    spoilt = dd.from_pandas(frame.assign(gaps=np.inf).drop(columns="number"), npartitions=2)
    with pytest.raises(DataError, match="infinity"):
        ceiba.DecisionTreeClassifier().fit(spoilt, "label")


@pytest.mark.slow
def test_arrays_and_series_are_taken_too(client: Any) -> None:
    da = pytest.importorskip("dask.array")
    rng = np.random.default_rng(1)
    for kind in (np.float32, np.float64):
        X = rng.normal(size=(900, 4)).astype(kind)
        X[rng.random(X.shape) < 0.05] = np.nan
        y = (np.nan_to_num(X[:, 0]) + rng.normal(size=900) > 0).astype(int)
        weight = rng.integers(1, 4, 900).astype(float)
        blocks = da.from_array(X, chunks=(250, 3))
        truth, heavy = da.from_array(y, chunks=400), da.from_array(weight, chunks=250)
        model = ceiba.DecisionTreeClassifier(max_depth=5).fit(blocks, truth, heavy)
        expected = ceiba.DecisionTreeClassifier(max_depth=5).fit(X, y, weight)
        assert_same_tree(model.tree_, expected.tree_)
        assert not hasattr(model, "feature_names_in_")
        answers, shares = model.predict(blocks), model.predict_proba(blocks)
        assert isinstance(answers, da.Array)
        assert np.array_equal(answers.compute(), expected.predict(X))
        assert np.array_equal(shares.compute(), expected.predict_proba(X))
        assert model.score(blocks, truth) == expected.score(X, y)
    frame = frame_of(600).drop(columns="number")
    lazy = dd.from_pandas(frame, npartitions=3, sort=False)
    model = ceiba.DecisionTreeClassifier(max_depth=3).fit(lazy.drop(columns="label"), lazy["label"])
    expected = ceiba.DecisionTreeClassifier(max_depth=3).fit(frame, "label")
    assert_same_tree(model.tree_, expected.tree_)
    with pytest.raises(DataError, match="got 900 and 899"):
        ceiba.DecisionTreeClassifier().fit(blocks, truth[1:])
    with pytest.raises(DataError, match="y must be a 1-d dask Array"):
        ceiba.DecisionTreeClassifier().fit(blocks, y)
    with pytest.raises(DataError, match="must be a 2-d dask Array of numbers"):
        ceiba.DecisionTreeClassifier().fit(blocks.astype(str), truth)


def test_predictions_of_a_frame_are_lazy(client: Any) -> None:
    frame = frame_of(500).drop(columns="number")
    lazy = dd.from_pandas(frame, npartitions=3, sort=False)
    model = ceiba.DecisionTreeClassifier(max_depth=4).fit(frame, "label")
    rows = frame.drop(columns="label")
    shares = model.predict_proba(lazy)
    assert list(shares.columns) == ["no", "yes"]
    assert np.array_equal(shares.compute(), model.predict_proba(rows))
    assert shares.compute().index.equals(frame.index)
    assert np.array_equal(model.apply(lazy).compute(), model.apply(rows))
    assert model.score(lazy, "label") == model.score(frame, "label")
    assert str(model.evaluate(lazy, "label")) == str(model.evaluate(frame, "label"))
    empty = lazy[lazy["integer"] < 0]
    assert len(model.predict(empty).compute()) == 0
    assert model.predict_proba(empty).compute().shape == (0, 2)


def test_workers_read_the_files_of_a_scan(client: Any, tmp_path: Path) -> None:
    frame = frame_of(900).drop(columns="number")
    pattern = files_of(frame, tmp_path)
    expected = ceiba.DecisionTreeClassifier(max_depth=4).fit(frame, "label")
    for cluster in (client, client.scheduler.address):
        scan = ceiba.scan(pattern, cluster=cluster)
        model = ceiba.DecisionTreeClassifier(max_depth=4).fit(scan, "label")
        assert_same_tree(model.tree_, expected.tree_)
    with pytest.raises(OptionError, match="`scratch` is not supported with `cluster`"):
        ceiba.scan(pattern, cluster=client, scratch=tmp_path)


def test_the_command_line_learns_on_a_cluster(client: Any, tmp_path: Path) -> None:
    frame = frame_of(600).drop(columns="number")
    files_of(frame, tmp_path, n=2)
    done = run(
        "learn", "*.parquet", "-t", "label", "--max-depth", "3", "--cluster",
        client.scheduler.address, "--checkpoint", "c", "-m", "m.ceiba", cwd=tmp_path,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert f"600 rows x 4 columns in 2 shards on {client.scheduler.address}" in done.stderr
    expected = ceiba.DecisionTreeClassifier(max_depth=3).fit(frame, "label")
    assert_same_tree(ceiba.load(tmp_path / "m.ceiba").tree_, expected.tree_)
    assert not (tmp_path / "c").exists()


def test_partitions_that_differ(client: Any) -> None:
    """Other order of columns, other types, other levels, all missing, one class, signed zeros."""
    frame = frame_of(900).drop(columns="number")
    frame["gaps"] = np.where(frame.index % 7 == 0, -0.0, np.round(frame["gaps"]))
    frame["letters"] = frame["letters"].astype(object)
    by_class = frame.sort_values("label").reset_index(drop=True)

    def other(part: Any) -> Any:
        if part.index[0] == 0:
            return part[part.columns[::-1]].assign(integer=part["integer"].astype("float64"))
        if part.index[0] == 300:
            return part.assign(letters=None, gaps=np.nan)
        return part

    lazy = dd.from_pandas(by_class, npartitions=3, sort=False)
    assert [len(lazy.partitions[k]) for k in range(3)] == [300, 300, 300]
    spoilt = lazy.map_partitions(other, meta=lazy._meta, enforce_metadata=False)
    whole = by_class.copy()
    whole.loc[300:599, ["letters", "gaps"]] = [None, np.nan]
    model = ceiba.DecisionTreeClassifier(max_depth=5).fit(spoilt, "label")
    assert_same_tree(
        model.tree_, ceiba.DecisionTreeClassifier(max_depth=5).fit(whole, "label").tree_
    )
    texts = lazy.map_partitions(
        lambda part: part.assign(single="text") if part.index[0] else part,
        meta=lazy._meta,
        enforce_metadata=False,
    )
    with pytest.raises(DataError, match="single"):
        ceiba.DecisionTreeClassifier().fit(texts, "label")
    lacking = lazy.map_partitions(
        lambda part: part.drop(columns="gaps") if part.index[0] else part,
        meta=lazy._meta,
        enforce_metadata=False,
    )
    with pytest.raises(DataError, match="All partitions must have column 'gaps'"):
        ceiba.DecisionTreeClassifier().fit(lacking, "label")


def same_on_a_cluster(client: Any, seed: int) -> int:
    """Grow a random problem over shards on workers; tell how many leaves its tree has.

    Every third one with few bins.
    """
    rng = np.random.default_rng(seed)
    task = str(rng.choice(["classification", "regression"]))
    problem = random_problem(rng, task)
    if seed % 3 == 1:
        problem = replace(problem, options=replace(problem.options, max_bins=9))
    ways = ways_to_cut(rng, problem)
    for name in rng.choice(list(ways), 2, replace=False):
        in_order, over = in_shards(problem, ways[str(name)])
        expected = in_order.grow()
        here = over.table.exchange._shards  # type: ignore[attr-defined]
        there = [client.submit(lambda s: s, shard, pure=False) for shard in here]
        table = over.table.with_changes(exchange=DaskExchange(client, there))  # type: ignore[attr-defined]
        assert_same_tree(replace(over, table=table).grow(), expected)
    return expected.n_leaves


@pytest.mark.slow
def test_random_trees_on_a_cluster(client: Any) -> None:
    assert max(same_on_a_cluster(client, seed) for seed in range(2)) > 5


@pytest.mark.slow
@pytest.mark.parametrize("n_workers", [1, 2, 3, 4])
def test_five_hundred_random_trees_on_clusters(n_workers: int) -> None:
    with (
        distributed.LocalCluster(
            n_workers=n_workers, threads_per_worker=1, dashboard_address=":0", memory_limit=0
        ) as cluster,
        distributed.Client(cluster) as own,
    ):
        for seed in range(125):
            same_on_a_cluster(own, 1000 * n_workers + seed)


def nodes_counted(tree: Any, max_depth: int) -> list[tuple[int, int]]:
    """Give, for every level, the branches that rows are sent down, and the nodes to be counted.

    Of two siblings one is counted, if any of them can be split; the other follows.
    """
    depth = np.zeros(len(tree.parent), int)
    for node in range(1, len(depth)):
        depth[node] = depth[tree.parent[node]] + 1
    searched = (tree.impurity > 0) & (tree.n_rows >= 2) & (depth < max_depth)
    levels = [(0, 1)]
    for level in range(1, depth.max() + 1):
        here = np.flatnonzero(depth == level)
        parents = {tree.parent[node] for node in here if searched[node]}
        levels.append((len(here), len(parents)))
    return [one for one in levels if one[1]]


def test_counts_travel_as_the_formula_says(
    client: Any, asks: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Counts of a level: 8 bytes x (5 + branches + nodes counted x words of a node)."""
    use_sizes(monkeypatch, 0)
    frame = frame_of(1500).drop(columns="number")
    lazy = dd.from_pandas(frame, npartitions=4, sort=False)
    n_bytes, layouts = [], []
    real, real_agree = DaskExchange.ask, dask_home.merge_summaries

    def ask(self: DaskExchange, question: Any) -> Any:
        answer = real(self, question)
        if asks[-1] == "count":
            n_bytes.append(answer.nbytes)
        return answer

    def agree(*args: Any) -> Any:
        layouts.append(real_agree(*args))
        return layouts[-1]

    monkeypatch.setattr(dask_home, "merge_summaries", agree)
    monkeypatch.setattr(DaskExchange, "ask", ask)
    model = ceiba.DecisionTreeClassifier(max_depth=5).fit(lazy, "label")
    layout = layouts[0].layout
    cells = sum(
        column + 1 if isinstance(column, int) else len(column.edge) + 2 for column in layout.columns
    )
    levels = nodes_counted(model.tree_, 5)
    assert len(levels) == 5
    assert n_bytes == [
        8 * (5 + branches + n_nodes * cells * layout.target) for branches, n_nodes in levels
    ]


@pytest.mark.slow
@pytest.mark.parametrize(("prune", "weight"), [("cv", None), *slow([(None, "weight")])])
def test_the_survival_tree_of_a_dask_frame_is_the_tree_in_memory(
    client: Any, prune: Any, weight: Any
) -> None:
    frame = frame_of(900)
    rng = np.random.default_rng(3)
    frame = frame.assign(
        time=rng.exponential(np.exp(0.1 * frame["number"].to_numpy())).round(2),
        died=rng.random(900) < 0.7,
        weight=rng.choice([0.0, 0.5, 2.0], 900),
    ).drop(columns=["label", "number", *([] if weight else ["weight"])])
    model = ceiba.DecisionTreeSurvival(criterion="exponential", max_depth=4, prune=prune)
    expected = model.fit(frame, ("time", "died"), sample_weight=weight).tree_
    lazy = dd.from_pandas(frame, npartitions=4, sort=False)
    assert model.fit(lazy, ("time", "died"), sample_weight=weight).tree_ == expected
