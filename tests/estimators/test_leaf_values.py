"""Smoothed and honest leaves: formulas by hand, other packages, and what must not be mixed."""

from __future__ import annotations

import warnings
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.metrics import log_loss

import ceiba
from ceiba.errors import CeibaWarning, OptionError, TreeError
from tests.marks import slow


def plain(X: Any, y: Any, **options: Any) -> Any:
    return ceiba.DecisionTreeClassifier(max_depth=4, **options).fit(X, y)


def test_laplace_adds_one_row_of_each_class() -> None:
    X, y = load_iris(return_X_y=True)
    tree, smooth = plain(X, y).tree_, plain(X, y, leaf_values="laplace").tree_
    counts = tree.counts[:, 0]
    expected = (counts + 1) / (counts.sum(axis=1, keepdims=True) + 3)
    np.testing.assert_allclose(smooth.value[:, 0], expected)
    assert smooth.smoothed
    assert np.array_equal(smooth.counts, tree.counts)


def test_m_estimate_adds_rows_of_the_root() -> None:
    X, y = load_iris(return_X_y=True)
    model = plain(X, y, leaf_values=ceiba.MEstimate(m=6))
    counts = model.tree_.counts[:, 0]
    expected = (counts + 6 / 3) / (counts.sum(axis=1, keepdims=True) + 6)
    np.testing.assert_allclose(model.tree_.value[:, 0], expected)
    assert model.leaf_strength_ == 6


def test_shrinkage_follows_the_formula_along_each_path() -> None:
    X, y = load_diabetes(return_X_y=True)
    tree = ceiba.DecisionTreeRegressor(max_depth=4).fit(X, y).tree_
    rule = ceiba.Shrinkage(strength=30)
    model = ceiba.DecisionTreeRegressor(max_depth=4, leaf_values=rule).fit(X, y)
    for leaf in tree.leaves.tolist():
        path = tree.path(leaf).nodes
        value = tree.value[0, 0, 0]
        for above, below in pairwise(path):
            step = tree.value[below, 0, 0] - tree.value[above, 0, 0]
            value += step / (1 + 30 / tree.n_rows[above])
        assert model.tree_.value[leaf, 0, 0] == pytest.approx(value)
    squared = (y - model.predict(X)) ** 2
    assert model.tree_.tree_risk == pytest.approx(squared.mean())


@pytest.mark.parametrize("strength", [0.0, 1.0, 25.0])
def test_shrinkage_equals_imodels(strength: float) -> None:
    imodels = pytest.importorskip("imodels", reason="the package imodels is not installed")
    X, y = load_breast_cancer(return_X_y=True)
    X = X.astype(np.float32).astype(np.float64)
    model = plain(X, y, leaf_values=ceiba.Shrinkage(strength=strength))
    theirs = imodels.HSTreeClassifier(plain(X, y).tree_.to_sklearn(), reg_param=strength)
    ours, other = model.predict_proba(X), theirs.predict_proba(X)
    np.testing.assert_allclose(ours, other, atol=1e-9)


def test_strength_is_that_of_least_cross_validated_loss() -> None:
    X, y = load_breast_cancer(return_X_y=True)
    model = plain(X, y, leaf_values="shrinkage")
    from ceiba.grow.options import GrowOptions
    from ceiba.grow.problem import Problem
    from ceiba.prune.cross_validation.folds import read_folds
    from ceiba.table import read, read_target

    problem = Problem(
        read(X), read_target(y, task="classification"), GrowOptions(task="classification")
    )
    total = []
    for strength in ceiba.Shrinkage.grid:
        loss = 0.0
        for fold in read_folds(10, problem, random_state=0):
            rule = ceiba.Shrinkage(strength=strength)
            fit = plain(X[fold.train], y[fold.train], leaf_values=rule)
            p = fit.predict_proba(X[fold.test])
            true = np.maximum(p[np.arange(len(p)), y[fold.test]], 1e-15)
            loss -= np.log(true).sum()
        total.append(loss)
    assert model.leaf_strength_ == ceiba.Shrinkage.grid[int(np.argmin(total))]
    half = plain(X[::2], y[::2], leaf_values="shrinkage").predict_proba(X[1::2])
    raw = plain(X[::2], y[::2]).predict_proba(X[1::2])
    assert log_loss(y[1::2], half) < log_loss(y[1::2], raw)


def test_smoothing_does_not_depend_on_the_scale_of_weights_and_respects_priors() -> None:
    X, y = load_breast_cancer(return_X_y=True)
    weight = np.random.default_rng(0).exponential(size=len(y))
    rule = ceiba.Shrinkage(strength=10)
    p = [
        ceiba.DecisionTreeClassifier(max_depth=3, leaf_values=rule)
        .fit(X, y, sample_weight=weight * scale)
        .predict_proba(X)
        for scale in (1.0, 1e-3)
    ]
    np.testing.assert_allclose(p[0], p[1])
    prior = plain(X, y, leaf_values=ceiba.MEstimate(m=1e9), class_prior=[0.9, 0.1])
    np.testing.assert_allclose(prior.predict_proba(X[:5]), [[0.9, 0.1]] * 5, atol=1e-6)


