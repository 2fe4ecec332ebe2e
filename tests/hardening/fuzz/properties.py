"""What must not change a tree, on tables of all kinds of columns and with all options it holds for.

Threads, the container, the model file and the exports: under every option. The order of the rows,
monotone transforms of the numbers and weight k for the row k times: where sums are exact (gini and
squared error on whole numbers), because elsewhere rounding may break a tie either way.
"""

from __future__ import annotations

import io
import random
import sqlite3
import warnings
from typing import Any

import numpy as np

import ceiba
from tests.hardening.fuzz.containers import CONTAINERS, held
from tests.hardening.fuzz.options import draw_options, fit_arguments, options_of
from tests.hardening.fuzz.shrinking import smaller_table, taken
from tests.interop.fields import differences
from tests.properties.fitting import leaf_sets

KIND = "property"  # cases are counted by it
_EXACT = {"classification": "gini", "regression": "squared_error"}
_STOPS: dict[str, list[Any]] = {
    "max_depth": [1, 2, 4],
    "min_samples_leaf": [1, 2, 5],
    "min_samples_split": [2, 7],
    "missing": ["learn", "majority", "surrogate"],
    "max_leaf_nodes": [3, 6],
    "categorical_splits": ["binary", "multiway"],
}


def draw(seed: int) -> dict[str, Any]:
    rng = random.Random(seed)
    name = rng.choice(sorted(_PROPERTIES))
    n = rng.choice([4, 8, 15, 30, 60, 200])
    task = rng.choice(["classification", "regression"])
    exact = name in ("row order", "monotone", "weights")
    numeric = name == "monotone" or (name == "containers" and rng.random() < 0.5)
    columns = [
        {"name": f"x{j}", "dtype": None, "cells": _cells(rng, n, numeric)}
        for j in range(rng.randint(1, 4))
    ]
    options = _exact_options(rng, task) if exact else draw_options(rng, task, wrong=0)
    labels = ["a", "b", "c"][: rng.randint(2, 3)]
    return {
        "property": name,
        "task": task,
        "columns": columns,
        "target": [rng.choice(labels) if task == "classification" else rng.randint(0, 6)
                   for _ in range(n)],
        "weight": [rng.randint(1, 3) for _ in range(n)] if exact or rng.random() < 0.3 else None,
        "options": options,
        "order": rng.randrange(2**30),
    }  # fmt: skip


def _cells(rng: random.Random, n: int, numeric: bool) -> list[Any]:
    pool: list[Any] = rng.choice([[0, 1, 2, 3], [0.5, 1.5, 2.0, 7.25], list(range(50))])
    if not numeric and rng.random() < 0.4:
        pool = rng.choice([["u", "v"], ["u", "v", "w", "x", "y"], list("abcdefghijklm")])
    holes = rng.choice([0.0, 0.0, 0.2])
    numbers = isinstance(pool[0], int | float)
    return [
        None if rng.random() < holes else (float(value) if numbers else value)
        for value in (rng.choice(pool) for _ in range(n))
    ]


def _exact_options(rng: random.Random, task: str) -> dict[str, Any]:
    names = rng.sample(sorted(_STOPS), rng.randint(0, 3))
    return {"criterion": _EXACT[task], **{name: rng.choice(_STOPS[name]) for name in names}}


