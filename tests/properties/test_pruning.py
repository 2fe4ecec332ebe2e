"""Pruning against the enumeration of every pruned subtree."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ceiba.prune import prune_tree
from ceiba.prune.cost_complexity import pruning_sequence
from tests.marks import examples
from tests.properties.fitting import data_of, fit
from tests.properties.strategies import problems
from tests.reference.data import Exact
from tests.reference.distribution import distribution
from tests.reference.pruning import (
    sequence_by_enumeration,
    smallest_optimal,
)

WHOLE = {
    "weights": lambda n: st.one_of(
        st.none(), st.lists(st.integers(1, 3).map(float), min_size=n, max_size=n)
    )
}


def exact_errors(problem, tree) -> tuple[list[list[int]], list[Exact]]:
    """Children of each node, and the exact misclassified weight of each node as a leaf."""
    children = [
        tree.branch_node[a:b].tolist()
        for a, b in zip(tree.branch_start, tree.branch_start[1:], strict=False)
    ]
    data = data_of(problem)
    paths = tree.decision_path(_matrix(problem)).toarray().astype(bool)
    risk = []
    for node in range(tree.n_nodes):
        part = distribution(data.targets[0], data.weight, np.flatnonzero(paths[:, node]).tolist())
        risk.append(sum(part.values()) - max(part.values()))
    return children, risk


def _matrix(problem):
    from tests.properties.fitting import matrix

    return matrix(problem)


@given(problems(criteria=("gini", "entropy"), **WHOLE))
@settings(max_examples=examples(60))
def test_sequence_is_the_lower_envelope_of_all_pruned_subtrees(problem):
    tree = fit(problem, max_leaf_nodes=8)
    children, risk = exact_errors(problem, tree)
    steps = sequence_by_enumeration(children, risk)
    whole = Fraction(sum(data_of(problem).weight))
    sequence = pruning_sequence(tree, risk="cost")
    assert sequence.n_leaves.tolist() == [len(step.leaves) for step in steps]
    assert sequence.alpha.tolist() == pytest.approx(
        [float(step.alpha / whole) for step in steps], 1e-12
    )
    assert sequence.risk.tolist() == pytest.approx(
        [float(s.risk / whole) for s in steps], 1e-12, 1e-15
    )


@given(problems(criteria=("gini",), **WHOLE), st.integers(0, 12))
@settings(max_examples=examples(60))
def test_pruned_tree_is_the_smallest_with_the_least_cost(problem, numerator):
    tree = fit(problem, max_leaf_nodes=8)
    children, risk = exact_errors(problem, tree)
    whole = sum(data_of(problem).weight)
    # an alpha between the steps, which are fractions with small denominators
    alpha = Fraction(numerator, 5) + Fraction(1, 1000)
    expected = smallest_optimal(children, risk, alpha)
    pruned = prune_tree(tree, float(alpha / whole), risk="cost")
    assert pruned.n_leaves == len(expected)
    sizes = sorted(tree.n_rows[sorted(expected)].tolist())
    assert sorted(pruned.n_rows[pruned.leaves].tolist()) == sizes


@given(problems(criteria=("gini", "squared_error", "entropy", "absolute_error")))
@settings(max_examples=examples(60))
def test_alphas_grow_and_leaves_shrink(problem):
    for risk in ("cost", "impurity"):
        steps = pruning_sequence(fit(problem), risk=risk)
        assert steps.alpha[0] == 0
        assert (np.diff(steps.alpha) > 0).all()
        assert (np.diff(steps.n_leaves) < 0).all()
        assert steps.n_leaves[-1] == 1


@given(problems(criteria=("gini", "squared_error")))
@settings(max_examples=examples(40))
def test_pruned_trees_are_nested(problem):
    """Every leaf of the larger tree lies in one leaf of the smaller."""
    tree, X = fit(problem), _matrix(problem)
    ids = [np.asarray(prune_tree(tree, a).apply(X)) for a in pruning_sequence(tree).alpha]
    for larger, smaller in pairwise(ids):
        for leaf in set(larger.tolist()):
            assert len(set(smaller[larger == leaf].tolist())) == 1
