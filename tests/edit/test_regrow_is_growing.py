"""`regrow(0)` of a fitted model is the fitted tree before pruning, node for node."""

from __future__ import annotations

import numpy as np
import pytest

import ceiba
from ceiba.tree import check

SIGNIFICANT = ceiba.Significance(level=0.3)


def table(seed: int, holes: float = 0.0) -> dict[str, list]:
    """Return columns of numbers, levels and ties, some values missing."""
    rng = np.random.default_rng(seed)
    n = 160
    x, ties = rng.normal(size=n), rng.integers(0, 6, n).astype(float)
    level = rng.choice(["a", "b", "c", "d"], n).astype(object)
    x[rng.random(n) < holes] = np.nan
    level[rng.random(n) < holes] = None
    return {"x": x.tolist(), "ties": ties.tolist(), "level": level.tolist()}


def target(seed: int, kind: str) -> np.ndarray:
    rng = np.random.default_rng([seed, 1])
    X = table(seed)
    signal = np.nan_to_num(np.array(X["x"])) + (np.array(X["level"]) == "a")
    if kind == "classes":
        return np.digitize(signal + rng.normal(size=160), [0.0, 1.2])
    if kind == "two":
        return (signal + rng.normal(size=160) > 0.3).astype(int)
    return np.maximum(signal + 3 + rng.normal(size=160), 0.0)


MODELS = {
    **{
        f"criterion {name}": (ceiba.DecisionTreeClassifier(criterion=name), "classes", 0.0)
        for name in ("gini", "entropy", "error", "twoing", "gain_ratio", "chi2", "likelihood_ratio")
    },
    **{
        f"criterion {name}": (
            ceiba.DecisionTreeRegressor(criterion=name, min_samples_leaf=4),
            "numbers",
            0.0,
        )
        for name in ("squared_error", "absolute_error", "poisson", "friedman_mse", "f_test")
    },
    **{
        f"missing {rule}": (
            ceiba.DecisionTreeClassifier(missing=rule, min_samples_leaf=3),
            "two",
            0.15,
        )
        for rule in ("learn", "majority", "surrogate", "fractional")
    },
    "missing stays": (
        ceiba.DecisionTreeClassifier(missing=ceiba.Surrogates(otherwise="stay")),
        "two",
        0.15,
    ),
    "significance": (
        ceiba.DecisionTreeClassifier(min_significance=SIGNIFICANT, min_samples_leaf=0.05),
        "two",
        0.1,
    ),
    "significance of numbers": (
        ceiba.DecisionTreeRegressor(min_significance=0.3, max_depth=3),
        "numbers",
        0.0,
    ),
    "bins": (ceiba.DecisionTreeClassifier(max_bins=8), "classes", 0.1),
    "depth": (ceiba.DecisionTreeClassifier(max_depth=3), "classes", 0.0),
    "leaves": (ceiba.DecisionTreeClassifier(max_leaf_nodes=7), "classes", 0.0),
    "sizes": (
        ceiba.DecisionTreeClassifier(
            min_samples_leaf=0.04, min_samples_split=20, min_weight_fraction_leaf=0.05
        ),
        "classes",
        0.0,
    ),
    "gain": (ceiba.DecisionTreeClassifier(min_impurity_decrease=0.01), "classes", 0.0),
    "random": (
        ceiba.DecisionTreeClassifier(splitter="random", max_features=2, random_state=3),
        "classes",
        0.0,
    ),
    "monotone": (ceiba.DecisionTreeClassifier(monotonic_cst={"x": 1, "ties": -1}), "two", 0.0),
    "priors and costs": (
        ceiba.DecisionTreeClassifier(class_prior=[0.8, 0.2], cost_matrix=[[0, 1], [4, 0]]),
        "two",
        0.0,
    ),
    "column cost": (ceiba.DecisionTreeClassifier(column_cost={"x": 3.0}), "two", 0.0),
    "multiway": (
        ceiba.DecisionTreeClassifier(categorical_splits=ceiba.Multiway(empty=True)),
        "classes",
        0.0,
    ),
    "cart": (ceiba.cart(), "classes", 0.1),
    "c45": (ceiba.c45(), "classes", 0.1),
    "id3": (ceiba.id3(), "classes", 0.0),
    "chaid": (ceiba.chaid(split=0.5, min_samples_split=4, min_samples_leaf=2), "classes", 0.1),
    "cv": (ceiba.DecisionTreeClassifier(prune="1se"), "classes", 0.1),
}


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", MODELS)
def test_regrowing_the_root_gives_the_tree_before_pruning(name: str, seed: int) -> None:
    prototype, kind, holes = MODELS[name]
    X, y = table(seed, holes), target(seed, kind)
    weight = None if seed else np.random.default_rng(seed).integers(1, 4, 160).astype(float)
    fitted = ceiba_clone(prototype).fit(X, y, sample_weight=weight)
    whole = ceiba_clone(prototype).set_params(prune=None).fit(X, y, sample_weight=weight).tree_
    regrown = fitted.regrow(0, X, y, sample_weight=weight).tree_
    check(regrown)
    assert regrown == whole


def ceiba_clone(model):
    from sklearn.base import clone

    return clone(model)


def test_significance_stops_on_noise_and_so_does_regrowing() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(300, 4)), rng.integers(0, 2, 300)
    model = ceiba.DecisionTreeClassifier(min_significance=0.001).fit(X, y)
    assert model.get_n_leaves() == 1
    assert model.regrow(0, X, y).get_n_leaves() == 1
