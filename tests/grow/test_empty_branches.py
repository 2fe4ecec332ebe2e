"""`Multiway(empty=True)`: levels that no row of a node has get a branch that answers like it."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
import pytest

import ceiba
from ceiba.tree import check

CRITERIA = ["squared_error", "absolute_error", "poisson", "friedman_mse"]
OPTIONS: list[dict[str, Any]] = [
    {}, {"missing": "fractional"}, {"missing": "surrogate"}, {"min_samples_leaf": 2},
    {"monotonic_cst": {"number": 1}},
]  # fmt: skip


def _rows(seed: int, n: int = 40) -> tuple[dict[str, Any], Any]:
    rng = np.random.default_rng(seed)
    table = {"a": rng.choice(list("pqrs"), n), "b": rng.choice(list("uvwxyz"), n),
             "number": rng.integers(0, 4, n).astype(float)}  # fmt: skip
    return table, rng.integers(0, 5, n).astype(float)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_branch_without_rows_answers_as_the_node_above(
    criterion: str, options: dict[str, Any], weighted: bool
) -> None:
    n_empty = 0
    for seed in range(6):
        X, y = _rows(seed)
        weight = np.random.default_rng(seed).integers(1, 4, len(y)) if weighted else None
        multiway = ceiba.Multiway(empty=True)
        model = ceiba.DecisionTreeRegressor(
            criterion=criterion, categorical_splits=multiway, **options
        )
        tree = model.fit(X, y, weight).tree_
        check(tree)
        empty = np.flatnonzero(tree.n_rows == 0)
        assert tree.value[empty].tolist() == tree.value[tree.parent[empty]].tolist()
        assert not tree.impurity[empty].any()
        assert not tree.risk[empty].any()
        n_empty += len(empty)
        file = io.BytesIO()
        model.save(file)
        assert ceiba.load(file.getvalue()).tree_ == tree
    assert n_empty > 5


def test_several_outputs_of_a_branch_without_rows() -> None:
    X, y = _rows(0)
    multiway = ceiba.Multiway(empty=True)
    model = ceiba.DecisionTreeRegressor(categorical_splits=multiway).fit(X, np.c_[y, y[::-1]])
    tree = model.tree_
    check(tree)
    empty = np.flatnonzero(tree.n_rows == 0)
    assert len(empty)
    assert tree.value[empty].tolist() == tree.value[tree.parent[empty]].tolist()


@pytest.mark.parametrize("criterion", CRITERIA)
def test_level_that_a_node_lacks_gets_the_answer_of_that_node(criterion: str) -> None:
    X = {"a": list("ppqqqq"), "b": list("uvuuvw")}
    y = [1.0, 5.0, 90.0, 90.0, 80.0, 82.0]
    multiway = ceiba.Multiway(empty=True)
    model = ceiba.DecisionTreeRegressor(criterion=criterion, categorical_splits=multiway)
    tree = model.fit(X, y).tree_
    lacking = {"a": ["p"], "b": ["w"]}
    leaf = int(tree.apply(lacking)[0])
    assert tree.n_rows[leaf] == 0
    assert model.predict(lacking).tolist() == [3.0]