@pytest.mark.parametrize("options", [{"leaf_values": "laplace"}, {"leaf_values": ceiba.Honest()}])
def test_model_files_and_exports_carry_the_values(options: Any, tmp_path: Path) -> None:
    X, y = load_iris(return_X_y=True)
    model = plain(X, y, **options, min_samples_leaf=5)
    model.save(tmp_path / "m.ceiba")
    again = ceiba.load(tmp_path / "m.ceiba")
    assert again.tree_ == model.tree_
    assert (again.tree_.honest, again.tree_.smoothed) == (
        options["leaf_values"] != "laplace",
        options["leaf_values"] == "laplace",
    )
    code: dict[str, Any] = {}
    exec(model.tree_.export("python"), code)
    names = model.tree_.schema.names
    row = dict(zip(names, X[70].tolist(), strict=True))
    assert code["predict"](row) == model.predict(X[70:71])[0]


def test_honest_values_are_those_of_rows_kept_apart() -> None:
    X, y = load_breast_cancer(return_X_y=True)
    model = ceiba.DecisionTreeClassifier(max_depth=3, leaf_values=ceiba.Honest(share=0.4)).fit(X, y)
    from ceiba.grow.leaf_values import split_honest_rows
    from ceiba.grow.options import GrowOptions
    from ceiba.grow.problem import Problem
    from ceiba.table import read, read_target

    target = read_target(y, task="classification")
    problem = Problem(read(X), target, GrowOptions(task="classification"))
    questions, values = split_honest_rows(problem, 0.4, 0)
    assert sorted([*questions, *values]) == list(range(len(y)))
    assert abs(len(values) / len(y) - 0.4) < 0.01
    assert abs(y[values].mean() - y.mean()) < 0.01
    grown = ceiba.DecisionTreeClassifier(max_depth=3).fit(X[questions], y[questions]).tree_
    assert model.tree_.splits == grown.splits
    end = grown.apply(X[values])
    for leaf in grown.leaves.tolist():
        mine = y[values][end == leaf]
        assert model.tree_.n_rows[leaf] == len(mine)
        if len(mine):
            assert model.tree_.value[leaf, 0, 1] == pytest.approx(mine.mean())


@pytest.mark.parametrize("prune", [None, "cv"])
def test_honest_questions_do_not_look_at_the_values_rows(prune: str | None) -> None:
    X, y = load_breast_cancer(return_X_y=True)
    from ceiba.grow.leaf_values import split_honest_rows
    from ceiba.grow.options import GrowOptions
    from ceiba.grow.problem import Problem
    from ceiba.table import read, read_target

    target = read_target(y, task="classification")
    problem = Problem(read(X), target, GrowOptions(task="classification"))
    _, values = split_honest_rows(problem, 0.5, 0)
    # The columns of rows kept for the values may be anything: the questions stay.
    other = X.copy()
    other[values] = np.random.default_rng(0).permutation(other[values])
    fits = [
        ceiba.DecisionTreeClassifier(leaf_values="honest", prune=prune, min_samples_leaf=5)
        for _ in range(2)
    ]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CeibaWarning)
        a, b = fits[0].fit(X, y).tree_, fits[1].fit(other, y).tree_
    assert a.splits == b.splits
    assert not np.array_equal(a.counts, b.counts)


def test_empty_honest_leaves_take_the_value_above_and_say_so() -> None:
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(60, 3)), rng.normal(size=60)
    with pytest.warns(CeibaWarning, match="honest leaves have no rows"):
        tree = ceiba.DecisionTreeRegressor(leaf_values=ceiba.Honest(share=0.3)).fit(X, y).tree_
    empty = np.flatnonzero(tree.is_leaf & (tree.weight == 0))
    assert len(empty)
    for leaf in empty.tolist():
        above = int(tree.parent[leaf])
        while tree.weight[above] == 0:
            above = int(tree.parent[above])
        assert tree.value[leaf, 0, 0] == tree.value[above, 0, 0]


def test_rules_say_where_their_intervals_come_from() -> None:
    X, y = load_breast_cancer(return_X_y=True)
    honest = ceiba.DecisionTreeClassifier(max_depth=2, leaf_values=ceiba.Honest()).fit(X, y).tree_
    assert "were not used to choose the splits" in str(honest.rules())
    assert "optimistic" in str(plain(X, y).tree_.rules())
    assert "values are smoothed" in str(plain(X, y, leaf_values="laplace").tree_.rules())


