"""No parameter is idle: each allowed value changes a tree, an answer or a message somewhere."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import ceiba
from ceiba.estimators.parameters import ESTIMATORS, PARAMETERS
from ceiba.options import OptionObject
from ceiba.task import Task

N = 120


def columns(holes: float) -> dict[str, list[Any]]:
    rng = np.random.default_rng(5)
    x, twin = rng.normal(size=N), rng.normal(size=N)
    twin = x + 0.2 * twin
    level = rng.choice(["a", "b", "c", "d"], N).astype(object)
    x[rng.random(N) < holes] = np.nan
    level[rng.random(N) < holes] = None
    return {"x": x.tolist(), "twin": twin.tolist(), "level": level.tolist()}


def truth(kind: str) -> np.ndarray:
    rng = np.random.default_rng(6)
    X = columns(0.0)
    signal = np.array(X["x"]) + (np.array(X["level"]) == "a") + rng.normal(size=N)
    if kind == "two":
        return (signal > 0.8).astype(int)
    if kind == "three":
        return np.digitize(signal, [0.0, 1.2])
    if kind == "times":
        return np.stack([np.exp(-signal), rng.random(N) < 0.8], axis=1)
    return np.exp(signal)


# What a value is compared with, where the default is not it; "base" options hold for both.
BASE: dict[str, dict[str, Any]] = {
    "random_state": {"max_features": 1},
    "unseen": {"missing": "fractional"},
    "criterion": {"max_depth": 3},
    "search": {"max_depth": 2},
}

VALUES: dict[str, list[Any]] = {
    "max_depth": [2],
    "min_samples_split": [30, 0.3],
    "min_samples_leaf": [9, 0.1],
    "min_weight_fraction_leaf": [0.2],
    "min_events_leaf": [15],
    "max_features": [1, 0.4, "sqrt", "log2"],
    "random_state": [1, np.random.RandomState(3)],
    "max_leaf_nodes": [4],
    "min_impurity_decrease": [0.02],
    "class_weight": ["balanced", {0: 5.0, 1: 1.0}],
    "ccp_alpha": [0.02],
    "monotonic_cst": [{"x": -1}, [1, 1, 0]],
    "interaction_cst": [[["x"], ["twin", "level"]], "no_interactions"],
    "leaf_quantiles": [(0.1, 0.9)],
    "max_bins": [3],
    "forced_splits": ["twin <= 2", ("level = a", "x <= 0", None)],
    "min_significance": [0.01, ceiba.Significance(level=0.2)],
    "categorical_features": [["twin"], [True, False, False]],
    "categorical_splits": ["multiway", ceiba.Multiway(empty=True)],
    "missing": [
        "majority",
        "surrogate",
        "fractional",
        "error",
        ceiba.Surrogates(keep=1),
        ceiba.Surrogates(keep=0, otherwise="stay"),
        ceiba.Surrogates(agreement="both"),
    ],
    "unseen": ["missing", "error"],
    "max_competitors": [2],
    "class_prior": [[0.9, 0.1], {0: 0.2, 1: 0.8}],
    "cost_matrix": [[[0, 1], [6, 0]], {(0, 1): 6.0, (1, 0): 1.0}],
    "column_cost": [[9.0, 1.0, 1.0], {"twin": 9.0}],
    "prune": ["cv", "1se", ceiba.Pessimistic()],
    "splitter": ["random"],
}

# Values that do what the default does, by their own documentation.
# Two classes are always one place apart.
SAME = {("criterion", "log_loss"), ("criterion", "friedman_mse"), ("cost_matrix", "ordinal")}


def cases() -> list[Any]:
    listed = []
    for task, rows in PARAMETERS.items():
        for name, row in rows.items():
            if name == "n_jobs":
                continue
            if (task, name) == ("survival", "unseen"):
                continue  # on this table it shows in fractional rows alone, which are refused
            named = [n for check in row.allowed for n in check.names if n != row.default]
            values = VALUES.get(name, named)
            for value in [*values, *(n for n in named if n not in map(str, values))]:
                if isinstance(value, str) and (name, value) in SAME:
                    continue
                listed.append(pytest.param(task, name, value, id=f"{task}-{name}-{len(listed)}"))
    return listed


def outcome(task: str, name: str, options: dict[str, Any]) -> Any:
    """Return all that a user sees: tree, competitors, answers for odd rows, or the error."""
    holes = 0.2 if name in ("missing", "unseen") else 0.0
    X = columns(holes)
    kind = "times" if task == "survival" else "numbers"
    if task == "classification":
        kind = "three" if name == "criterion" else "two"  # of two classes twoing is gini
    y: Any = truth(kind)
    make: Any = getattr(ceiba, ESTIMATORS[Task(task)])
    odd = {"x": [np.nan, 0.1, 0.4], "twin": [0.0, np.nan, 9.0], "level": ["new", "a", None]}
    if name == "unseen":
        X, odd = {"level": X["level"]}, {"level": odd["level"]}
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = make(**{**options}).fit(X, y)
            tree = model.tree_
            answers = model.predict(odd).tolist()
            shares = model.predict_proba(odd).tolist() if task == "classification" else None
            rivals = tree.competitors is not None, sorted(tree.attachments or {})
            text = str(tree) if task != "survival" else repr(tree.value.tolist())
    except ceiba.CeibaError as error:
        return type(error).__name__
    return text, tree.n_rows.tolist(), tree.impurity.tolist(), answers, shares, rivals


@pytest.mark.parametrize(("task", "name", "value"), cases())
def test_value_changes_what_a_user_sees(task: str, name: str, value: Any) -> None:
    base = BASE.get(name, {})
    default = PARAMETERS[task][name].default
    given = outcome(task, name, {**base, name: value})
    assert given != outcome(task, name, {**base, name: default}), f"{name}={value!r} is idle"


def test_every_parameter_with_values_of_its_own_is_listed() -> None:
    for task, rows in PARAMETERS.items():
        for name, row in rows.items():
            named = any(check.names for check in row.allowed)
            assert name == "n_jobs" or named or name in VALUES, f"{task}: {name} has no test value"


def test_every_parameter_of_an_option_object_is_tried() -> None:
    tried = {
        (type(value), inner)
        for values in VALUES.values()
        for value in values
        if isinstance(value, OptionObject)
        for inner, given in value.get_params().items()
        if given != type(value)().get_params()[inner]
    }
    wanted = {
        (kind, inner)
        for kind in (ceiba.Surrogates, ceiba.Multiway, ceiba.Significance)
        for inner in kind().get_params()
    }
    assert wanted <= tried
