"""`search=` of the estimators: certificate, pruning, model file, parameters by name."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone

import ceiba
from ceiba import DecisionTreeClassifier, DecisionTreeRegressor
from ceiba.errors import OptionError
from ceiba.grow import Lookahead, Optimal


def data(seed: int = 0) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(150, 4))
    return X, ((X[:, 0] > 0) ^ (X[:, 1] > 0) ^ (rng.random(150) < 0.1)).astype(int)


def test_optimal_classifier_has_certificate_of_its_training_errors() -> None:
    X, y = data()
    model = DecisionTreeClassifier(search="optimal", max_depth=2).fit(X, y)
    assert model.certificate_.proven
    assert model.certificate_.objective == (model.predict(X) != y).sum()
    greedy = DecisionTreeClassifier(max_depth=2).fit(X, y)
    assert (greedy.predict(X) != y).sum() > model.certificate_.objective
    assert not hasattr(model.set_params(search="greedy").fit(X, y), "certificate_")


def test_optimal_regressor_minimises_squared_error() -> None:
    X, y = data(1)
    y = y + X[:, 2]
    model = DecisionTreeRegressor(search=Optimal(time_limit=20), max_depth=2).fit(X, y)
    assert model.certificate_.objective == pytest.approx(((model.predict(X) - y) ** 2).sum())


def test_costs_and_weights_are_in_the_objective() -> None:
    X, y = data(2)
    weight = np.random.default_rng(3).random(150)
    costs = np.array([[0, 3], [1, 0]])
    model = DecisionTreeClassifier(search="optimal", max_depth=2, cost_matrix=costs)
    model.fit(X, y, sample_weight=weight)
    cost = (weight * costs[y, model.predict(X)]).sum()
    assert model.certificate_.objective == pytest.approx(cost)


def test_priors_are_in_the_objective() -> None:
    X, y = data(4)
    model = DecisionTreeClassifier(search="optimal", max_depth=2, class_prior=[0.9, 0.1])
    model.fit(X, y)
    factor = np.array([0.9, 0.1]) / (np.bincount(y) / len(y))
    cost = (factor[y] * (model.predict(X) != y)).sum()
    assert model.certificate_.objective == pytest.approx(cost)


@pytest.mark.parametrize("search", ["lookahead", "optimal"])
def test_pruning_chooses_the_penalty_of_the_final_search(search: str) -> None:
    X, y = data(5)
    model = DecisionTreeClassifier(search=search, max_depth=3, prune="1se", random_state=0)
    model.fit(X, y)
    assert model.alpha_ > 0
    certificate = model.certificate_
    assert certificate.penalty == pytest.approx(model.alpha_ * len(y))
    errors = (model.predict(X) != y).sum()
    expected = errors + certificate.penalty * model.get_n_leaves()
    assert certificate.objective == pytest.approx(expected)
    with pytest.raises(OptionError, match="penalty"):
        model.set_params(search__penalty=0.1).fit(X, y)


def test_certificate_is_kept_in_the_model_file(tmp_path: Path) -> None:
    model = DecisionTreeClassifier(search=Optimal(gap=0.01), max_depth=2).fit(*data())
    model.save(tmp_path / "model.ceiba")
    loaded = ceiba.load(tmp_path / "model.ceiba")
    assert loaded.certificate_ == model.certificate_
    assert loaded.search == model.search


def test_search_parameters_are_reached_by_name() -> None:
    model = DecisionTreeClassifier(search="lookahead", max_depth=2)
    assert model.get_params()["search__depth"] == 2
    model.set_params(search__depth=1)
    assert clone(model).search == Lookahead(depth=1)
    with pytest.raises(OptionError, match="max_bins"):
        DecisionTreeClassifier(search="optimal", max_depth=2, max_bins=10).fit(*data())
    X, y = data()
    with pytest.raises(OptionError, match="single-output"):
        DecisionTreeClassifier(search="optimal", max_depth=2).fit(X, np.stack([y, y], axis=1))


def test_alternatives_of_a_model_start_with_the_best_tree() -> None:
    X, y = data()
    model = DecisionTreeClassifier(search="optimal", max_depth=2)
    near = model.alternatives(X, y, within=0.5, k=10)
    assert near[0].objective == model.fit(X, y).certificate_.objective
    assert len(near) > 1
    with pytest.raises(OptionError, match="require search='optimal'"):
        DecisionTreeClassifier(max_depth=2).alternatives(X, y)
