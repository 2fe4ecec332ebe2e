"""`fit(scan, "y")`: the tree of the files is the tree of the table in memory; faults are errors."""

from __future__ import annotations

import os
import pickle
import re
import time
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone

import ceiba
from ceiba.errors import DataError, OptionError, SchemaError
from ceiba.grow import Multiway
from ceiba.prune import (
    ChiSquare,
    CostComplexity,
    DescriptionLength,
    Pessimistic,
    ReducedError,
    SameAnswer,
)
from ceiba.report import payload
from ceiba.shards import scratch
from ceiba.shards.homes import threads as thread_home
from ceiba.shards.second_pass import describe_schema
from ceiba.table.scanning import scan as scanning
from tests.marks import slow
from tests.shards.sharding import assert_same_tree, use_sizes

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have small tables go through all that large ones do."""
    use_sizes(monkeypatch, 100, 16)
    monkeypatch.setattr(scanning, "PIECE_ROWS", 700)


def table_of(n: int, seed: int = 0) -> Any:
    rng = np.random.default_rng(seed)
    single = rng.normal(size=n).astype("float32")
    letters = rng.choice(["x", "y", "zz"], n)
    signal = single + (letters == "x") + rng.normal(size=n)
    return pa.table(
        {
            "single": single,
            "gaps": pa.array(rng.normal(size=n), mask=rng.random(n) < 0.1),
            "letters": pa.array(letters, mask=rng.random(n) < 0.05),
            "integer": rng.integers(0, 400, n),
            "flag": rng.random(n) < 0.5,
            "coded": pa.array(rng.choice(["p", "q"], n)).dictionary_encode(),
            "day": pa.array(rng.integers(0, 20_000, n), pa.int32()).cast(pa.date32()),
            "empty": pa.nulls(n, pa.float64()),
            "label": np.where(signal > 0.5, "yes", "no"),
            "number": signal * 3,
        }
    )


def names_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def write(folder: Path, table: Any, ends: tuple[int, ...] = (100, 2300)) -> Any:
    begin = 0
    for k, end in enumerate((*ends, table.num_rows)):
        pq.write_table(
            table.slice(begin, end - begin), folder / f"part{k}.parquet", row_group_size=300
        )
        begin = end
    return ceiba.scan(folder / "*.parquet", scratch=folder)


@pytest.mark.parametrize("options", [{}, {"max_depth": 3, "criterion": "entropy"},
                                     {"missing": "majority", "ccp_alpha": 0.002},
                                     {"categorical_splits": "multiway", "min_samples_leaf": 0.01},
                                     {"class_prior": {"yes": 0.2, "no": 0.8}},
                                     {"max_leaf_nodes": 20},
                                     {"max_bins": 16, "max_leaf_nodes": 40},
                                     {"categorical_splits": Multiway(empty=True), "max_depth": 5,
                                      "missing": "majority", "criterion": "entropy"}])  # fmt: skip
def test_classifier(tmp_path: Path, options: dict[str, Any]) -> None:
    table = table_of(4000)
    scan = write(tmp_path, table)
    assert len(scan.pieces) > 3
    X = table.drop_columns(["number"])
    model = ceiba.DecisionTreeClassifier(**options).fit(scan.without("number"), "label")
    expected = ceiba.DecisionTreeClassifier(**options).fit(X, "label")
    assert_same_tree(model.tree_, expected.tree_)
    rows = X.drop_columns(["label"])
    assert np.array_equal(model.predict(scan), expected.predict(rows))
    assert np.array_equal(model.predict_proba(scan), expected.predict_proba(rows))
    assert np.array_equal(model.apply(scan), expected.apply(rows))
    assert (model.decision_path(scan) != expected.decision_path(rows)).nnz == 0
    assert model.score(scan, "label") == expected.score(X, "label")
    assert str(model.evaluate(scan, "label")) == str(expected.evaluate(X, "label"))
    assert names_in(tmp_path) == ["part0.parquet", "part1.parquet", "part2.parquet"]


@pytest.mark.parametrize("options", [{"min_samples_leaf": 5}, {"criterion": "poisson"},
                                     {"max_leaf_nodes": 30, "min_samples_leaf": 3},
                                     {"max_bins": 30},
                                     {"monotonic_cst": {"single": 1}, "max_depth": 5}])  # fmt: skip
def test_regressor(tmp_path: Path, options: dict[str, Any]) -> None:
    table = table_of(4000, seed=1).drop_columns(["label"])
    if options.get("criterion") == "poisson":
        counts = np.random.default_rng(3).poisson(2.0, table.num_rows)
        table = table.set_column(table.schema.get_field_index("number"), "number", [counts])
    scan = write(tmp_path, table)
    model = ceiba.DecisionTreeRegressor(**options).fit(scan, "number")
    expected = ceiba.DecisionTreeRegressor(**options).fit(table, "number")
    assert_same_tree(model.tree_, expected.tree_)
    assert model.score(scan, "number") == expected.score(table, "number")
    assert str(model.evaluate(scan, "number")) == str(expected.evaluate(table, "number"))


def test_weights(tmp_path: Path) -> None:
    table = table_of(3000, seed=2)
    weight = np.exp(np.random.default_rng(5).normal(size=3000))
    for scale in (1.0, 1e250):
        heavy = table.append_column("weight", [weight * scale])
        scan = write(tmp_path, heavy)
        for model, target, other in (
            (ceiba.DecisionTreeClassifier(max_depth=5), "label", "number"),
            (ceiba.DecisionTreeRegressor(max_depth=5), "number", "label"),
        ):
            rest = heavy.drop_columns([other])
            expected = clone(model).fit(rest, target, sample_weight="weight")
            model.fit(scan.without(other), target, sample_weight="weight")
            assert_same_tree(model.tree_, expected.tree_)
    for class_weight in ("balanced", {"yes": 2.5}):
        model = ceiba.DecisionTreeClassifier(class_weight=class_weight, max_depth=5)
        expected = clone(model).fit(table, "label")
        model.fit(scan.without("weight"), "label")
        assert_same_tree(model.tree_, expected.tree_)


@pytest.mark.parametrize("options", [{"class_weight": {"no": 0.0}},
                                     {"prune": "1se", "random_state": 3},
                                     *slow([
                                         {}, {"unseen": "error"}, {"class_weight": "balanced"},
                                         {"class_prior": [0.3, 0.7],
                                          "cost_matrix": [[0, 3], [1, 0]]},
                                         {"min_weight_fraction_leaf": 0.01}])])  # fmt: skip
def test_weights_of_zero(tmp_path: Path, options: dict[str, Any]) -> None:
    table = table_of(3000, seed=2).drop_columns(["number"])
    weight = np.exp(np.random.default_rng(5).normal(size=3000))
    light = weight > 2
    # What only rows of weight 0 have: a level, a range, the only missing value of a column.
    letters = np.where(light, "only here", table["letters"].to_numpy(zero_copy_only=False))
    table = table.append_column("some", pa.array(letters))
    table = table.append_column("wide", pa.array(np.where(light, 1e9, weight), mask=weight > 9))
    table = table.append_column("weight", [np.where(light, 0.0, weight)])
    model = ceiba.DecisionTreeClassifier(max_depth=6, **options)
    expected = clone(model).fit(table, "label", sample_weight="weight")
    model.fit(write(tmp_path, table), "label", sample_weight="weight")
    assert_same_tree(model.tree_, expected.tree_)
    if "prune" in options:
        assert str(model.pruning_table_) == str(expected.pruning_table_)
        assert model.alpha_ == expected.alpha_
    for only_zeros in (["weight"], ["weight", "some"]):
        nothing = table.drop_columns(only_zeros).append_column("weight", [np.zeros(3000)])
        with pytest.raises(DataError, match="Column 'weight' must contain a positive weight"):
            model.fit(write(tmp_path, nothing), "label", sample_weight="weight")


@pytest.mark.parametrize("prune", [CostComplexity(folds=4, repeats=2, rule="1se"), SameAnswer(),
                                   *slow(["cv", "1se", CostComplexity(alpha=0.01),
                                          CostComplexity(n_leaves=5), DescriptionLength()])],
                         ids=lambda prune: str(prune)[:40])  # fmt: skip
def test_pruning(tmp_path: Path, prune: Any) -> None:
    table = table_of(3000, seed=6)
    for model, target, other in (
        (ceiba.DecisionTreeClassifier(prune=prune, random_state=5), "label", "number"),
        (ceiba.DecisionTreeRegressor(prune=prune, max_depth=6), "number", "label"),
    ):
        rest = table.drop_columns([other])
        if isinstance(prune, SameAnswer | DescriptionLength) and target == "number":
            continue
        expected = clone(model).fit(rest, target)
        model.fit(write(tmp_path, rest), target)
        assert_same_tree(model.tree_, expected.tree_)
        for name in ("pruning_table_", "alpha_"):
            assert str(getattr(model, name, None)) == str(getattr(expected, name, None))
    assert names_in(tmp_path) == ["part0.parquet", "part1.parquet", "part2.parquet"]


@pytest.mark.slow
def test_pruning_with_max_bins(tmp_path: Path) -> None:
    table = table_of(3000, seed=6).drop_columns(["number"])
    model = ceiba.DecisionTreeClassifier(prune="cv", random_state=5, max_depth=4, max_bins=8)
    expected = clone(model).fit(table, "label")
    model.fit(write(tmp_path, table), "label")
    assert_same_tree(model.tree_, expected.tree_)
    assert str(model.pruning_table_) == str(expected.pruning_table_)


def test_groups_and_what_is_kept(tmp_path: Path) -> None:
    table = table_of(3000, seed=6).drop_columns(["number"])
    scan = write(tmp_path, table)
    model = ceiba.DecisionTreeClassifier(prune=CostComplexity(folds=4, keep_unpruned=True))
    expected = clone(model).fit(table, "label", groups="integer")
    model.fit(scan, "label", groups="integer")
    assert "integer" not in model.tree_.schema.names
    assert str(model.pruning_table_) == str(expected.pruning_table_)
    assert_same_tree(model.unpruned_tree_, expected.unpruned_tree_)
    kept, other = model.cross_validation_, expected.cross_validation_
    assert np.array_equal(kept.predictions(1), other.predictions(1))
    again = pickle.loads(pickle.dumps(model))
    assert np.array_equal(again.cross_validation_.confusion(1), other.confusion(1))
    model.fit(scan.without("integer"), "label", groups=table["integer"].to_numpy())
    assert str(model.pruning_table_) == str(expected.pruning_table_)


def test_id3(tmp_path: Path) -> None:
    table = table_of(3000, seed=7).select(["coded", "flag", "integer", "label"])
    model, expected = ceiba.id3(max_depth=6), ceiba.id3(max_depth=6)
    scan = write(tmp_path, table)
    assert_same_tree(model.fit(scan, "label").tree_, expected.fit(table, "label").tree_)
    assert np.array_equal(model.predict(scan), expected.predict(table.drop_columns(["label"])))
    with pytest.raises(OptionError, match="Column 'letters': missing values"):
        model.fit(write(tmp_path, table_of(3000).select(["letters", "label"])), "label")


@pytest.mark.parametrize("target", ["label", "number"])
def test_report_of_training_rows(tmp_path: Path, target: str) -> None:
    table = table_of(3000, seed=8)
    scan = write(tmp_path, table)
    kind = ceiba.DecisionTreeClassifier if target == "label" else ceiba.DecisionTreeRegressor
    model = kind(max_depth=4).fit(table, target)
    made = payload(model.tree_, train=(scan, target), created="now")
    expected = payload(model.tree_, train=(table, target), created="now")
    assert expected["rivals"] is not None
    assert made["rivals"] is None
    assert {**made, "rivals": None} == {**expected, "rivals": None}
    assert made["histograms"]
    assert made["bars"]
    assert "<html" in model.report(train=(scan, target), test=(scan, target)).html
    little = ceiba.scan(tmp_path / "*.parquet", memory=100_000)
    with pytest.raises(OptionError, match="3,000 training rows require 1 MB, more than the 0.1 MB"):
        model.report(train=(little, target))


def test_folds_must_fit_into_memory(tmp_path: Path) -> None:
    write(tmp_path, table_of(3000))
    scan = ceiba.scan(tmp_path / "*.parquet", memory=100_000)
    with pytest.raises(OptionError, match=r"requires 1 MB for the folds .* got memory=0\.1 MB"):
        ceiba.DecisionTreeClassifier(prune="cv").fit(scan, "label")


def test_printed_memory_suffices(tmp_path: Path) -> None:
    write(tmp_path, table_of(3001))  # the folds take 120,040 bytes
    model, memory = ceiba.DecisionTreeClassifier(prune="cv", max_depth=2), "0.1 MB"
    for needed in ("the folds", "this table"):
        with pytest.raises(OptionError, match=f"{needed}.*got") as error:
            model.fit(ceiba.scan(tmp_path / "*.parquet", memory=memory), "label")
        found = re.search(r"\d\S* [GM]B", str(error.value))
        assert found is not None
        memory = found[0]
    model.fit(ceiba.scan(tmp_path / "*.parquet", memory=memory), "label")
    assert model.tree_.n_leaves > 1


def test_numbers_near_the_ends_of_float64(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=1000)
    for scale in (1e300, 1e-290):
        table = pa.table({"x": x, "y": (x + rng.normal(size=1000)) * scale})
        scan = write(tmp_path, table, ends=())
        for options in ({}, {"max_bins": 9}):
            model = ceiba.DecisionTreeRegressor(max_depth=4, **options).fit(scan, "y")
            expected = ceiba.DecisionTreeRegressor(max_depth=4, **options).fit(table, "y")
            assert_same_tree(model.tree_, expected.tree_)


@pytest.mark.parametrize(
    "options",
    [{"criterion": "chi2"}, {"prune": ChiSquare()}, {"prune": ReducedError()},
     {"leaf_values": "honest"}, {"leaf_values": "laplace"}, {"missing": "surrogate"}],
)  # fmt: skip
def test_what_needs_the_table_is_refused_before_any_pass(
    tmp_path: Path, options: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    scan = write(tmp_path, table_of(400), ends=())
    monkeypatch.setattr(thread_home, "run_first_pass", None)
    with pytest.raises(OptionError, match=next(iter(options))):
        ceiba.DecisionTreeClassifier(**options).fit(scan, "label")
    with pytest.raises(OptionError, match="frequency requires X in memory"):
        ceiba.DecisionTreeClassifier().fit(scan, "label", frequency="number")
    with pytest.raises(OptionError, match="groups requires pruning by cross-validation"):
        ceiba.DecisionTreeClassifier().fit(scan, "label", groups="number")
    with pytest.raises(DataError, match="sample_weight must be a column name"):
        ceiba.DecisionTreeClassifier().fit(scan, "label", sample_weight=[1.0] * 400)
    with pytest.raises(OptionError, match=r"Pessimistic\(raising=True\)"):
        ceiba.DecisionTreeClassifier(prune=Pessimistic()).fit(scan, "label")
    with pytest.raises(DataError, match="must be a column name"):
        ceiba.DecisionTreeClassifier().fit(scan, ["yes", "no"])
    with pytest.raises(SchemaError, match="Column not found: 'lable'.*Did you mean 'label'"):
        ceiba.DecisionTreeClassifier().fit(scan, "lable")


def test_files_that_change_between_passes_are_noticed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = table_of(3000)
    scan = write(tmp_path, table)
    real = thread_home.make_plan

    def meanwhile(*args: Any) -> Any:
        pq.write_table(table_of(1700, seed=9), tmp_path / "part2.parquet")
        return real(*args)

    monkeypatch.setattr(thread_home, "make_plan", meanwhile)
    with pytest.raises(DataError, match=r"part2\.parquet changed after it was scanned"):
        ceiba.DecisionTreeClassifier().fit(scan, "label")
    assert all(name.startswith("part") for name in names_in(tmp_path))  # no scratch is left


def test_plan_of_a_slow_machine_states_the_time_that_the_first_shard_took(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every shard is slowed down: the stated duration follows, as on a busy machine."""
    real, pause = thread_home.fill_arrays, 0.5

    def slowly(*args: Any) -> Any:
        time.sleep(pause)
        return real(*args)

    monkeypatch.setattr(thread_home, "fill_arrays", slowly)
    heard: list[str] = []
    scan = write(tmp_path, table_of(3000), ends=(50, 700, 1400, 2100, 2800))
    scan = replace(scan, watch=lambda _, text: heard.append(text))
    ceiba.DecisionTreeClassifier(max_depth=3, n_jobs=1).fit(scan, "label")
    (at,) = (k for k, text in enumerate(heard) if "about" in text)
    stated = re.fullmatch(r"about (\d+) s for a tree, measured on the first shard", heard[at])
    assert stated, heard[at]
    written = [text for text in heard[:at] if text.startswith("writing shard")]
    assert written == ["writing shard 1 of 6"]  # the one of 50 rows says little
    assert int(stated[1]) >= 0.7 * 3000 / 700 * pause


