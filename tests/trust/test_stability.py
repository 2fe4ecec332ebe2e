"""Stability equals fitting each resample by hand; rival columns equal forcing by hand."""

from __future__ import annotations

import threading
from typing import Any

import matplotlib
import numpy as np
import pytest
from sklearn.datasets import load_diabetes, load_wine

import ceiba
from ceiba.errors import OptionError, TreeError
from ceiba.table import read
from ceiba.trust.stability import stability

matplotlib.use("Agg")


def halves(n: int, resamples: int, seed: int) -> list[Any]:
    """Draw the resamples as documented: the first half of a permutation, in the rows' order."""
    drawn = [np.random.default_rng([seed, i]).permutation(n)[: n // 2] for i in range(resamples)]
    return [np.sort(rows) for rows in drawn]


@pytest.mark.parametrize("prune", [None, "cv"])
def test_stability_equals_fitting_every_resample(prune: str | None) -> None:
    X, y = load_wine(return_X_y=True)
    model = ceiba.DecisionTreeClassifier(max_depth=4, prune=prune).fit(X, y)
    found = model.stability(X, y, resamples=12, random_state=3)
    trees = []
    for rows in halves(len(y), 12, 3):
        again = ceiba.DecisionTreeClassifier(max_depth=4, prune=prune)
        trees.append(again.fit(X[rows], y[rows]).tree_)
    assert found.n_leaves.tolist() == [tree.n_leaves for tree in trees]
    said = np.array([tree.predict(X) for tree in trees])
    np.testing.assert_allclose(found.rows, (said == model.predict(X)).mean(axis=0))
    pairs = [(said[i] == said[j]).mean() for i in range(12) for j in range(i)]
    assert found.agreement == pytest.approx(np.mean(pairs))
    tree = model.tree_
    roots = [t for t in trees if not t.is_leaf[0] and t.splits.column[0] == tree.splits.column[0]]
    assert found.nodes["chosen"][0] == pytest.approx(len(roots) / 12)
    assert found.nodes["reached"][0] == 1.0
    cuts = [t.splits.cut[0] for t in roots]
    assert found.nodes["cut low"][0] == pytest.approx(np.quantile(cuts, 0.05), rel=1e-4)
    names = tree.schema.names
    for row in found.columns:
        used = [names.index(row["column"]) in t.used_features for t in trees]
        assert row["anywhere"] == pytest.approx(np.mean(used))
        at_root = [not t.is_leaf[0] and names[t.splits.column[0]] == row["column"] for t in trees]
        assert row["depth 0"] == pytest.approx(np.mean(at_root))


def test_stability_below_the_root_follows_the_same_columns() -> None:
    X, y = load_wine(return_X_y=True)
    model = ceiba.DecisionTreeClassifier(max_depth=3).fit(X, y)
    found = model.stability(X, y, resamples=40)
    by = {row["node"]: row for row in found.nodes}
    for node, row in by.items():
        if node:
            above = by[int(model.tree_.parent[node])]
            assert row["reached"] <= above["chosen"] + 1e-12
        assert row["chosen"] + row["how often"] <= row["reached"] + 1e-12


def test_stability_of_numbers_is_the_spread_of_predictions() -> None:
    X, y = load_diabetes(return_X_y=True)
    model = ceiba.DecisionTreeRegressor(max_depth=3).fit(X, y)
    found = model.stability(X, y, resamples=8)
    rows = halves(len(y), 8, 0)
    fits = [ceiba.DecisionTreeRegressor(max_depth=3).fit(X[r], y[r]) for r in rows]
    said = np.array([fit.predict(X) for fit in fits])
    np.testing.assert_allclose(found.rows, said.std(axis=0, ddof=1), rtol=1e-9)
    apart = [np.mean((said[i] - said[j]) ** 2) for i in range(8) for j in range(i)]
    assert found.agreement == pytest.approx(np.sqrt(np.mean(apart)))


def test_stability_for_any_number_of_threads_is_the_same() -> None:
    X, y = load_wine(return_X_y=True)
    X, y = np.tile(X, (20, 1)), np.tile(y, 20)  # large enough for threads
    found = [
        ceiba.DecisionTreeClassifier(n_jobs=n).fit(X, y).stability(X, y, resamples=10)
        for n in (1, 2)
    ]
    assert str(found[0]) == str(found[1])
    assert np.array_equal(found[0].rows, found[1].rows)


def test_stability_trees_grow_side_by_side() -> None:
    X, y = load_wine(return_X_y=True)
    model = ceiba.DecisionTreeClassifier(max_depth=2).fit(X, y)
    both = threading.Barrier(2, timeout=60)  # passed only while two trees are being fitted
    table = read(X)

    def fit(rows: Any) -> Any:
        both.wait()
        return model.tree_

    found = stability(model.tree_, table, fit, resamples=6, n_threads=2)
    assert found.n_leaves.tolist() == [model.tree_.n_leaves] * 6
    assert not both.broken


def test_stability_of_a_strong_signal_chooses_it_always() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 5))
    found = ceiba.DecisionTreeClassifier(max_depth=1).fit(X, X[:, 2] > 0.3)
    root = found.stability(X, X[:, 2] > 0.3, resamples=30).nodes.row(0)
    assert root["chosen"] == 1.0
    assert root["cut low"] <= 0.3 <= root["cut high"] + 0.05


