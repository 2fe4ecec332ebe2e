"""Rows that no surrogate can place at an exact tie: growing sends them where predicting does."""

from __future__ import annotations

import numpy as np
import pytest

import ceiba


def tied(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(6, 14))
    X = rng.integers(0, 3, (n, 3)).astype(float)
    X[rng.random((n, 3)) < 0.4] = np.nan
    return X, rng.integers(0, 2, n)


@pytest.mark.parametrize("task", ["classification", "regression"])
def test_rows_of_the_leaves_are_those_that_apply_sends_there(task):
    make = ceiba.DecisionTreeClassifier if task == "classification" else ceiba.DecisionTreeRegressor
    for seed in range(300):
        X, y = tied(seed)
        tree = make(missing="surrogate").fit(X, y).tree_
        counts = np.bincount(tree.apply(X), minlength=tree.n_nodes)
        assert (counts[tree.is_leaf] == tree.n_rows[tree.is_leaf]).all()
        assert counts[~tree.is_leaf].sum() == 0


def test_split_by_hand_sends_tied_rows_as_growing_does():
    for seed in range(100):
        X, y = tied(seed)
        model = ceiba.DecisionTreeClassifier(missing="surrogate").fit(X, y)
        if model.tree_.is_leaf[0] or model.tree_.splits.kind[0] != ceiba.tree.SplitKind.CUT:
            continue
        question = f"x{model.tree_.splits.column[0]} <= {model.tree_.splits.cut[0]}"
        model = model.set_split(0, question, X, y)
        again = model.tree_
        counts = np.bincount(again.apply(X), minlength=again.n_nodes)
        assert (counts[again.is_leaf] == again.n_rows[again.is_leaf]).all()


def test_rpart_leaves_tied_rows_in_the_node_as_r_does():
    differ = 0
    for seed in range(300):
        X, y = tied(seed)
        tree = ceiba.rpart(method="class", minsplit=2, cp=0.0, xval=0).fit(X, y).tree_
        counts = np.bincount(tree.apply(X), minlength=tree.n_nodes)
        differ += not (counts[tree.is_leaf] == tree.n_rows[tree.is_leaf]).all()
    assert differ > 0
