"""Quantiles of leaves: those of the rows of each node, wherever these rows come from."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ceiba
from ceiba.errors import OptionError, TreeError
from ceiba.tree import Tree

LEVELS = (0.1, 0.5, 0.75)
RNG = np.random.default_rng(5)
X = {
    "x": np.where(RNG.random(240) < 0.1, np.nan, RNG.normal(size=240).round(1)),
    "city": RNG.choice(["Oslo", "Lima", "Rome"], 240),
    "z": RNG.integers(0, 9, 240).astype(float),
}
Y = np.round(np.nan_to_num(X["x"]) + (X["city"] == "Lima") * X["z"] + RNG.normal(size=240), 1)
WEIGHT = RNG.choice([0.0, 0.5, 1.0, 3.0], 240)


def repeat_by_weight(values: np.ndarray, weight: np.ndarray) -> np.ndarray:
    return np.repeat(values, np.rint(2 * weight).astype(int))


def expected(tree: Tree, rows: Any, y: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """Return the quantiles of each node by repeating each row twice its weight."""
    table = []
    for node in range(tree.n_nodes):
        here = tree.rows(node, rows)
        values = repeat_by_weight(y[here], weight[here])
        table.append(np.quantile(values, LEVELS, method="averaged_inverted_cdf"))
    return np.array(table)


def quantiles(tree: Tree) -> np.ndarray:
    assert tree.attachments is not None
    pairs = tree.attachments["quantiles"].values.reshape(tree.n_nodes, -1, 2)
    assert (pairs[:, :, 0] == LEVELS).all()
    return pairs[:, :, 1]


def fit(weight: Any = None, **options: Any) -> Any:
    options = {"max_depth": 4, "min_samples_leaf": 3, "leaf_quantiles": LEVELS, **options}
    return ceiba.DecisionTreeRegressor(**options).fit(X, Y, sample_weight=weight)


@pytest.mark.parametrize("weight", [None, WEIGHT], ids=["plain", "weighted"])
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"criterion": "absolute_error"},
        {"prune": "1se"},
        {"missing": "surrogate"},
        {"ccp_alpha": 0.1},
        {"leaf_values": "shrinkage"},
        {"search": "optimal", "max_depth": 2, "min_samples_leaf": 20},
    ],
    ids=str,
)
def test_quantiles_of_nodes_are_those_of_their_rows(options: Any, weight: Any) -> None:
    tree = fit(weight, **options).tree_
    weights = np.ones(len(Y)) if weight is None else weight
    np.testing.assert_allclose(quantiles(tree), expected(tree, X, Y, weights), rtol=1e-13)


def test_predicted_quantiles_are_those_of_the_leaf_in_every_container() -> None:
    import pandas as pd
    import polars as pl

    model = fit()
    leaf = model.apply(X)
    predicted = model.predict_quantiles(X)
    assert predicted.shape == (len(Y), len(LEVELS))
    np.testing.assert_array_equal(predicted, quantiles(model.tree_)[leaf])
    for rows in (pd.DataFrame(X), pl.DataFrame(X)):
        np.testing.assert_array_equal(model.predict_quantiles(rows), predicted)
        np.testing.assert_array_equal(model.tree_.predict_quantiles(rows), predicted)
    assert (np.diff(predicted, axis=1) >= 0).all()


def test_fractional_rows_get_the_mean_of_their_leaves() -> None:
    model = fit(missing="fractional", max_depth=2)
    start, node, share = ceiba.tree.routing.route.spread(model.tree_, model._read_rows(X))
    means = [share[a:b] @ quantiles(model.tree_)[node[a:b]] for a, b in pairwise(start)]
    np.testing.assert_allclose(model.predict_quantiles(X), means)


def test_honest_quantiles_come_from_the_rows_of_the_values() -> None:
    from ceiba.grow import split_honest_rows

    model = fit(leaf_values="honest", max_depth=2)
    problem, _ = model._read_problem(X, Y, None)
    _, rows = split_honest_rows(problem, 0.5, 0)
    part = {name: values[rows] for name, values in X.items()}
    right = expected(model.tree_, part, Y[rows], np.ones(len(rows)))
    np.testing.assert_allclose(quantiles(model.tree_), right)


def test_edits_and_new_rows_set_the_quantiles_of_their_nodes() -> None:
    model, ones = fit(), np.ones(len(Y))
    edits = [
        model.collapse(1),
        model.regrow(1, X, Y),
        model.set_split(0, "z <= 4", X, Y),
        model.collapse(0).grow_leaves(0, X, Y, levels=1),
    ]
    for edited in edits:
        np.testing.assert_allclose(quantiles(edited.tree_), expected(edited.tree_, X, Y, ones))
    half = {name: values[::2] for name, values in X.items()}
    new = fit(max_depth=2).refit_leaves(half, Y[::2])
    np.testing.assert_allclose(quantiles(new.tree_), expected(new.tree_, half, Y[::2], ones[::2]))
    same = model.refit_leaves(half, Y[::2], keep_value=True)
    np.testing.assert_array_equal(quantiles(same.tree_), quantiles(model.tree_))


def test_node_without_rows_has_the_quantiles_of_its_parent() -> None:
    model = fit(max_depth=2)
    leaf = int(np.flatnonzero(model.tree_.is_leaf)[0])
    above = int(model.tree_.parent[leaf])
    others = np.setdiff1d(np.arange(len(Y)), model.tree_.rows(leaf, X))
    new = model.refit_leaves({k: v[others] for k, v in X.items()}, Y[others]).tree_
    np.testing.assert_array_equal(quantiles(new)[leaf], quantiles(new)[above])


@pytest.mark.parametrize("levels", [(), (0.5, 0.1), (0.1, 0.1), (0.0,), (1.0,), ("a",), [[0.5]]])
def test_wrong_levels_are_refused(levels: Any) -> None:
    with pytest.raises(OptionError, match="leaf_quantiles must be"):
        fit(leaf_quantiles=levels)


def test_several_outputs_shards_and_trees_without_quantiles_are_refused(tmp_path: Path) -> None:
    model = ceiba.DecisionTreeRegressor(leaf_quantiles=LEVELS)
    (tmp_path / "rows.csv").write_text("x,y\n1,2\n3,4\n")
    with pytest.raises(OptionError, match="leaf_quantiles"):
        model.fit(ceiba.scan(tmp_path / "rows.csv"), "y")
    with pytest.raises(OptionError, match="single-output"):
        model.fit(X, np.stack([Y, Y], axis=1))
    with pytest.raises(TreeError, match="has no quantiles"):
        ceiba.DecisionTreeRegressor(max_depth=2).fit(X, Y).predict_quantiles(X)
