"""Hostile tables: any cells in any container, any target and weights, any options.

Either the table is refused with an error of ours, or there is a sound tree whose answers make
sense: one per row, shares that add up to 1, the same from the model file. Nothing else may happen.
"""

from __future__ import annotations

import io
import random
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.exceptions import NotFittedError

import ceiba
from ceiba.tree import check as check_tree
from tests.hardening.fuzz.cells import cell, draw_cells
from tests.hardening.fuzz.containers import CONTAINERS, DTYPES, held
from tests.hardening.fuzz.options import OF_FIT, draw_options, fit_arguments, options_of
from tests.hardening.fuzz.shrinking import smaller_table

KIND = "container"  # cases are counted by it
ALLOWED = (ceiba.CeibaError, NotFittedError)

_NAMES = ["x0", "x1", "x2", "x0", "", "a b", "é", "x <= 1", "target", "\n", "select"]
_LABELS: list[list[Any]] = [
    ["a", "b"], ["a", "b", "c"], [0, 1], [1, 2, 3], [True, False], [0.5, 1.5], ["a"], [1, "1"],
    [None, "a", "b"], [float("nan"), 0.0, 1.0], [-1, 10**18], ["", " "], [{"odd": "datetime"}],
    [{"odd": "decimal"}, 1], [{"odd": "half"}, "a"], [[1, 0], [0, 1]], [["a", 1], ["b", 2]],
]  # fmt: skip
_NUMBERS: list[list[Any]] = [
    [0, 1, 2], [0.1, 0.2, 0.7], [1e308, -1e308, 0.0], [5e-324, 0.0], [-1.0, 1.0], [1], [None, 1.0],
    [float("inf"), 1.0], [True, False], ["1", "2"], [[1.0, 2.0], [2.0, 1.0]], [1e-300, 1e300],
    [{"odd": "decimal"}, 1], [2**53, 2**53 + 1], [float("nan"), 1.0], [{"odd": "huge"}, 1],
]  # fmt: skip
_WEIGHTS: list[list[Any]] = [
    [1.0, 2.0], [0.0, 1.0], [0.0], [-1.0, 1.0], [float("nan"), 1.0], [1e308, 1e308], [5e-324, 1.0],
    [float("inf"), 1.0], [None, 1.0], ["1"], [True, False], [1e-12, 1e12], [1, 2, 3],
]  # fmt: skip


def draw(seed: int) -> dict[str, Any]:
    rng = random.Random(seed)
    n = rng.choice([0, 1, 2, 3, 5, 8, 12, 20, 40, 40, 120])
    names = rng.sample(_NAMES, rng.choice([0, 1, 1, 2, 2, 3, 4]))
    if rng.random() < 0.7:
        names = [f"x{j}" for j in range(len(names))]
    usual = rng.choice([0.2, 0.8, 0.95])
    columns = [
        {"name": name, "dtype": rng.choice(DTYPES), "cells": draw_cells(rng, n, usual)}
        for name in names
    ]
    task = rng.choice(["classification", "regression"])
    usual_target = rng.random() < 0.7
    pools = _LABELS if task == "classification" else _NUMBERS
    target = [rng.choice(pools[0] if usual_target else pool) for pool in [rng.choice(pools)] * n]
    weight = rng.choice(_WEIGHTS) if rng.random() < 0.3 else None
    other = draw_cells(rng, n, usual)
    return {
        "task": task,
        "container": rng.choice(list(CONTAINERS)),
        "columns": columns,
        "target": target,
        "weight": None if weight is None else [rng.choice(weight) for _ in range(n)],
        "options": draw_options(rng, task) | {one: True for one in OF_FIT if rng.random() < 0.05},
        "asked": rng.choice([*CONTAINERS, None, None]),  # container of the rows to predict
        "replaced": other if rng.random() < 0.3 else None,  # cells of its first column
    }


def check(case: dict[str, Any]) -> None:
    X = held(case["container"], case["columns"])
    if X is None:
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            model = _estimator(case).fit(
                X, _values(case["target"]), **fit_arguments(case, _weight(case))
            )
        except ALLOWED:
            return
        check_tree(model.tree_)
        _answers(model, X, len(case["target"]))
        _file(model, X)
        _words(model, X)
        asked = _asked(case)
        if asked is not None:
            _answers(model, asked, len(case["target"]))


def _estimator(case: dict[str, Any]) -> Any:
    kinds = {"classification": ceiba.DecisionTreeClassifier,
             "regression": ceiba.DecisionTreeRegressor}  # fmt: skip
    return kinds[case["task"]](**options_of(case))


def _values(values: list[Any]) -> list[Any]:
    return [cell(value) for value in values]


def _weight(case: dict[str, Any]) -> Any:
    return None if case["weight"] is None else _values(case["weight"])


def _asked(case: dict[str, Any]) -> Any:
    if case["asked"] is None:
        return None
    columns = case["columns"]
    if case["replaced"] is not None and columns:
        n = len(columns[0]["cells"])
        columns = [{**columns[0], "cells": case["replaced"][:n]}, *columns[1:]]
    return held(case["asked"], columns)


def _answers(model: Any, X: Any, n: int) -> None:
    """One answer per row, finite shares that add up to 1; or an error of ours."""
    try:
        predicted = model.predict(X)
        leaves = model.apply(X)
    except ALLOWED:
        return
    assert len(predicted) == len(leaves) == n, "one answer per row"
    tree = model.tree_
    assert ((leaves >= 0) & (leaves < tree.n_nodes)).all(), "leaves are nodes"
    if tree.task == "classification":
        shares = model.predict_proba(X)
        for share in shares if isinstance(shares, list) else [shares]:
            assert np.isfinite(share).all(), "shares are finite"
            np.testing.assert_allclose(share.sum(axis=1), 1.0, atol=1e-9, err_msg="shares sum to 1")


def _file(model: Any, X: Any) -> None:
    """The model from its file gives the same answers."""
    file = io.BytesIO()
    try:
        model.save(file)
    except ALLOWED:
        return
    again = ceiba.load(file.getvalue())
    assert again.tree_ == model.tree_, "the tree from the file"
    try:
        leaves = model.apply(X)
    except ALLOWED:
        return
    assert again.apply(X).tolist() == leaves.tolist(), "answers from the file"


def _words(model: Any, X: Any) -> None:
    """What is written about the tree can be written."""
    for write in (
        lambda: model.tree_.to_text(),
        lambda: str(model.summary()),
        lambda: model.tree_.export("rules"),
        lambda: model.tree_.export("json"),
        lambda: compile(model.tree_.export("python"), "exported", "exec"),
        lambda: model.tree_.export("svg").encode(),
        lambda: str(model.explain(X)),
    ):
        try:
            write()
        except ALLOWED:
            continue


def smaller(case: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield from smaller_table(case)
    if case["asked"] is not None:
        yield {**case, "asked": None}
    if case["replaced"] is not None:
        yield {**case, "replaced": None}
