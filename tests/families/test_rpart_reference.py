"""ceiba.rpart against the exhaustive reference of rpart's rules, on small random tables.

Columns of all kinds with holes and ties, weights (also zero), priors, losses, costs of columns,
observation times, every setting of the surrogates: whole trees must agree, node by node.
"""

from __future__ import annotations

import random
from functools import cache
from typing import Any

import pytest

import ceiba
from tests.oracle.load import TableColumn, frame
from tests.oracle.reference_fit import fit_reference
from tests.oracle.rpart_candidate import Conversion
from tests.oracle.rpart_problem import Problem

LEVELS = ("p", "q", "r", "s")


def random_problem(seed: int) -> Problem:
    """A table of 12 to 40 rows with rpart's settings, in the layout of a golden."""
    rng = random.Random(seed)
    n, method = rng.randint(12, 40), rng.choice(["class", "class", "anova", "poisson"])
    kinds = [rng.choice(["numeric", "numeric", "categorical", "ordered"]) for _ in range(4)]
    holes = rng.choice([0.0, 0.2, 0.4])
    columns = [random_column(rng, f"x{j}", kind, n, holes) for j, kind in enumerate(kinds)]
    golden: dict[str, Any] = {
        "method": method,
        "control": random_control(rng),
        "cost": rng.choice([None, [1, 2, 0.5, 1]]),
    }
    exposure = None
    if method == "class":
        classes = ("b", "a", "c")[: rng.choice([2, 3])]
        labels = [*classes, *(rng.choice(classes) for _ in range(n - len(classes)))]
        target = TableColumn("y", "categorical", classes, tuple(labels))
        golden |= random_parms(rng, classes)
    else:
        target = TableColumn("y", "numeric", (), tuple(float(rng.randint(0, 4)) for _ in range(n)))
        golden["shrink"] = rng.choice([0, 1, 0.5])
        if method == "poisson" and rng.random() < 0.5:
            exposure = [rng.choice([0.5, 1.0, 2.0]) for _ in range(n)]
    weights = None
    if rng.random() < 0.5:  # the first rows keep a weight, so that no class is without any
        weights = [1.0] * 3 + [rng.choice([0.0, 0.25, 1.0, 1.5, 3.0]) for _ in range(n - 3)]
    return Problem(golden, columns, target, exposure, weights)


def random_column(rng: random.Random, name: str, kind: str, n: int, holes: float) -> TableColumn:
    if kind == "numeric":
        values: list[Any] = [float(rng.randint(0, 9)) for _ in range(n)]
    else:
        values = [rng.choice(LEVELS) for _ in range(n)]
    values = [None if rng.random() < holes else value for value in values]
    if name == "x0":  # no row without any value: such rows are dropped
        values = [
            (1.0 if kind == "numeric" else LEVELS[0]) if value is None else value
            for value in values
        ]
    return TableColumn(name, kind, () if kind == "numeric" else LEVELS, tuple(values))


def random_control(rng: random.Random) -> dict[str, Any]:
    return {
        "minsplit": rng.choice([2, 4, 8]),
        "minbucket": rng.choice([1, 2, 4]),
        "cp": rng.choice([-1, 0, 0.0625, 0.125]),
        "maxcompete": rng.choice([0, 2, 4]),
        "maxsurrogate": rng.choice([0, 1, 3, 5]),
        "usesurrogate": rng.choice([0, 1, 2, 2]),
        "surrogatestyle": rng.choice([0, 1]),
        "maxdepth": rng.choice([2, 30]),
    }


def random_parms(rng: random.Random, classes: tuple[str, ...]) -> dict[str, Any]:
    n = len(classes)
    prior = rng.choice([None, [0.25, 0.75] if n == 2 else [0.25, 0.5, 0.25]])
    loss = rng.choice(
        [None, [[0 if i == j else 1 + (i + 2 * j) % 4 for j in range(n)] for i in range(n)]]
    )
    return {
        "classes": list(classes),
        "split": rng.choice(["gini", "information"]),
        "prior": prior,
        "prior_given": prior is not None,
        "loss": loss,
        "loss_given": loss is not None,
    }


def fit(problem: Problem) -> Any:
    golden = problem.golden
    options = {**golden["control"], "cost": golden["cost"], "xval": 0}
    if golden["method"] == "class":
        options |= {name: golden[name] for name in ("split", "prior", "loss")}
    elif golden["method"] == "poisson":
        options["shrink"] = golden["shrink"]
    extra = {} if problem.exposure is None else {"exposure": problem.exposure}
    y = frame([problem.target])["y"]
    X = frame(problem.columns)
    model = ceiba.rpart(golden["method"], **options)
    return model.fit(X, y, sample_weight=problem.weights, **extra)


@cache
def fitted(seed: int) -> tuple[Problem, Any, Any]:
    problem = random_problem(seed)
    return problem, fit_reference(problem), fit(problem)


def nodes_of(tree: Any, problem: Problem) -> dict[int, dict[str, Any]]:
    """The nodes under rpart's numbers, without what two equal trees may say differently."""
    candidate = Conversion(problem.golden, tree, problem.columns, problem.method()).candidate()
    return {node["node"]: node for node in candidate["nodes"]}


def same(a: Any, b: Any) -> bool:
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(same(a[key], b[key]) for key in a)
    if isinstance(a, list):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, float) or isinstance(b, float):
        return a == pytest.approx(b, rel=1e-9, abs=1e-9)
    return a == b


@pytest.mark.parametrize("seed", range(40))
def test_tree_equals_the_exhaustive_reference(seed: int) -> None:
    problem, reference, model = fitted(seed)
    expected, got = nodes_of(reference.tree, problem), nodes_of(model.tree_, problem)
    assert got.keys() == expected.keys()
    for number, node in expected.items():
        for part, value in node.items():
            assert same(got[number].get(part, []), value), (number, part, got[number].get(part))


@pytest.mark.parametrize("seed", range(40))
def test_importance_and_routes_equal_the_exhaustive_reference(seed: int) -> None:
    problem, reference, model = fitted(seed)
    got, expected = model.variable_importance_, reference.importance
    assert {name for name, value in expected.items() if value > 1e-9} == got.keys()
    assert all(got[name] == pytest.approx(expected[name], rel=1e-9) for name in got)
    rng = random.Random(seed)
    holed = [column_with_more_holes(rng, column) for column in problem.columns]
    at = model.tree_.apply(frame(holed)).tolist()
    assert at == list(reference.apply(holed))


def column_with_more_holes(rng: random.Random, column: TableColumn) -> TableColumn:
    values = tuple(None if rng.random() < 0.3 else value for value in column.values)
    return TableColumn(column.name, column.kind, column.levels, values)
