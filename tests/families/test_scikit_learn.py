"""Every documented configuration under scikit-learn's own checks: its tags say what `fit` takes."""

from __future__ import annotations

from typing import Any

import pytest
from sklearn.utils import get_tags
from sklearn.utils.estimator_checks import check_estimator

import ceiba
from ceiba import DecisionTreeClassifier, DecisionTreeRegressor
from ceiba.grow import GainRatio, Multiway, Surrogates
from ceiba.grow.leaf_values import Honest, MEstimate, Shrinkage
from ceiba.prune import (
    ChiSquare,
    CostComplexity,
    DescriptionLength,
    Pessimistic,
    ReducedError,
    SameAnswer,
)

# ---------------------------------------------------------------------- what is by design

WEIGHTS = (
    "check_sample_weight_equivalence_on_dense_data",
    "check_sample_weight_equivalence_on_sparse_data",
)
TESTS = dict.fromkeys(WEIGHTS, "tests count rows; a weight is no repetition")
FOLDS = dict.fromkeys(WEIGHTS, "folds and halves are parts of the rows, whatever they weigh")
ADDED = dict.fromkeys(WEIGHTS, "the rows of a leaf are counted against those that are added")
HONEST = {**FOLDS, "check_class_weight_classifiers": "half of 150 rows gives the values"}
INFINITY = {"check_estimators_nan_inf": "infinity is a number; NaN is refused"}
NO_FRACTION = {
    "check_class_weight_classifiers": "sets min_weight_fraction_leaf, which a search refuses"
}
FEW_LEAVES = {"check_classifiers_train": "three leaves do not reach the accuracy asked for"}
NEGATIVE = {"check_regressor_multioutput": "its targets are negative, and counts are not"}

# ---------------------------------------------------------------------- the configurations

#: Parameters of both estimators, and what is excused.
BOTH: list[tuple[dict[str, Any], dict[str, str]]] = [
    ({"max_bins": 32}, {}),
    ({"min_significance": 0.05}, TESTS),
    ({"search": "lookahead"}, NO_FRACTION),
    ({"search": "optimal", "max_depth": 2}, NO_FRACTION),
    ({"search": "optimal", "max_depth": 2, "prune": "cv"}, {**FOLDS, **NO_FRACTION}),
    ({"prune": "cv"}, FOLDS),
    ({"prune": "1se"}, FOLDS),
    ({"prune": CostComplexity(folds=3, score="log_loss")}, FOLDS),
    ({"prune": CostComplexity(alpha=0.01)}, {}),
    ({"prune": CostComplexity(alpha=0.01, risk="impurity")}, {}),
    ({"prune": CostComplexity(n_leaves=3)}, FEW_LEAVES),
    ({"prune": ReducedError()}, FOLDS),
    ({"prune": ChiSquare()}, TESTS),
    ({"prune": SameAnswer()}, {}),
    ({"ccp_alpha": 0.01}, {}),
    ({"leaf_values": "honest"}, HONEST),
    ({"leaf_values": Honest(share=0.3)}, HONEST),
    ({"leaf_values": "m_estimate"}, FOLDS),
    ({"leaf_values": "shrinkage"}, FOLDS),
    ({"leaf_values": MEstimate(m=2.0)}, ADDED),
    ({"leaf_values": Shrinkage(strength=2.0)}, ADDED),
    ({"missing": "surrogate"}, {}),
    ({"missing": Surrogates(keep=2)}, {}),
    ({"missing": "majority"}, {}),
    ({"missing": "fractional"}, {}),
    ({"missing": "error"}, INFINITY),
    ({"unseen": "error"}, {}),
    ({"categorical_features": [0]}, {}),
    ({"categorical_splits": "multiway"}, {}),
    ({"max_features": "sqrt", "random_state": 0}, {}),
    ({"splitter": "random", "random_state": 0}, {}),
    ({"max_leaf_nodes": 8}, {}),
    ({"max_competitors": 2}, {}),
]
CLASSES: list[tuple[dict[str, Any], dict[str, str]]] = [
    ({"criterion": "entropy"}, {}),
    ({"criterion": "error"}, {}),
    ({"criterion": "twoing"}, {}),
    ({"criterion": "hellinger"}, {}),
    ({"criterion": "gain_ratio"}, INFINITY),
    ({"criterion": GainRatio(), "missing": "fractional"}, {}),
    ({"criterion": "entropy", "categorical_splits": Multiway()}, {}),
    ({"criterion": "chi2"}, TESTS),
    ({"criterion": "likelihood_ratio"}, TESTS),
    ({"prune": Pessimistic()}, {}),
    ({"prune": DescriptionLength()}, {}),
    ({"leaf_values": "laplace"}, ADDED),
    ({"class_weight": "balanced"}, {}),
]
NUMBERS: list[tuple[dict[str, Any], dict[str, str]]] = [
    ({"criterion": "absolute_error"}, {}),
    ({"criterion": "friedman_mse"}, {}),
    ({"criterion": "poisson"}, NEGATIVE),
    ({"criterion": "f_test"}, TESTS),
]
FAMILIES = [
    (ceiba.cart(), FOLDS),
    (ceiba.c45(), {}),
    (ceiba.id3(), {}),
    (ceiba.chaid(), TESTS),
    (ceiba.chaid(task="regression"), TESTS),
    (ceiba.RuleSet(), {}),
]
SLOW = ("prune", "leaf_values", "min_significance")  # they fit several times, or test


def configurations() -> list[Any]:
    made: list[tuple[Any, dict[str, str], bool]] = []
    for cls, own in ((DecisionTreeClassifier, CLASSES), (DecisionTreeRegressor, NUMBERS)):
        for params, excused in BOTH + own:
            if cls is DecisionTreeRegressor and "log_loss" in repr(params):
                continue
            first = cls is DecisionTreeClassifier and params in (
                {"prune": "cv"},
                {"leaf_values": "honest"},
            )
            made.append((cls(**params), excused, not first and any(k in params for k in SLOW)))
    made += [(model, excused, True) for model, excused in FAMILIES]
    return [
        pytest.param(
            model, excused, id=" ".join(repr(model).split()), marks=[pytest.mark.slow] * slow
        )
        for model, excused, slow in made
    ]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("model", "excused"), configurations())
def test_estimator_passes_the_checks(model: Any, excused: dict[str, str]) -> None:
    results = check_estimator(model, on_fail=None, expected_failed_checks=excused)
    failed = [(r["check_name"], r["exception"]) for r in results if r["status"] == "failed"]
    assert failed == []


@pytest.mark.parametrize(
    ("params", "outputs", "sparse", "nan"),
    [
        ({}, True, True, True),
        ({"max_bins": 8}, False, False, True),
        ({"min_significance": 0.05}, False, False, True),
        ({"search": "optimal"}, False, False, True),
        ({"prune": "cv"}, False, True, True),
        ({"prune": CostComplexity(alpha=0.1, risk="impurity")}, True, True, True),
        ({"missing": "error"}, True, True, False),
        ({"cost_matrix": [[0, 1], [5, 0]]}, False, True, True),
        ({"max_bins": "many"}, False, False, True),  # fit refuses it; asking for tags does not
    ],
)
def test_tags_say_what_fit_takes(
    params: dict[str, Any], outputs: bool, sparse: bool, nan: bool
) -> None:
    tags = get_tags(DecisionTreeClassifier(**params))
    assert tags.target_tags.multi_output is outputs
    assert tags.input_tags.sparse is sparse
    assert tags.input_tags.allow_nan is nan
