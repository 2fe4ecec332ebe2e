"""The criteria's definitions against the exact reference, and the registry."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ceiba
from ceiba.criteria import (
    CRITERIA,
    criterion_named,
    criterion_names,
    twoing_gain,
    weighted_quantiles,
)
from ceiba.errors import OptionError
from tests.reference.criteria import IMPURITY, gain
from tests.reference.distribution import distribution
from tests.reference.exact import exact

values_and_weights = st.lists(
    st.tuples(st.integers(0, 9), st.integers(1, 5)), min_size=1, max_size=12
)


@pytest.mark.parametrize("name", ["squared_error", "absolute_error", "poisson"])
@given(rows=values_and_weights)
def test_impurity_of_numbers_equals_exact_arithmetic(name, rows):
    y, w = [row[0] for row in rows], [row[1] for row in rows]
    part = distribution([exact(v) for v in y], [exact(v) for v in w], range(len(rows)))
    nothing = name == "poisson" and not any(y)  # no events, no deviance
    expected = 0.0 if nothing else float(IMPURITY[name](part))
    value = CRITERIA[name].of_values(y, w)
    assert value == pytest.approx(expected, rel=1e-12, abs=1e-13)


def test_impurity_of_counts_works_on_many_nodes_at_once():
    value = CRITERIA["gini"].of_counts([[50, 50], [10, 0]])
    assert value.tolist() == [0.5, 0.0]


@pytest.mark.parametrize("name", ["gini", "entropy", "error"])
def test_impurity_of_an_empty_node_is_zero(name):
    assert CRITERIA[name].of_counts([0, 0, 0]) == 0.0


def test_median_with_half_the_weight_below_is_the_middle():
    assert weighted_quantiles([1.0, 5.0, 2.0], [1.0, 1.0, 0.0], [0.5]) == 3.0


def test_median_of_uneven_weights_is_the_heavy_value():
    assert weighted_quantiles([1.0, 5.0], [1.0, 3.0], [0.5]) == 5.0


@pytest.mark.parametrize("name", ["squared_error", "absolute_error", "poisson"])
def test_impurity_without_weight_is_zero(name):
    assert CRITERIA[name].of_values([1.0, 2.0], [0.0, 0.0]) == 0.0


def test_hellinger_equals_the_reference():
    left, right = {0: 7, 1: 2, 2: 1}, {0: 1, 1: 5, 2: 3}
    value = float(CRITERIA["hellinger"].of_split([[7, 2, 1], [1, 5, 3]]))
    assert value == pytest.approx(float(gain("hellinger", [left, right])), rel=1e-14)


def test_hellinger_of_two_classes_is_half_the_squared_distance_of_cieslak_and_chawla():
    p, q = np.array([0.7, 0.3]), np.array([0.2, 0.8])  # how the classes spread over two branches
    distance = np.sqrt(((np.sqrt(p) - np.sqrt(q)) ** 2).sum())
    counts = np.stack([1000 * p, 10 * q], axis=-1)
    assert float(CRITERIA["hellinger"].of_split(counts)) == pytest.approx(
        distance**2 / 2, rel=1e-14
    )


def test_hellinger_does_not_depend_on_the_class_sizes():
    counts = np.array([[7.0, 2.0, 1.0], [1.0, 5.0, 3.0]])
    value = CRITERIA["hellinger"].of_split
    assert float(value(counts * [1000, 1, 0.01])) == pytest.approx(float(value(counts)), rel=1e-13)


def test_twoing_equals_the_reference():
    left, right = {0: 7, 1: 2, 2: 1}, {0: 1, 1: 5, 2: 3}
    value = float(twoing_gain([[7, 2, 1], [1, 5, 3]]))
    assert value == pytest.approx(float(gain("twoing", [left, right])), rel=1e-14)


def test_alias_log_loss_is_entropy():
    assert criterion_named("log_loss") is CRITERIA["entropy"]


def test_alias_friedman_mse_is_squared_error():
    assert criterion_named("friedman_mse", "regression") is CRITERIA["squared_error"]


def test_name_of_the_other_task_is_refused():
    with pytest.raises(OptionError, match="for classification"):
        criterion_named("poisson", "classification")


def test_misspelt_name_gets_a_hint():
    with pytest.raises(OptionError, match="Did you mean 'entropy'"):
        criterion_named("entrpy")


def test_names_of_the_tasks_do_not_overlap():
    assert not set(criterion_names("classification")) & set(criterion_names("regression"))


def test_entropy_is_in_bits():
    assert CRITERIA["entropy"].unit == "bits"
    assert float(CRITERIA["entropy"].of_counts([1, 1, 1, 1])) == 2.0


def test_every_criterion_measures_nodes_or_splits():
    for row in CRITERIA.values():
        if row.task == "survival":  # measures times with their censoring
            continue
        assert sum(f is not None for f in (row.of_counts, row.of_values, row.of_split)) == 1, (
            row.name
        )


def test_entropy_of_a_pure_node_is_plus_zero():
    assert not np.signbit(CRITERIA["entropy"].of_counts([3, 0]))


@pytest.mark.parametrize("criterion", ["twoing", "hellinger"])
def test_criterion_of_splits_in_two_refuses_multiway(criterion):
    model = ceiba.DecisionTreeClassifier(criterion=criterion, categorical_splits="multiway")
    with pytest.raises(OptionError, match="which scores only binary splits"):
        model.fit({"x": ["a", "b", "c"]}, [0, 1, 0])


def test_hellinger_tree_does_not_depend_on_class_weights():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(3000, 4)).round(1)
    y = (X[:, 0] + rng.normal(size=3000) > 2).astype(int)  # 8 % of the rows
    plain, weighted = (
        ceiba.DecisionTreeClassifier(criterion="hellinger", max_depth=3, class_weight=w).fit(X, y)
        for w in (None, {0: 1.0, 1: 50.0})
    )
    assert plain.tree_.splits == weighted.tree_.splits
