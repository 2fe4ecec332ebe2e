"""Reduced-error, pessimistic, same-answer and description-length pruning by definition."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ceiba
from ceiba.errors import OptionError
from ceiba.prune import (
    Pessimistic,
    ReducedError,
    description_length,
    pessimistic,
    reduced_error,
    same_answer,
)
from ceiba.prune.pessimistic import added_errors
from tests.marks import examples
from tests.prune.tables import classes_of, mixed


def children_of(tree):
    return [
        tree.branch_node[a:b].tolist()
        for a, b in zip(tree.branch_start[:-1], tree.branch_start[1:], strict=True)
    ]


def pruned_subtrees(children, node=0):
    """The leaves of every pruned subtree below a node."""
    yield frozenset([node])
    if children[node]:
        below = [list(pruned_subtrees(children, child)) for child in children[node]]
        for parts in product(*below):
            yield frozenset().union(*parts)


@st.composite
def problems(draw):
    """A few rows with two columns, two classes, and as many rows to validate with."""
    n = draw(st.integers(6, 14))
    rng = np.random.default_rng(draw(st.integers(0, 10_000)))
    X, V = rng.integers(0, 5, (2, n, 2)).astype(float)
    y, w = rng.integers(0, 2, (2, n))
    y[:2] = 0, 1
    return X, y, V, w


# --- reduced error


@given(problems())
@settings(max_examples=examples(60))
def test_reduced_error_is_the_smallest_subtree_with_the_fewest_validation_errors(problem):
    X, y, V, w = problem
    tree = ceiba.DecisionTreeClassifier(max_leaf_nodes=8).fit(X, y).tree_
    pruned = reduced_error(tree, V, w)

    def merit(leaves):
        inner = [i for i in range(tree.n_nodes) if i in leaves]
        other = tree.collapse(inner)
        return int((other.predict(V) != w).sum()), len(leaves)

    best = min(merit(leaves) for leaves in pruned_subtrees(children_of(tree)))
    assert (int((pruned.predict(V) != w).sum()), pruned.n_leaves) == best


def test_reduced_error_of_numbers_lowers_the_squared_error():
    X, signal = mixed(300)
    V, truth = mixed(150, seed=1)
    tree = ceiba.DecisionTreeRegressor().fit(X, signal).tree_
    pruned = reduced_error(tree, V, truth)
    assert pruned.n_leaves < tree.n_leaves
    before, after = (((t.predict(V) - truth) ** 2).mean() for t in (tree, pruned))
    assert after < before


def test_reduced_error_keeps_the_counts_of_training():
    X, signal = mixed(200)
    V, truth = mixed(100, seed=1)
    tree = ceiba.DecisionTreeClassifier().fit(X, classes_of(signal)).tree_
    pruned = reduced_error(tree, V, classes_of(truth))
    assert pruned.n_rows[0] == 200


def test_held_out_part_is_stratified_and_the_rest_grows_the_tree():
    X, signal = mixed(200)
    pruning = ReducedError(fraction=0.25, keep_unpruned=True)
    model = ceiba.DecisionTreeClassifier(prune=pruning).fit(X, classes_of(signal))
    assert model.unpruned_tree_.n_rows[0] == 150
    shares = model.unpruned_tree_.counts[0, 0] / 150
    np.testing.assert_allclose(shares, [0.4, 0.3, 0.3], atol=0.01)
    risk = model.pruning_table_["validation_risk"]
    assert risk[1] <= risk[0]


def test_validation_set_is_given_with_the_name_of_its_target():
    X, signal = mixed(200)
    V, truth = mixed(100, seed=1)
    frame = {**V, "kind": classes_of(truth).tolist()}
    by_name = ceiba.DecisionTreeClassifier(prune=ReducedError(frame, "kind"))
    by_array = ceiba.DecisionTreeClassifier(prune=ReducedError(V, classes_of(truth)))
    y = classes_of(signal)
    assert by_name.fit(X, y).tree_ == by_array.fit(X, y).tree_


def test_reduced_error_without_rows_to_validate_is_refused():
    tree = ceiba.tree.build(("x <= 1", "a", "b"))
    with pytest.raises(OptionError, match="requires a validation set"):
        ReducedError().prune(tree)


# --- C4.5


@pytest.mark.parametrize(
    ("n", "e", "added"),
    [(6, 0, 1.238), (9, 0, 1.285), (1, 0, 0.75), (16, 1, 1.476), (4, 4, 0.0), (168, 1, 1.574)],
)
def test_added_errors_are_those_of_c45(n, e, added):
    assert added_errors(n, e) == pytest.approx(added, abs=5e-4)


def test_added_errors_between_0_and_1_are_interpolated():
    low, high = added_errors(10, 0), added_errors(10, 1)
    assert added_errors(10, 0.3) == pytest.approx(low + 0.3 * (high - low))


def naive_charge(counts, confidence=0.25):
    errors = counts.sum() - counts.max()
    return errors + added_errors(counts.sum(), errors, confidence)


def naive_replacement(tree, node, children):
    """C4.5's recursion without raising: leaves kept below a node, and their charge."""
    counts = tree.counts[:, 0]
    as_leaf = naive_charge(counts[node])
    if not children[node]:
        return [node], as_leaf
    parts = [naive_replacement(tree, child, children) for child in children[node]]
    charge = sum(part for _, part in parts)
    if as_leaf <= charge + 0.1 + 1e-6:
        return [node], as_leaf
    return [leaf for leaves, _ in parts for leaf in leaves], charge


