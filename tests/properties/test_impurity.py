"""What makes a function an impurity (Definition 3 of the monograph), and that splits never raise
the risk.
"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ceiba
from tests.marks import examples
from tests.properties.fitting import fit
from tests.properties.strategies import problems
from tests.reference.criteria import IMPURITY

CRITERIA = ("gini", "entropy", "error")
counts = st.lists(st.integers(0, 20), min_size=2, max_size=5).filter(any)


@pytest.mark.parametrize("criterion", CRITERIA)
@given(counts=counts)
@settings(max_examples=examples(40))
def test_impurity_is_largest_for_equal_shares(criterion, counts):
    most = ceiba.impurity(counts=[1] * len(counts), criterion=criterion)
    assert ceiba.impurity(counts=counts, criterion=criterion) <= most + 1e-15


@pytest.mark.parametrize("criterion", ["gini", "entropy"])
@given(counts=counts)
@settings(max_examples=examples(40))
def test_impurity_is_largest_for_equal_shares_only(criterion, counts):
    most = ceiba.impurity(counts=[1] * len(counts), criterion=criterion)
    if len(set(counts)) > 1:
        assert ceiba.impurity(counts=counts, criterion=criterion) < most


@pytest.mark.parametrize("criterion", CRITERIA)
@given(counts=counts, random=st.randoms(use_true_random=False))
@settings(max_examples=examples(40))
def test_impurity_does_not_depend_on_the_order_of_the_classes(criterion, counts, random):
    shuffled = list(counts)
    random.shuffle(shuffled)
    given_order = ceiba.impurity(counts=counts, criterion=criterion)
    assert ceiba.impurity(counts=shuffled, criterion=criterion) == pytest.approx(given_order, 1e-14)


@pytest.mark.parametrize("criterion", CRITERIA)
@given(counts=counts)
@settings(max_examples=examples(40))
def test_impurity_is_zero_for_one_class_only(criterion, counts):
    value = ceiba.impurity(counts=counts, criterion=criterion)
    assert (value == 0) == (sum(1 for c in counts if c) == 1)


@pytest.mark.parametrize("criterion", CRITERIA)
@given(counts=counts)
@settings(max_examples=examples(40))
def test_impurity_of_counts_equals_the_reference(criterion, counts):
    part = {k: c for k, c in enumerate(counts) if c}
    true = float(IMPURITY[criterion](part))
    assert ceiba.impurity(counts=counts, criterion=criterion) == pytest.approx(true, 1e-13, 1e-15)


@given(problems())
@settings(max_examples=examples(60))
def test_split_never_raises_the_risk(problem):
    """Theorem 3: R(t) >= sum of R over the branches; the impurity likewise."""
    tree = fit(problem)
    share = tree.weight / tree.weight[0]
    for node in range(tree.n_nodes):
        children = tree.branch_node[tree.branch_start[node] : tree.branch_start[node + 1]]
        if len(children):
            assert tree.risk[children].sum() <= tree.risk[node] + 1e-12 * abs(tree.risk[0])
            below = (share * tree.impurity)[children].sum()
            assert below <= share[node] * tree.impurity[node] + 1e-12 * abs(tree.impurity[0])


@given(
    problems(criteria=("gini", "entropy", "error", "squared_error", "absolute_error", "poisson"))
)
@settings(max_examples=examples(40))
def test_gains_add_up_to_what_the_leaves_lack(problem):
    """I(root) - I(T) is the sum of the gains, each times its node's share."""
    tree = fit(problem)
    share = tree.weight / tree.weight[0]
    leaf = np.diff(tree.branch_start) == 0
    left = (share * tree.impurity)[leaf].sum()
    assert (share * tree.gain).sum() == pytest.approx(tree.impurity[0] - left, 1e-11, 1e-12)
