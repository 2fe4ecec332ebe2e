"""Trees edited by hand equal trees grown with that split forced."""

from __future__ import annotations

from dataclasses import fields

import numpy as np
import pytest
from sklearn.datasets import load_iris

import ceiba
from ceiba.errors import TreeError
from ceiba.tree import Cut, LevelSets, Presence, check


def mixed_table(n=240, holes=0.15, seed=0):
    """Numbers, levels, missing values, and a target that depends on all of them."""
    rng = np.random.default_rng(seed)
    x, z = rng.normal(size=n), rng.integers(0, 12, n).astype(float)
    city = rng.choice(["Bern", "Lima", "Oslo", "Rome", "Wien"], n)
    effect = {"Bern": 0.0, "Lima": 1.0, "Oslo": -1.0, "Rome": 0.5, "Wien": 2.0}
    signal = x + 0.2 * z + np.array([effect[c] for c in city]) + rng.normal(scale=0.7, size=n)
    x[rng.random(n) < holes] = np.nan
    city = np.where(rng.random(n) < holes, None, city)
    frame = {"x": x, "z": z, "city": list(city)}
    return frame, signal, np.digitize(signal, np.quantile(signal, [0.4, 0.7]))


def same_tree(a, b):
    """Equal in all arrays; sums taken in another order may differ in the last bits."""
    for field in fields(a):
        mine, theirs = getattr(a, field.name), getattr(b, field.name)
        if isinstance(mine, np.ndarray):
            np.testing.assert_allclose(mine, theirs, rtol=1e-10, atol=1e-12, err_msg=field.name)
        elif field.name == "surrogates" and mine is not None:
            assert mine == theirs
        elif field.name != "competitors":
            assert mine == theirs, field.name


def fit(options, *, weights=False, seed=0, holes=0.15):
    frame, numbers, classes = mixed_table(seed=seed, holes=holes)
    options = dict(options)
    numeric = options.get("criterion") in ("squared_error", "absolute_error", "poisson")
    y = np.round(np.exp(numbers / 2), 3) if numeric else classes
    weight = np.random.default_rng(1).integers(1, 4, len(y)).astype(float) if weights else None
    estimator = ceiba.DecisionTreeRegressor if numeric else ceiba.DecisionTreeClassifier
    grow = {name: value for name, value in options.items() if name != "random_state"}
    if "random_state" in options:
        grow["seed"] = options["random_state"]
    tree = estimator(**options).fit(frame, y, sample_weight=weight).tree_
    return tree, frame, y, weight, grow


SETTINGS = [
    {},
    {"criterion": "entropy", "max_depth": 4},
    {"criterion": "twoing", "min_samples_leaf": 5},
    {"criterion": "squared_error", "min_samples_leaf": 0.03},
    {"criterion": "poisson", "min_samples_leaf": 4},
    {"criterion": "absolute_error", "max_depth": 3},
    {"missing": "majority", "min_samples_leaf": 4},
    {"missing": "surrogate", "min_samples_leaf": 4},
    {"missing": ceiba.Surrogates(otherwise="stay"), "min_samples_leaf": 4},
    {"missing": "surrogate", "criterion": "squared_error", "min_samples_split": 20},
    {"missing": "fractional", "max_depth": 4},
    {"categorical_splits": "multiway", "min_samples_leaf": 3},
    {"min_impurity_decrease": 0.01},
    {"min_weight_fraction_leaf": 0.05},
    {"max_features": 1, "random_state": 7, "min_samples_leaf": 4},
    {"class_prior": [0.2, 0.3, 0.5], "min_samples_leaf": 4},
    {
        "cost_matrix": [[0, 1, 5], [2, 0, 1], [1, 3, 0]],
        "missing": "surrogate",
        "min_samples_leaf": 6,
    },
]