@pytest.mark.parametrize("seed", range(5))
def test_replacement_follows_the_recursion(seed):
    X, signal = mixed(150, seed=seed)
    grown = ceiba.DecisionTreeClassifier(criterion="entropy").fit(X, classes_of(signal)).tree_
    tree = pessimistic(grown, raising=False, confidence=None)  # what saves no error goes first
    leaves, _ = naive_replacement(tree, 0, children_of(tree))
    pruned = pessimistic(grown, raising=False)
    assert pruned == tree.collapse(leaves)
    assert pruned.n_leaves < grown.n_leaves


def test_raised_branch_takes_the_place_of_its_parent():
    """A first question that nearly all rows answer alike, and below it the one that matters."""
    a = np.concatenate((np.zeros(57), np.ones(3)))
    b = np.concatenate((np.repeat([0.0, 1.0], [30, 27]), [1.0, 0.0, 1.0]))
    y = np.where(b > 0.5, "p", "n")
    tree = ceiba.tree.build(
        ("a <= 0.5", ("b <= 0.5", "n", "p"), ("b <= 0.5", "n", "p")), columns=["a", "b"]
    ).refit_leaves({"a": a, "b": b}, y)
    X = {"a": a, "b": b}
    raised = pessimistic(tree, X, y)
    assert raised.used_features.tolist() == [1]
    assert raised.n_rows.tolist() == [60, 31, 29]
    assert (raised.predict(X) == y).all()
    kept = pessimistic(tree, raising=False)
    assert kept.used_features.tolist() == [0, 1]


def test_raised_tree_counts_all_its_rows():
    X, signal = mixed(200, seed=3)
    y = classes_of(signal)
    model = ceiba.DecisionTreeClassifier(criterion="entropy", prune=Pessimistic()).fit(X, y)
    counted = model.tree_.refit_leaves(X, y)
    np.testing.assert_allclose(counted.counts, model.tree_.counts)
    ceiba.tree.check(model.tree_)


def test_smaller_confidence_prunes_more():
    X, signal = mixed(300)
    tree = ceiba.DecisionTreeClassifier().fit(X, classes_of(signal)).tree_
    sizes = [pessimistic(tree, confidence=c).n_leaves for c in (0.5, 0.25, 0.05, 0.001)]
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[-1] < sizes[0]


def test_pessimistic_pruning_of_numbers_is_refused():
    with pytest.raises(OptionError, match="requires a single-output classification tree"):
        ceiba.DecisionTreeRegressor(prune=Pessimistic()).fit([[1], [2], [3]], [1.0, 2.0, 3.0])


def test_raising_without_data_is_refused():
    tree = ceiba.tree.build(("x <= 1", "a", "b"))
    with pytest.raises(OptionError, match="raising=False"):
        Pessimistic().prune(tree)


# --- one answer


@given(problems())
@settings(max_examples=examples(60))
def test_same_answer_changes_no_prediction_and_leaves_nothing_to_collapse(problem):
    X, y, V, _ = problem
    tree = ceiba.DecisionTreeClassifier(max_depth=2).fit(X, y).tree_
    pruned = same_answer(tree)
    assert (pruned.predict(V) == tree.predict(V)).all()
    for i in np.flatnonzero(~pruned.is_leaf):
        below = pruned.answer[i : pruned.subtree_end[i]][pruned.is_leaf[i : pruned.subtree_end[i]]]
        assert len(set(below.tolist())) > 1


def test_same_answer_under_costs_goes_by_the_answer_not_the_majority():
    X, y = [[1], [2], [3], [4]], ["a", "b", "a", "a"]
    model = ceiba.DecisionTreeClassifier(cost_matrix=[[0, 1], [100, 0]], max_depth=1).fit(X, y)
    assert same_answer(model.tree_).n_leaves == len(set(model.predict(X)))


def test_same_answer_minds_the_rows_that_stay_in_a_node():
    """Both leaves say b, but the rows without a value stay at the root, which says a."""
    X, y = {"x": [1.0, 2.0, np.nan, np.nan, np.nan]}, ["b", "b", "a", "a", "a"]
    options = {"missing": ceiba.Surrogates(keep=0, otherwise="stay")}
    tree = ceiba.DecisionTreeClassifier(**options).fit(X, y).tree_
    split = tree.set_split(0, "x <= 1.5", X, y, missing=ceiba.Surrogates(keep=0, otherwise="stay"))
    assert split.predict(X).tolist() == y
    assert same_answer(split).n_leaves == 2


def test_same_answer_of_several_outputs_needs_all_of_them_equal():
    X = np.arange(4.0).reshape(-1, 1)
    Y = np.array([[0, 0], [0, 0], [0, 1], [0, 1]])
    assert same_answer(ceiba.DecisionTreeClassifier().fit(X, Y).tree_).n_leaves == 2


# --- description length


def test_description_length_keeps_signal_and_drops_noise():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(500, 5))
    noise = rng.integers(0, 2, 500)
    assert description_length(ceiba.DecisionTreeClassifier().fit(X, noise).tree_).n_leaves == 1
    y = (X[:, 0] > 0) & (X[:, 1] > 0)
    pruned = description_length(ceiba.DecisionTreeClassifier().fit(X, y).tree_)
    assert pruned.n_leaves == 3


def test_description_length_of_numbers_is_refused():
    tree = ceiba.DecisionTreeRegressor().fit([[1], [2]], [1.0, 2.0]).tree_
    with pytest.raises(OptionError, match="requires a single-output classification tree"):
        description_length(tree)