def test_a_missing_target_is_named_with_its_file(tmp_path: Path) -> None:
    table = table_of(1000)
    at = table.schema.get_field_index("label")
    holes = pa.array([*table["label"].to_pylist()[:-1], None])
    scan = write(tmp_path, table.set_column(at, "label", holes), ends=(400,))
    with pytest.raises(DataError, match=r"part1\.parquet.*missing|part1\.parquet.*NaN"):
        ceiba.DecisionTreeClassifier().fit(scan, "label")


def test_infinities_and_missing_values_under_error(tmp_path: Path) -> None:
    table = pa.table({"x": [1.0, 2.0, float("inf"), None], "y": ["a", "b", "a", "b"]})
    scan = write(tmp_path, table, ends=())
    with pytest.raises(DataError, match="infinity"):
        ceiba.DecisionTreeClassifier().fit(scan, "y")
    scan = write(tmp_path, pa.table({"x": [1.0, None], "y": ["a", "b"]}), ends=())
    with pytest.raises(DataError, match="Column 'x' has 1 missing values"):
        ceiba.DecisionTreeClassifier(missing="error").fit(scan, "y")


def test_infinities_that_no_sample_saw() -> None:
    schema = ceiba.table.Schema((ceiba.table.ColumnInfo("x", ceiba.table.Kind.NUMERIC),))
    for least, most in ((1.0, np.inf), (-np.inf, 2.0)):
        ranges = ((np.array([least, np.inf]), np.array([most, -np.inf])),)
        with pytest.raises(DataError, match="Column 'x' contains infinity"):
            describe_schema(schema, ranges, [0])


