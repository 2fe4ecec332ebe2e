"""Values of every parameter: what is allowed, and now and then what is not."""

from __future__ import annotations

from typing import Any

import ceiba
from ceiba.estimators.parameters import PARAMETERS


def _object(text: str) -> dict[str, str]:
    return {"ceiba": text}


VALUES: dict[str, list[Any]] = {
    "criterion": [],  # by the task, below
    "splitter": ["random"],
    "max_depth": [1, 2, 3, 2**40],
    "min_samples_split": [2, 5, 0.3],
    "min_samples_leaf": [1, 2, 3, 0.1],
    "min_weight_fraction_leaf": [0.1, 0.5],
    "max_features": [1, 0.5, "sqrt", "log2"],
    "random_state": [0, 7],
    "max_leaf_nodes": [2, 3, 8],
    "min_impurity_decrease": [0.001, 0.2],
    "ccp_alpha": [0.01, 1e300],
    "monotonic_cst": [[1], [1, 0], [-1, 1, 0], {"x0": 1}, {"x1": -1}],
    "n_jobs": [1, 2, -1],
    "max_bins": [2, 5, 255],
    "min_significance": [0.05, 0.9, _object("Significance(level=0.5)")],
    "categorical_features": [[0], ["x0"], ["x1", "x0"], [True], [True, False]],
    "categorical_splits": ["multiway", _object("Multiway(empty=True)")],
    "missing": ["learn", "majority", "surrogate", "fractional", "error",
                _object("Surrogates(keep=1)"), _object("Surrogates(keep=0, otherwise='stay')")],
    "unseen": ["majority", "missing", "error", "default"],
    "max_competitors": [1, 3],
    "search": ["lookahead", "optimal"],
    "column_cost": [[1.0, 2.0], {"x0": 3.0}, [0.0]],
    "prune": ["cv", "1se", _object("Pessimistic()"), _object("CostComplexity(folds=3)"),
              _object("SameAnswer()"), _object("DescriptionLength()"), _object("ChiSquare()"),
              _object("ReducedError()")],
    "forced_splits": ["x0 <= 1", "x1 = a", ["x0 <= 1", None, "x1 = a"]],
    "leaf_values": ["laplace", "m_estimate", "shrinkage", _object("MEstimate(m=2.0)"),
                    _object("MEstimate(m=0.0)"), _object("Shrinkage(strength=0.0)"), "honest",
                    _object("Honest(share=0.1)"), _object("Honest(values='laplace')")],
    "class_weight": ["balanced", {"a": 2.0}],
    "class_prior": [[0.5, 0.5], {"a": 0.1, "b": 0.9}],
    "cost_matrix": [[[0, 1], [5, 0]], [[0, 1, 1], [2, 0, 1], [1, 1, 0]]],
}  # fmt: skip

#: Arguments of `fit`, drawn with the options; the weights may be frequencies.
OF_FIT = ("drop_missing_target", "frequency")

CRITERIA = {
    "classification": ["gini", "entropy", "log_loss", "error", "twoing", "hellinger", "gain_ratio",
                       "chi2", "likelihood_ratio", _object("Chaid(merge=0.3)")],
    "regression": ["squared_error", "friedman_mse", "absolute_error", "poisson", "f_test"],
}  # fmt: skip

WRONG: list[Any] = [
    None, True, False, 0, -1, 1.5, float("nan"), float("inf"), -1e308, "", "x", [], {}, [[]], 2**70,
    [None], {"x0": None}, {"no such column": 1}, ["x0", 3], [1] * 40, {"odd": "array"},
    _object("Cut"),
]  # fmt: skip


def option_value(value: Any) -> Any:
    """The value that a case's option stands for."""
    from tests.hardening.fuzz.cells import cell

    if isinstance(value, dict) and "ceiba" in value:
        name, _, arguments = value["ceiba"].partition("(")
        made = getattr(ceiba, name, None)
        return eval(f"made({arguments}", {"made": made, "ceiba": ceiba}) if arguments else made
    if isinstance(value, list) and value and isinstance(value[0], str) and " " in value[0]:
        return tuple(value)  # forced splits are a tuple
    return cell(value)


def draw_options(rng: Any, task: str, most: int = 4, wrong: float = 0.08) -> dict[str, Any]:
    rows = [name for name in PARAMETERS[task] if name in VALUES]  # type: ignore[index]
    chosen: dict[str, Any] = {}
    for name in rng.sample(rows, rng.randint(0, most)):
        values = CRITERIA[task] if name == "criterion" else VALUES[name]
        chosen[name] = rng.choice(WRONG if rng.random() < wrong else values)
    if chosen.get("search") == "optimal":
        chosen["max_depth"] = 2
    return chosen


def options_of(case: dict[str, Any]) -> dict[str, Any]:
    return {
        name: option_value(value) for name, value in case["options"].items() if name not in OF_FIT
    }


def fit_arguments(case: dict[str, Any], weight: Any) -> dict[str, Any]:
    """The arguments of `fit` besides the table and the target."""
    given = {name: case["options"][name] for name in OF_FIT if name in case["options"]}
    given["frequency" if given.pop("frequency", False) else "sample_weight"] = weight
    return given
