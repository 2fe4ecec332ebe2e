"""Priors with costs and weights, and columns of many levels, against trying every tree."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest

from ceiba import DecisionTreeClassifier, DecisionTreeRegressor
from tests.optimal.brute_force import Case
from tests.optimal.cases import random_case


def numbers(case: Case) -> Any:
    """Return the columns as an array: levels count as numbers here."""
    return np.stack([np.asarray(values, float) for _, values in case.columns], axis=1)


def test_priors_costs_and_weights_equal_brute_force() -> None:
    checked = 0
    for seed in range(400):
        case = random_case(seed)
        if case.loss != "cost":
            continue
        rng = np.random.default_rng(seed)
        n_classes = len(case.costs)
        prior = rng.dirichlet(np.ones(n_classes))
        X = np.nan_to_num(numbers(case), nan=-1.0)
        share = np.bincount(case.y, weights=case.weight, minlength=n_classes) / case.weight.sum()
        factor = prior / share
        brute = dataclasses.replace(
            case,
            columns=tuple(("number", column) for column in X.T),
            costs=factor[:, None] * case.costs,
            max_leaves=2**case.depth,
        )
        model = DecisionTreeClassifier(
            search="optimal",
            max_depth=case.depth,
            min_samples_leaf=case.min_leaf,
            cost_matrix=case.costs,
            class_prior=prior,
        )
        model.set_params(search__penalty=case.penalty / case.weight.sum())
        model.fit(X, case.y, sample_weight=case.weight)
        proof = model.certificate_
        assert proof.proven
        assert proof.objective == pytest.approx(brute.best, rel=1e-9, abs=1e-9), seed
        paid = case.weight * factor[case.y] * case.costs[case.y, model.predict(X)]
        leaves = case.penalty * model.get_n_leaves()
        assert proof.objective == pytest.approx(paid.sum() + leaves, rel=1e-9, abs=1e-9), seed
        checked += 1
    assert checked > 40


@pytest.mark.parametrize("regression", [False, True])
def test_many_levels_are_exact_at_the_last_split_and_bounded_above_it(regression: bool) -> None:
    estimator: Any = DecisionTreeRegressor if regression else DecisionTreeClassifier
    for seed in range(20):
        rng = np.random.default_rng(seed)
        n = 12
        codes = rng.permutation(np.arange(n) % 10)
        y: Any = rng.normal(size=n).round(1) if regression else rng.integers(0, 2, n)
        y[:2] = [0, 1]
        case = Case(
            columns=(("levels", codes),),
            y=y,
            weight=np.ones(n),
            loss="squared_error" if regression else "error",
            costs=1.0 - np.eye(2),
            missing="learn",
            min_leaf=1,
            max_leaves=2,
            penalty=0.0,
            depth=1,
        )
        X = {"x": [f"level {code}" for code in codes]}
        proof = estimator(search="optimal", max_depth=1).fit(X, y).certificate_
        assert not proof.all_level_sets
        assert "candidate sets" in str(proof)
        assert proof.objective == pytest.approx(case.best, rel=1e-9, abs=1e-9), seed
        deeper = estimator(search="optimal", max_depth=2).fit(X, y).certificate_
        assert deeper.objective <= proof.objective + 1e-9
