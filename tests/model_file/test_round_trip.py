"""Round trips: every kind of tree, every estimator, compressed or not."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ceiba
from ceiba.errors import CeibaWarning, ModelFileError
from ceiba.table import ColumnInfo, Kind, Schema, TargetInfo
from ceiba.tree.model_file.document import dumps, loads, read
from tests.cli.running import ok
from tests.tree.random_trees import random_rows, random_tree

SAMPLES = Path(__file__).parent / "samples"
#: One model, written when the estimator had the certificate, and since the tree has it.
EXPECTED = json.loads((SAMPLES / "expected.json").read_text("utf-8"))
FRAME = {
    "clouds": [8.0, 7.0, None, 1.0, 0.0, 2.0] * 5,
    "wind": ["west", "west", "east", None, "west", "east"] * 5,
    "RAIN": ["yes", "yes", "no", "no", "no", "yes"] * 5,
}


@given(
    seed=st.integers(0, 10_000),
    missing=st.sampled_from(["learn", "majority", "surrogate", "fractional", "error"]),
    task=st.sampled_from(["classification", "regression"]),
    stays=st.booleans(),
)
def test_tree_of_any_kind_comes_back_equal(seed: int, missing: str, task: str, stays: bool) -> None:
    tree = random_tree(seed, missing=missing, task=task, stays=stays)
    assert loads(dumps(tree)).tree == tree


@pytest.mark.parametrize(
    "labels",
    [
        np.array(["a", "b"]),
        np.array([0, 1], np.int8),
        np.array([False, True]),
        np.array([1.0, 2.0]),
        np.array(["a", "b"], object),
        np.array([2**63, 2**64 - 1], np.uint64),
    ],
    ids=lambda labels: str(labels.dtype),
)
def test_classes_of_any_type_come_back_with_their_type(labels: Any) -> None:
    X = {"x": [1.0, 2.0]}
    tree = ceiba.DecisionTreeClassifier().fit(X, labels).tree_
    back = loads(dumps(tree)).tree
    assert back == tree
    assert back.predict(X).dtype == tree.predict(X).dtype


def test_classes_that_are_dates_are_refused() -> None:
    y = np.array(["2024-05-01", "2024-05-02"], "datetime64[D]")
    tree = ceiba.DecisionTreeClassifier().fit([[1.0], [2.0]], y).tree_
    with pytest.raises(ModelFileError, match="cannot be saved.*Convert the target"):
        dumps(tree)


def test_levels_of_any_type_and_odd_names_come_back() -> None:
    columns = (
        ColumnInfo("", Kind.CATEGORICAL, ("", "'", '"', "\\", "\x00", "\u2028", "\ud800", "é")),
        ColumnInfo("$tuple", Kind.ORDERED, (1, 2.5, True + 2)),
        ColumnInfo("day", Kind.NUMERIC, display="date", n_missing=3, minimum=-0.5, maximum=1e300),
    )
    target = TargetInfo(None, "regression", (), 1)
    splits = ceiba.tree.SplitTable.none(1)
    tree = ceiba.tree.from_arrays(
        Schema(columns, target, False), parent=[-1], splits=splits, value=[0.1]
    )
    assert loads(dumps(tree)).tree == tree


@pytest.mark.parametrize("name", ["m.ceiba", "m.ceiba.gz"])
@pytest.mark.parametrize(
    "model",
    [
        ceiba.DecisionTreeClassifier(max_depth=2, class_weight={"yes": 2.0, "no": 1.0}),
        ceiba.DecisionTreeClassifier(missing="surrogate", cost_matrix={("yes", "no"): 5.0}),
        ceiba.DecisionTreeClassifier(class_prior=np.array([0.5, 0.5]), max_competitors=2),
        ceiba.rpart("class", minsplit=2, loss={("yes", "no"): 2}),
    ],
    ids=["depth", "costs", "prior", "rpart"],
)
def test_estimator_comes_back_with_parameters_and_predictions(
    tmp_path: Path, model: Any, name: str
) -> None:
    model.fit(FRAME, "RAIN").save(tmp_path / name)
    back = ceiba.load(tmp_path / name)
    assert type(back) is type(model)
    assert repr(back) == repr(model)
    assert back.tree_ == model.tree_
    assert set(vars(back)) == {*vars(model), "metadata_"}
    assert back.predict(FRAME).tolist() == model.predict(FRAME).tolist()
    assert back.predict_proba(FRAME).tolist() == model.predict_proba(FRAME).tolist()


def test_regressor_comes_back_and_can_be_fitted_again(tmp_path: Path) -> None:
    X, y = [[1.0], [2.0], [3.0]], [0.1, 0.2, 0.7]
    model = ceiba.DecisionTreeRegressor(min_samples_leaf=1).fit(X, y)
    model.save(tmp_path / "m.ceiba")
    assert ceiba.load(tmp_path / "m.ceiba").fit(X, y).tree_ == model.tree_


def test_parameter_that_is_no_value_is_left_out_with_a_warning(tmp_path: Path) -> None:
    model = ceiba.DecisionTreeClassifier(random_state=np.random.RandomState(1))
    model.fit([[1.0], [2.0]], ["a", "b"])
    with pytest.warns(CeibaWarning, match="random_state=.*omitted"):
        model.save(tmp_path / "m.ceiba")
    assert ceiba.load(tmp_path / "m.ceiba").random_state is None


def test_subclass_of_a_user_is_refused_and_its_tree_is_not(tmp_path: Path) -> None:
    class Mine(ceiba.DecisionTreeClassifier):  # type: ignore[misc]
        pass

    model = Mine().fit([[1.0], [2.0]], ["a", "b"])
    with pytest.raises(ModelFileError, match=r"model\.tree_\.save"):
        model.save(tmp_path / "m.ceiba")
    model.tree_.save(tmp_path / "m.ceiba")
    assert ceiba.load(tmp_path / "m.ceiba") == model.tree_


def test_not_fitted_estimator_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="not fitted"):
        ceiba.DecisionTreeClassifier().save(tmp_path / "m.ceiba")
    assert list(tmp_path.iterdir()) == []


def test_metadata_is_kept(tmp_path: Path) -> None:
    tree = ceiba.tree.build(("x <= 2.5", "a", "b"))
    tree.save(tmp_path / "m.ceiba", metadata={"source": "rain.csv", "rows": 3})
    document = read(tmp_path / "m.ceiba")
    assert document.metadata == {"source": "rain.csv", "rows": 3}
    assert document.written["ceiba"] == ceiba.__version__


def test_file_is_plain_json_and_gz_is_gzip(tmp_path: Path) -> None:
    tree = ceiba.tree.build(("x <= 2.5", "a", "b"))
    tree.save(tmp_path / "m.ceiba")
    tree.save(tmp_path / "m.ceiba.gz")
    plain = json.loads((tmp_path / "m.ceiba").read_text("utf-8"))
    packed = json.loads(gzip.decompress((tmp_path / "m.ceiba.gz").read_bytes()))
    assert plain["tree"] == packed["tree"]
    assert plain["tree"]["splits"]["cut"] == [2.5, None, None]


def test_chain_of_20000_levels_comes_back() -> None:
    n = 20_000
    parent = [-1] + [i for i in range(0, 2 * n, 2) for _ in (0, 1)]
    column = [0 if i % 2 == 0 and i < 2 * n else -1 for i in range(2 * n + 1)]
    # pre-order: node 2i has the leaf 2i + 1 and the next inner node 2i + 2
    tree = ceiba.tree.from_arrays(
        Schema((ColumnInfo("x", Kind.NUMERIC),), TargetInfo(None, "regression", (), 1)),
        parent=parent,
        splits=ceiba.tree.SplitTable.cuts(np.array(column), np.arange(2 * n + 1.0)),
        value=np.arange(2 * n + 1.0),
    )
    assert loads(dumps(tree)).tree == tree


@pytest.mark.parametrize(
    "sample", [SAMPLES / name for name in EXPECTED], ids=lambda path: path.name
)
def test_kept_sample_still_predicts_what_it_did(sample: Path) -> None:
    model = ceiba.load(sample)
    tree = model if isinstance(model, ceiba.Tree) else model.tree_
    expected = EXPECTED[sample.name]
    rows = random_rows(7, 60)
    assert [str(one) for one in tree.predict(rows).tolist()] == expected["predict"]
    assert tree.apply(rows).tolist() == expected["apply"]


def test_sample_of_a_searched_tree_keeps_its_certificate() -> None:
    tree = ceiba.load(SAMPLES / "certificate.ceiba").tree_
    assert "No tree of depth 2 has fewer than 0 errors" in str(tree.certificate)


def test_sample_keeps_its_notes() -> None:
    model = ceiba.load(SAMPLES / "notes.ceiba")
    assert "# age: the committee's first question" in str(model.tree_)
    assert "prediction set by hand, was good: policy of 2026" in str(model.tree_)
    assert model.predict({"age": [20, 60], "sex": ["f", "f"]}).tolist() == ["bad", "bad"]


def test_sample_keeps_its_zone() -> None:
    model = ceiba.load(SAMPLES / "zone.ceiba")
    assert "t <= 2024-01-09T07:30:00-05:00" in str(model.tree_)
    rows = ["2024-01-09T07:00:00-05:00", "2024-01-09T12:00:00+00:00", "2024-01-09T13:00:00+00:00"]
    assert model.predict({"t": rows}).tolist() == ["night", "night", "day"]


def test_sample_keeps_its_tests() -> None:
    tree = ceiba.load(SAMPLES / "chaid.ceiba").tree_
    assert tree.tests is not None
    assert tree.root.test is not None
    assert tree.root.test.name == "chi2"
    assert loads(dumps(tree)).tree == tree


def test_models_are_loaded_in_a_fresh_process(tmp_path: Path) -> None:
    makers = (ceiba.DecisionTreeClassifier, ceiba.DecisionTreeRegressor, ceiba.rpart)
    for k, make in enumerate(makers):
        make().fit([[1.0], [2.0]] * 20, [0, 1] * 20).save(tmp_path / f"{k}.ceiba")
        sign = "<" if make is ceiba.rpart else "<="
        assert f"x0 {sign} 1.5" in ok("show", f"{k}.ceiba", cwd=tmp_path)
    script = (
        "import ceiba\nfor k in range(3): print(int(ceiba.load(f'{k}.ceiba').predict([[2.0]])[0]))"
    )
    words = [sys.executable, "-c", script]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["1", "1", "1"]


def presence_table(seed: int) -> tuple[list[str | None], list[str]]:
    rng = np.random.default_rng(seed)
    levels, n = int(rng.integers(11, 40)), int(rng.integers(24, 90))
    x = [None if rng.random() < 0.2 else f"L{rng.integers(levels)}" for _ in range(n)]
    return x, ["z" if one is None and rng.random() < 0.9 else "pqr"[rng.integers(3)] for one in x]


@pytest.mark.parametrize("weighted", [False, True])
def test_levels_against_missing_values_are_a_presence_split(weighted: bool) -> None:
    tables = [
        (list("abcdefghijk") * 2 + [None] * 4, ["pq"[i % 2] for i in range(22)] + ["z"] * 4),
        *map(presence_table, range(150)),
    ]
    n_presence = 0
    for x, y in tables:
        weight = [1.0 + 0.5 * (k % 3) for k in range(len(y))] if weighted else None
        tree = ceiba.DecisionTreeClassifier(max_depth=2).fit({"x": x}, y, weight).tree_
        for node in np.flatnonzero(tree.splits.kind == ceiba.tree.SplitKind.LEVELS).tolist():
            assert len(set(tree.splits.level_map(node)[1].tolist())) == 2
        ceiba.tree.check(tree)
        assert "missing or missing" not in str(tree)
        assert loads(dumps(tree)).tree == tree
        n_presence += int((tree.splits.kind == ceiba.tree.SplitKind.PRESENCE).sum())
        placed = tree.apply({"x": x})
        assert np.bincount(placed, minlength=tree.n_nodes)[tree.leaves].tolist() == (
            tree.n_rows[tree.leaves].tolist()
        )
    assert n_presence > 30


def _one_branch(tree: Any) -> Any:
    splits = tree.splits
    return replace(tree, splits=replace(splits, level_branch=np.zeros_like(splits.level_branch)))


def _changed(name: str, value: float) -> Callable[[Any], Any]:
    def change(tree: Any) -> Any:
        values = getattr(tree, name).copy()
        values[0] = value
        return replace(tree, **{name: values})

    return change


@pytest.mark.parametrize(
    "change",
    [
        _one_branch,
        _changed("value", -1e-17),
        _changed("value", 0.0),
        _changed("impurity", np.nan),
        _changed("gain", np.inf),
        _changed("weight", np.nan),
        _changed("n_rows", -1),
        lambda tree: replace(tree, notes={99: ceiba.tree.NodeNote(name="nowhere")}),
        lambda tree: replace(tree, criterion="sympathy"),
    ],
)
def test_what_cannot_be_loaded_is_not_saved(change: Callable[[Any], Any], tmp_path: Path) -> None:
    y = ["p"] * 4 + ["q"] * 2
    tree = ceiba.DecisionTreeClassifier().fit({"wind": ["west", "east", "north"] * 2}, y).tree_
    assert (tree.splits.kind == ceiba.tree.SplitKind.LEVELS).any()
    place = tmp_path / "m.ceiba"
    place.write_text("the model before", "utf-8")
    with pytest.raises(ModelFileError):
        change(tree).save(place)
    assert [one.name for one in tmp_path.iterdir()] == ["m.ceiba"]
    assert place.read_text("utf-8") == "the model before"


def test_text_that_packs_beyond_the_limit_is_still_read(tmp_path: Path) -> None:
    tree = ceiba.tree.build(("x <= 2.5", "a", "b"))
    tree.save(tmp_path / "m.ceiba.gz", metadata={"note": "-" * 2**25})
    assert ceiba.load(tmp_path / "m.ceiba.gz") == tree
    with pytest.raises(ModelFileError, match="parsing it would require"):
        tree.save(tmp_path / "crowded.ceiba", metadata={"note": [""] * 3_000_000})
    assert not (tmp_path / "crowded.ceiba").exists()