def test_too_little_memory_or_disk_is_said_before_work_begins(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, table_of(1000), ends=())
    tight = ceiba.scan(tmp_path / "*.parquet", memory="1MB")
    with pytest.raises(OptionError, match="`memory` must be at least .* MB for .* got 1 MB"):
        ceiba.DecisionTreeClassifier().fit(tight, "label")
    monkeypatch.setattr(scratch.shutil, "disk_usage", lambda path: SimpleNamespace(free=10))
    with pytest.raises(DataError, match=r"Scratch files require 0\.00 GB in .* only 0\.00 GB"):
        ceiba.DecisionTreeClassifier().fit(ceiba.scan(tmp_path / "*.parquet"), "label")


def test_scratch_files_have_no_name_that_could_be_left_behind(tmp_path: Path) -> None:
    with scratch.Scratch(str(tmp_path)) as room:
        made = room.arrays(
            "shard0", {"x": (np.dtype(np.int32), (5,)), "y": (np.dtype(float), (3,))}
        )
        made["x"][:] = 7
        made["y"][:] = 1.5
        if os.name == "posix":
            assert [path for path in tmp_path.rglob("*") if path.is_file()] == []
        assert made["x"].tolist() == [7] * 5
        assert made["y"].tolist() == [1.5] * 3
    assert names_in(tmp_path) == []


def test_a_full_disk_is_an_error_of_ours(tmp_path: Path) -> None:
    resource = pytest.importorskip("resource")
    import signal

    shapes = {"big": (np.dtype(np.uint8), (1 << 20,))}
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 16, before[1]))
    try:
        with (
            pytest.raises(DataError, match="No space left in .* for 1.0 MB"),
            scratch.Scratch(str(tmp_path)) as room,
        ):
            room.arrays("shard0", shapes)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, handler)
    assert names_in(tmp_path) == []