def check(case: dict[str, Any]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            model = _fit(case)
        except ceiba.CeibaError:
            return  # the options do not go together
        _PROPERTIES[case["property"]](case, model)


def _fit(case: dict[str, Any], X: Any = None, **changes: Any) -> Any:
    kind = {"classification": "DecisionTreeClassifier", "regression": "DecisionTreeRegressor"}
    made = getattr(ceiba, kind[case["task"]])(**{**options_of(case), **changes})
    table = held("dict", case["columns"]) if X is None else X
    return made.fit(table, case["target"], **fit_arguments(case, case["weight"]))


def _threads(case: dict[str, Any], model: Any) -> None:
    for n_jobs in (1, 2, 5):
        assert _fit(case, n_jobs=n_jobs).tree_ == model.tree_, f"n_jobs={n_jobs}"


def _containers(case: dict[str, Any], model: Any) -> None:
    cells = [value for column in case["columns"] for value in column["cells"]]
    numeric = not any(isinstance(value, str) for value in cells)
    skipped = {"ragged dicts"}  # its columns are in the order in which rows name them
    if not numeric or None in cells:
        skipped |= {"strided", "csr", "csc"}
    if not numeric or any(all(v is None for v in c["cells"]) for c in case["columns"]):
        skipped |= {"numpy", "fortran", "object array", "list of lists", "dict of arrays"}
    for name in CONTAINERS:
        X = None if name in skipped else held(name, case["columns"])
        if X is None:
            continue
        try:
            other = _fit(case, X)
        except ceiba.CeibaError:
            if name in ("csr", "csc"):
                continue  # some options are not for sparse tables
            raise
        assert other.tree_.splits == model.tree_.splits, name
        np.testing.assert_array_equal(other.tree_.value, model.tree_.value, err_msg=name)


def _row_order(case: dict[str, Any], model: Any) -> None:
    order = list(range(len(case["target"])))
    random.Random(case["order"]).shuffle(order)
    other = _fit(taken(case, order))
    _same_shape(other.tree_, model.tree_)


def _monotone(case: dict[str, Any], model: Any) -> None:
    for name, transform in {"cube": lambda v: v**3, "affine": lambda v: 1024 * v - 7}.items():
        columns = [
            {**c, "cells": [None if v is None else transform(v) for v in c["cells"]]}
            for c in case["columns"]
        ]
        other = _fit({**case, "columns": columns})
        new, old = held("dict", columns), held("dict", case["columns"])
        assert leaf_sets(other.tree_, new) == leaf_sets(model.tree_, old), name


def _weights(case: dict[str, Any], model: Any) -> None:
    weight = case["weight"] or [1] * len(case["target"])
    copies = [i for i, k in enumerate(weight) for _ in range(k)]
    weighted = _fit({**case, "options": {**case["options"], "frequency": True}})
    copied = _fit({**taken(case, copies), "weight": None})
    _same_shape(weighted.tree_, copied.tree_)


def _same_shape(one: Any, other: Any) -> None:
    assert one.splits.column.tolist() == other.splits.column.tolist(), "columns of the splits"
    np.testing.assert_array_equal(one.splits.cut, other.splits.cut, err_msg="cuts")
    np.testing.assert_allclose(one.value, other.value, rtol=1e-12, atol=1e-12, err_msg="values")


def _file(case: dict[str, Any], model: Any) -> None:
    file = io.BytesIO()
    model.save(file)
    again = ceiba.load(file.getvalue())
    assert again.tree_ == model.tree_, "the tree from the file"
    assert differences(model, again) == [], "the model from the file"
    second = io.BytesIO()
    again.save(second)
    assert ceiba.load(second.getvalue()).tree_ == model.tree_, "the tree from the second file"
    refitted = again.fit(
        held("dict", case["columns"]), case["target"], **fit_arguments(case, case["weight"])
    )
    assert refitted.tree_ == model.tree_, "the model from the file, fitted again"


def _exports(case: dict[str, Any], model: Any) -> None:
    X = held("dict", case["columns"])
    try:
        expected = model.tree_.predict(X).tolist()
    except ceiba.CeibaError:
        return
    rows = held("list of dicts", case["columns"])
    module: dict[str, Any] = {}
    exec(compile(model.tree_.export("python"), "exported", "exec"), module)
    _same_answers([module["predict"](row) for row in rows], expected, "python")
    try:
        query = model.tree_.export("sql", dialect="sqlite")
    except ceiba.CeibaError:
        return  # fractional rows have no query
    with sqlite3.connect(":memory:") as base:
        names = ", ".join(f'"{name}"' for name in X)
        base.execute(f"CREATE TABLE data (row_id, {names})")
        places = ", ".join("?" * (len(X) + 1))
        numbered = zip(range(len(rows)), *X.values(), strict=True)
        base.executemany(f"INSERT INTO data VALUES ({places})", numbered)
        cursor = base.execute(query + "ORDER BY row_id")
        at = [one[0] for one in cursor.description].index("prediction")
        _same_answers([row[at] for row in cursor.fetchall()], expected, "sqlite")


def _same_answers(answers: list[Any], expected: list[Any], name: str) -> None:
    if expected and isinstance(expected[0], float):
        np.testing.assert_allclose(answers, expected, rtol=1e-12, err_msg=name)
    else:
        assert answers == expected, name


_PROPERTIES = {
    "threads": _threads,
    "containers": _containers,
    "row order": _row_order,
    "monotone": _monotone,
    "weights": _weights,
    "file": _file,
    "exports": _exports,
}

smaller = smaller_table
