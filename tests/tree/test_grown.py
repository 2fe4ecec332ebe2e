"""Growing hands over data: arrays derived on first use, equal after every way of carrying."""

from __future__ import annotations

import copy
import gc
import io
import pickle
import sys
import weakref
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import fields
from functools import cached_property
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import pytest

import ceiba
from ceiba.grow.options import GrowOptions
from ceiba.grow.problem import Problem
from ceiba.table import read, read_target

rng = np.random.default_rng(0)
X, Y = rng.normal(size=(60, 3)), rng.integers(0, 3, 60)


def fresh() -> ceiba.Tree:
    return ceiba.DecisionTreeClassifier().fit(X, Y).tree_


def through_joblib(tree: Any) -> Any:
    file = io.BytesIO()
    joblib.dump(tree, file)
    file.seek(0)
    return joblib.load(file)


def through_a_file(tree: Any) -> Any:
    file = io.BytesIO()
    tree.save(file)
    return ceiba.load(file.getvalue())


CARRIED: dict[str, Callable[[Any], Any]] = {
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    "pickle": lambda one: pickle.loads(pickle.dumps(one)),
    "joblib": through_joblib,
    "model file": through_a_file,
}
N = X[:, 0] + Y
HOLES = np.where(rng.random(X.shape) < 0.2, np.nan, X)
GROWN: dict[str, Callable[[], Any]] = {
    "plain": lambda: ceiba.DecisionTreeClassifier().fit(X, Y),
    "priors and costs": lambda: ceiba.DecisionTreeClassifier(
        class_prior=[0.5, 0.3, 0.2], cost_matrix=[[0, 1, 2], [3, 0, 1], [1, 1, 0]]
    ).fit(X, Y),
    "frequencies": lambda: ceiba.DecisionTreeClassifier().fit(
        X, Y, frequency=np.arange(60) % 3 + 1
    ),
    "competitors": lambda: ceiba.DecisionTreeClassifier(max_competitors=2).fit(X, Y),
    "surrogates": lambda: ceiba.DecisionTreeClassifier(missing="surrogate").fit(HOLES, Y),
    "fractional": lambda: ceiba.DecisionTreeClassifier(missing="fractional").fit(HOLES, Y),
    "monotone": lambda: ceiba.DecisionTreeClassifier(monotonic_cst=[1, 0, 0]).fit(X, Y > 1),
    "two outputs": lambda: ceiba.DecisionTreeClassifier().fit(X, np.stack([Y, Y[::-1]], axis=1)),
    "numbers": lambda: ceiba.DecisionTreeRegressor().fit(X, N),
    "large numbers": lambda: ceiba.DecisionTreeRegressor(max_depth=3).fit(X, N * 2.0**300),
    "monotone numbers": lambda: ceiba.DecisionTreeRegressor(monotonic_cst=[1, 0, 0]).fit(X, N),
    "rates": lambda: ceiba.rpart("poisson", xval=0).fit(X, np.abs(N).round()),
    "optimal": lambda: ceiba.DecisionTreeClassifier(search="optimal", max_depth=2).fit(X, Y),
}
#: `fit` changes these after growing.
CHANGED = {"frequencies", "monotone", "monotone numbers", "rates", "optimal"}


def same(a: Any, b: Any) -> bool:
    if isinstance(a, np.ndarray) and isinstance(b, np.ndarray):
        return a.dtype == b.dtype and np.array_equal(a, b, equal_nan=a.dtype.kind == "f")
    return bool(a == b)


def state_outside_fields(value: Any) -> set[str]:
    cached = {
        name
        for cls in type(value).__mro__
        for name, one in vars(cls).items()
        if isinstance(one, cached_property)
    }
    return set(vars(value)) - {one.name for one in fields(value)} - cached


@pytest.mark.parametrize("way", CARRIED)
@pytest.mark.parametrize("kind", GROWN)
def test_carried_tree_nobody_looked_at_is_equal_field_by_field(kind: str, way: str) -> None:
    tree, twin = GROWN[kind]().tree_, GROWN[kind]().tree_
    assert (tree._grown is None) == (kind in CHANGED)
    carried = CARRIED[way](tree)
    differing = [
        one.name
        for one in fields(tree)
        if not same(getattr(carried, one.name), getattr(twin, one.name))
        and not (kind == "optimal" and one.name == "certificate")  # its seconds are others
    ]
    assert not differing
    assert carried == tree
    assert (carried.certificate is not None) == (kind == "optimal")


@pytest.mark.parametrize("kind", GROWN)
def test_collapsing_before_and_after_deriving_the_arrays_are_equal(kind: str) -> None:
    model = GROWN[kind]()
    tree, twin = model.tree_, pickle.loads(pickle.dumps(GROWN[kind]().tree_))
    nodes = [1, twin.n_nodes - 2]
    collapsed, expected = tree.collapse(nodes), twin.collapse(nodes)
    assert (collapsed._grown is None) == (kind in CHANGED)
    assert not [
        one.name
        for one in fields(tree)
        if not same(getattr(collapsed, one.name), getattr(expected, one.name))
    ]
    leaf = int(twin.leaves[0])
    assert model.tree_.collapse(leaf) is model.tree_