@pytest.mark.parametrize("options", SETTINGS, ids=str)
@pytest.mark.parametrize("weights", [False, True], ids=["plain", "weighted"])
def test_own_split_forced_on_a_node_changes_nothing(options, weights):
    tree, X, y, weight, grow = fit(options, weights=weights)
    inner = np.flatnonzero(~tree.is_leaf)
    for node in {int(inner[0]), int(inner[len(inner) // 2]), int(inner[-1])}:
        split = tree.node(node).split
        forced = tree.set_split(node, split, X, y, sample_weight=weight, **grow)
        same_tree(forced, tree)


@pytest.mark.parametrize("options", SETTINGS, ids=str)
def test_regrow_below_a_collapsed_node_restores_the_tree(options):
    tree, X, y, weight, grow = fit(options, weights=True)
    inner = np.flatnonzero(~tree.is_leaf)
    for node in {int(inner[0]), int(inner[1]), int(inner[len(inner) // 2])}:
        again = tree.collapse(node).regrow(node, X, y, sample_weight=weight, **grow)
        same_tree(again, tree)


@pytest.mark.parametrize(
    "split", [Cut("z", 5.5), LevelSets("city", (("Oslo", "Rome"), ("Bern", "Lima", "Wien")))]
)
def test_branches_of_a_forced_split_grow_as_on_their_own_rows(split):
    """Without missing values a branch equals the tree of its rows, one level shallower."""
    tree, X, y, _, _ = fit({}, holes=0.0)
    forced = tree.set_split(0, split, X, y, max_depth=4)
    for branch in (0, 1):
        child = int(forced.branch_node[branch])
        rows = forced.rows(child, X)
        part = {name: np.asarray(column, object)[rows].tolist() for name, column in X.items()}
        alone = ceiba.DecisionTreeClassifier(max_depth=3).fit(part, y[rows]).tree_
        end = int(forced.subtree_end[child])
        assert forced.n_rows[child:end].tolist() == alone.n_rows.tolist()
        np.testing.assert_array_equal(forced.splits.cut[child:end], alone.splits.cut)
        np.testing.assert_array_equal(forced.splits.column[child:end], alone.splits.column)


def test_forced_split_keeps_the_rest_of_the_tree():
    tree, X, y, _, _ = fit({"max_depth": 4})
    node = int(tree.branch_node[1])
    forced = tree.set_split(node, Cut("z", 4.5), X, y, max_depth=4)
    same = slice(0, node)
    assert forced.splits.take(np.arange(node)) == tree.splits.take(np.arange(node))
    assert forced.n_rows[same].tolist() == tree.n_rows[same].tolist()
    check(forced)


def test_forced_tree_counts_the_rows_that_it_predicts():
    tree, X, y, _, _ = fit({"max_depth": 4}, holes=0.0)
    forced = tree.set_split(0, Cut("z", 4.5), X, y, max_depth=4)
    counted = forced.refit_leaves(X, y)
    np.testing.assert_allclose(counted.counts, forced.counts)
    np.testing.assert_allclose(counted.gain, forced.gain, atol=1e-12)


def test_missing_values_of_a_forced_cut_go_where_they_gain_most():
    X = {"x": [1.0, 2.0, 3.0, 4.0, np.nan, np.nan]}
    y = ["a", "a", "b", "b", "b", "b"]
    tree = ceiba.DecisionTreeClassifier().fit(X, y).tree_
    forced = tree.set_split(0, "x <= 2.5", X, y)
    assert forced.default_branch[0] == 1
    assert forced.n_leaves == 2


def test_one_group_of_levels_is_set_against_the_others():
    tree, X, y, _, _ = fit({}, holes=0.0)
    forced = tree.set_split(0, LevelSets("city", (("Oslo",),)), X, y)
    assert forced.root.split.branches == (("Oslo",), ("Bern", "Lima", "Rome", "Wien"))


def test_split_on_presence_is_possible():
    tree, X, y, _, _ = fit({})
    forced = tree.set_split(0, Presence("x"), X, y, max_depth=1)
    missing = int(np.isnan(X["x"]).sum())
    assert forced.n_rows.tolist() == [len(y), len(y) - missing, missing]


def test_words_of_an_ordered_column_name_its_level():
    import pandas as pd

    order = pd.CategoricalDtype(["low", "middle", "high"], ordered=True)
    X = pd.DataFrame({"size": pd.Series(["low", "middle", "high", "high"], dtype=order)})
    y = ["a", "b", "b", "a"]
    tree = ceiba.DecisionTreeClassifier().fit(X, y).tree_
    forced = tree.set_split(0, "size <= middle", X, y, max_depth=1)
    assert forced.n_rows.tolist() == [4, 2, 2]


def test_split_that_sends_nobody_one_way_is_refused():
    tree, X, y, _, _ = fit({})
    with pytest.raises(TreeError, match="Branch 1 of the split has no rows"):
        tree.set_split(0, "z <= 99", X, y)


def test_level_of_the_node_that_goes_nowhere_is_refused():
    tree, X, y, _, _ = fit({}, holes=0.0)
    with pytest.raises(TreeError, match="every level in the node, but has none for 'Wien'"):
        tree.set_split(0, LevelSets("city", (("Oslo", "Rome"), ("Bern", "Lima"))), X, y)


def test_cut_on_a_categorical_column_is_refused():
    tree, X, y, _, _ = fit({})
    with pytest.raises(TreeError, match="is categorical. Pass LevelSets"):
        tree.set_split(0, Cut("city", 1.0), X, y)


def test_words_that_are_no_split_are_refused():
    tree, X, y, _, _ = fit({})
    with pytest.raises(TreeError, match="is not a valid split"):
        tree.set_split(0, "z about 3", X, y)


def test_max_leaf_nodes_counts_the_leaves_elsewhere():
    X, y = load_iris(return_X_y=True)
    tree = ceiba.DecisionTreeClassifier(max_leaf_nodes=5).fit(X, y).tree_
    forced = tree.set_split(0, "x3 <= 1.75", X, y, max_leaf_nodes=5)
    assert forced.n_leaves <= 2 + 2 * (5 - 1)
    again = tree.collapse(2).regrow(2, X, y, max_leaf_nodes=5)
    same_tree(again, tree)