def test_outputs_say_optimistic_unless_leaves_are_honest() -> None:
    X, y = load_diabetes(return_X_y=True)
    ordinary = ceiba.DecisionTreeRegressor(max_depth=2).fit(X, y)
    honest = ceiba.DecisionTreeRegressor(max_depth=2, leaf_values=ceiba.Honest()).fit(X, y)
    for model, optimistic in ((ordinary, True), (honest, False)):
        rules = model.tree_.rules()
        texts = [str(rules), rules.to_text(), str(model.summary()), str(model.drift(X, y))]
        assert [("optimistic" in text) for text in texts] == [optimistic] * 4
        assert {rule.optimistic for rule in rules.rules} == {optimistic}
        assert model.drift(X, y).to_dict()["optimistic"] == optimistic


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"leaf_values": "best"}, "leaf_values"),
        ({"leaf_values": ceiba.Honest(share=1.5)}, "share"),
        ({"leaf_values": ceiba.Honest(), "monotonic_cst": [1, 0, 0, 0]}, "monotonic_cst"),
        ({"leaf_values": "shrinkage", "monotonic_cst": [1, 0, 0, 0]}, "monotonic_cst"),
        (
            {"leaf_values": ceiba.Honest(), "prune": ceiba.CostComplexity(keep_unpruned=True)},
            "keep_unpruned",
        ),
        ({"leaf_values": ceiba.Shrinkage(strength=-1.0)}, "strength"),
    ],
)
def test_wrong_leaf_options_are_refused(options: dict[str, Any], message: str) -> None:
    X, y = load_iris(return_X_y=True)
    with pytest.raises((OptionError, ValueError), match=message):
        ceiba.DecisionTreeClassifier(**options).fit(X[:100], y[:100])


def test_laplace_of_regression_and_changes_by_hand_are_refused() -> None:
    X, y = load_diabetes(return_X_y=True)
    with pytest.raises(OptionError, match="'laplace' is not supported for regression"):
        ceiba.DecisionTreeRegressor(leaf_values="laplace").fit(X, y)
    model = ceiba.DecisionTreeRegressor(max_depth=2, leaf_values=ceiba.Honest()).fit(X, y)
    with pytest.raises(TreeError, match="Editing is not supported"):
        model.regrow(1, X, y)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["classes", "normal"])
@pytest.mark.parametrize("n", [200, 1000, 5000])
def test_honest_intervals_cover_what_they_claim(kind: str, n: int) -> None:
    from tests.trust.coverage import coverage

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CeibaWarning)
        assert 0.94 <= coverage(kind, n, 1000, 0.5) <= 0.98


RULES: list[Any] = [
    None,
    "laplace",
    ceiba.MEstimate(),
    ceiba.MEstimate(m=0),
    ceiba.MEstimate(m=3),
    ceiba.Shrinkage(),
    ceiba.Shrinkage(strength=0),
    ceiba.Shrinkage(strength=7),
]


@pytest.mark.filterwarnings("ignore::ceiba.errors.CeibaWarning")
@pytest.mark.parametrize("honest", [True, *slow([False])])
@pytest.mark.parametrize("rule", RULES, ids=str)
def test_values_of_the_smallest_tables_are_probabilities(rule: Any, honest: bool) -> None:
    for seed in range(40):
        rng = np.random.default_rng(seed)
        n = int(rng.integers(3, 9))
        X, y = rng.normal(size=(n, 2)), rng.integers(0, 3, n)
        plain, values = ("share", rule or "share")
        if honest:
            plain, values = ceiba.Honest(), ceiba.Honest(values=values)
        tree = ceiba.DecisionTreeClassifier(leaf_values=plain, random_state=0).fit(X, y).tree_
        smooth = ceiba.DecisionTreeClassifier(leaf_values=values, random_state=0).fit(X, y)
        ceiba.tree.check(smooth.tree_)
        expected = smoothed_by_hand(tree, rule, getattr(smooth, "leaf_strength_", 0.0))
        np.testing.assert_allclose(smooth.tree_.value[:, 0], expected, atol=1e-12)
        assert smooth.predict_proba(X).sum(axis=1) == pytest.approx(1.0)
        assert (smooth.predict_proba(X) >= 0).all()


def smoothed_by_hand(tree: Any, rule: Any, strength: float) -> Any:
    """Follow the formulas node by node; a node without rows answers as the one above it."""
    values = tree.value[:, 0].copy()
    for i in range(1, tree.n_nodes):
        if tree.n_rows[i] == 0:
            values[i] = values[tree.parent[i]]
    out = values.copy()
    for i in range(tree.n_nodes):
        n, above = float(tree.n_rows[i]), int(tree.parent[i])
        if rule == "laplace":
            out[i] = (n * values[i] + 1) / (n + values.shape[1])
        elif isinstance(rule, ceiba.MEstimate) and n + strength > 0:
            out[i] = (n * values[i] + strength * values[0]) / (n + strength)
        elif isinstance(rule, ceiba.Shrinkage) and above >= 0:
            rows = float(tree.n_rows[above])
            part = 1.0 if strength == 0 else rows / (rows + strength)
            out[i] = out[above] + (values[i] - values[above]) * part
    return out