@pytest.mark.parametrize("kind", GROWN)
def test_grown_tree_and_model_hold_data_and_no_closure(kind: str) -> None:
    model = GROWN[kind]()
    tree = model.tree_
    assert not state_outside_fields(tree)
    assert not [name for name, value in vars(tree).items() if callable(value)]
    model.predict(HOLES if kind in ("surrogates", "fractional") else X)
    assert not state_outside_fields(tree)


@pytest.mark.parametrize("kind", GROWN)
def test_predictions_before_and_after_deriving_the_arrays_are_equal(kind: str) -> None:
    rows = np.concatenate([HOLES, rng.normal(size=(500, 3))])
    model = GROWN[kind]()
    first = model.predict(rows)
    copied = pickle.loads(pickle.dumps(model.tree_))  # this derives the arrays
    assert np.array_equal(first, copied.predict(rows))


@pytest.mark.parametrize("seed", range(40))
def test_first_predictions_with_ties_weights_and_levels(seed: int) -> None:
    random = np.random.default_rng(seed)
    n, n_classes = int(random.integers(2, 60)), int(random.integers(1, 12))
    frame = {
        "number": random.integers(0, 4, n).astype(float),
        "level": random.choice(["a", "b", "c"], n),
    }
    frame["number"][random.random(n) < 0.2] = np.nan
    y = random.integers(0, n_classes, n)
    weight = None if seed % 2 else random.choice([0.1, 0.3, 1.0, 2.0], n)
    unseen = ["missing", "majority", "default"][seed % 3]
    model = ceiba.DecisionTreeClassifier(max_depth=int(random.integers(0, 4)) + 1, unseen=unseen)
    tree = model.fit(frame, y, sample_weight=weight).tree_
    rows = {"number": [0.0, np.nan, 2.0, 9.0], "level": ["a", "d", None, "c"]}
    first = model.predict(rows)
    assert np.array_equal(first, tree.target.classes[0][tree.answer[tree.apply(rows)]])
    assert np.array_equal(first, pickle.loads(pickle.dumps(tree)).predict(rows))


def test_changed_problem_keeps_the_scales_of_all_rows_in_a_field() -> None:
    options = GrowOptions(task="classification", class_prior=[0.6, 0.3, 0.1])
    problem = Problem(read(X), read_target(Y, task="classification"), options)
    changed = problem.with_changes(weight=np.ones(60) * np.arange(60))
    assert changed.scales is problem.scales
    assert not state_outside_fields(changed)
    assert problem.take(np.arange(20)).scales.factor.tolist() != problem.scales.factor.tolist()


@pytest.mark.parametrize("kind", ["plain", "priors and costs", "surrogates", "numbers"])
def test_first_predict_does_not_enter_growing(kind: str) -> None:
    model, entered = GROWN[kind](), set()
    growing = str(Path(ceiba.grow.__file__).parent)

    def watch(frame: Any, event: str, _: Any) -> None:
        if event == "call":
            entered.add(frame.f_code.co_filename)

    sys.setprofile(watch)
    try:
        model.predict(X)
    finally:
        sys.setprofile(None)
    assert any(file.endswith("route.py") for file in entered)
    assert not [file for file in entered if file.startswith(growing)]


def test_unknown_name_is_an_attribute_error_and_makes_nothing():
    tree = fresh()
    with pytest.raises(AttributeError, match="no attribute 'branches'"):
        tree.branches  # noqa: B018
    assert not hasattr(tree, "colour")
    assert "parent" not in tree.__dict__


def test_arrays_are_read_only_and_made_once():
    tree = fresh()
    assert tree.parent is tree.parent
    assert not tree.value.flags.writeable
    assert not tree.splits.cut.flags.writeable
    tree.node_depth  # noqa: B018
    ceiba.tree.check(tree)


def test_threads_that_ask_together_get_the_same_tree():
    expected = fresh().gain.tolist()
    for _ in range(20):
        tree = fresh()
        with ThreadPoolExecutor(4) as pool:
            results = list(pool.map(lambda _, t=tree: t.gain.tolist(), range(4)))
        assert results == [expected] * 4


def test_tree_keeps_neither_the_table_nor_the_estimator():
    mine = X.copy()
    model = ceiba.DecisionTreeClassifier().fit(mine, Y)
    tree, table_gone, model_gone = model.tree_, weakref.ref(mine), weakref.ref(model)
    del mine, model
    gc.collect()
    assert table_gone() is None
    assert model_gone() is None
    assert tree.n_rows[0] == 60
    assert tree.schema.columns[1].maximum == X[:, 1].max()