def test_rival_columns_equal_forcing_and_validating_by_hand() -> None:
    X, y = load_wine(return_X_y=True)
    model = ceiba.DecisionTreeClassifier(max_depth=3).fit(X, y)
    folds = np.arange(len(y)) % 5
    found = model.rival_columns(X, y, folds=folds)
    wrong = np.zeros(len(y))
    j = 6
    for fold in range(5):
        train, test = folds != fold, folds == fold
        fit = ceiba.DecisionTreeClassifier(max_depth=3).fit(X[train], y[train])
        cut = ceiba.DecisionTreeClassifier(max_depth=1).fit(X[train][:, [j]], y[train])
        split = ceiba.tree.Cut(f"x{j}", cut.tree_.splits.cut[0])
        fit = fit.set_split(0, split, X[train], y[train])
        wrong[test] = fit.predict(X[test]) != y[test]
    row = next(row for row in found.table if row["column"] == f"x{j}")
    assert row["risk"] == pytest.approx(wrong.mean())
    assert row["SE"] == pytest.approx(wrong.std() / np.sqrt(len(y)))
    forced = found.trees[f"x{j}"]
    assert forced.splits.column[0] == j
    assert [row["column"] for row in found.table if row["ours"]] == [
        model.tree_.schema.names[model.tree_.splits.column[0]]
    ]


def test_rival_columns_of_an_inner_node_keep_the_rest() -> None:
    X, y = load_wine(return_X_y=True)
    model = ceiba.DecisionTreeClassifier(max_depth=3).fit(X, y)
    found = model.rival_columns(X, y, node=1, folds=3)
    for name, tree in found.trees.items():
        assert tree.splits.column[0] == model.tree_.splits.column[0]
        assert tree.schema.names[tree.splits.column[1]] == name


def test_stability_and_rival_columns_draw() -> None:
    from matplotlib import pyplot

    X, y = load_wine(return_X_y=True, as_frame=True)
    model = ceiba.DecisionTreeClassifier(max_depth=2).fit(X, y)
    stability = model.stability(X, y, resamples=5)
    ax = stability.plot()
    assert len(ax.get_yticklabels()) == len(stability.columns)
    ax = model.rival_columns(X, y, folds=3).plot()
    assert any("(ours)" in label.get_text() for label in ax.get_yticklabels())
    pyplot.close("all")


def test_stability_with_wrong_options_says_so() -> None:
    X, y = load_wine(return_X_y=True)
    model = ceiba.DecisionTreeClassifier(max_depth=2).fit(X, y)
    with pytest.raises(OptionError, match="at least 2"):
        model.stability(X, y, resamples=1)
    with pytest.raises(OptionError, match="greater than 0 and less than 1"):
        model.stability(X, y, share=1.0)
    leaf = int(model.tree_.leaves[0])
    with pytest.raises(TreeError, match="is a leaf"):
        model.rival_columns(X, y, node=leaf)


@pytest.mark.parametrize("kind", [ceiba.DecisionTreeClassifier, ceiba.DecisionTreeRegressor])
def test_stability_of_several_outputs_is_measured_for_each(kind: Any) -> None:
    rng = np.random.default_rng(4)
    X = rng.normal(size=(150, 3))
    y = (X[:, 0] + 0.5 * rng.normal(size=150) > 0).astype(float)
    noise = rng.integers(0, 2, 150).astype(float)
    one = kind(max_depth=3).fit(X, y).stability(X, y, resamples=15)
    # Twice the same target grows the same trees: both outputs have the figures of one.
    twice = np.column_stack([y, y])
    both = kind(max_depth=3).fit(X, twice).stability(X, twice, resamples=15)
    assert both.agreement == pytest.approx((one.agreement, one.agreement), rel=1e-12)
    np.testing.assert_allclose(both.rows, np.column_stack([one.rows, one.rows]), atol=1e-12)
    np.testing.assert_allclose(
        both.leaves[both.leaves.columns[4]], one.leaves[one.leaves.columns[3]], atol=1e-12
    )
    # A target and noise do not have the same.
    mixed = np.column_stack([y, noise])
    model = kind(max_depth=3).fit(X, mixed)
    found = model.stability(X, mixed, resamples=15)
    assert len(set(found.agreement)) == 2
    assert found.rows.shape == (150, 2)
    assert ", by output" in str(found)
