"""Exact cost-complexity pruning: ties, all risks, multiway trees, rows that stay."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ceiba
from ceiba.errors import OptionError, TreeError
from ceiba.prune import prune_tree
from ceiba.prune.cost_complexity import collapse_alpha, node_risks, pruning_path, pruning_sequence
from ceiba.tree import from_arrays
from tests.marks import examples
from tests.prune.tables import problem
from tests.reference.pruning import sequence_by_enumeration, smallest_optimal


@st.composite
def shapes(draw, max_inner=5):
    """Parents in pre-order of a small tree with two or three branches per inner node."""
    children = [[]]
    inner = 0
    waiting = [0]
    while waiting and inner < max_inner:
        node = waiting.pop(draw(st.integers(0, len(waiting) - 1)))
        for _ in range(draw(st.sampled_from([2, 2, 3]))):
            children.append([])
            children[node].append(len(children) - 1)
            waiting.append(len(children) - 1)
        inner += 1
    order, stack, parent = [], [(0, -1)], []
    while stack:
        node, above = stack.pop()
        parent.append(above)
        at = len(order)
        order.append(node)
        stack.extend((child, at) for child in reversed(children[node]))
    return parent


@st.composite
def counted_trees(draw):
    """A tree without data whose nodes have whole-number class counts."""
    parent = draw(shapes())
    n = len(parent)
    leaf = np.ones(n, bool)
    leaf[[p for p in parent if p >= 0]] = False
    counts = np.zeros((n, 3))
    for i in np.flatnonzero(leaf):
        counts[i] = draw(st.lists(st.integers(0, 6), min_size=3, max_size=3))
        counts[i, draw(st.integers(0, 2))] += 1  # no leaf is empty
    for i in range(n - 1, 0, -1):
        counts[parent[i]] += counts[i]
    return parent, counts


def tree_of(parent, counts, cost_matrix=None):
    from ceiba.table import ColumnInfo, Kind, Schema, TargetInfo
    from ceiba.tree import LevelSets, SplitTable

    n = len(parent)
    levels = tuple("abc")
    target = TargetInfo("y", "classification", (np.array(["p", "q", "r"]),), 1)
    schema = Schema((ColumnInfo("c", Kind.CATEGORICAL, levels),), target, True)
    branches = np.bincount([p for p in parent if p >= 0], minlength=n)
    splits = [
        LevelSets("c", tuple((level,) for level in levels[:k])) if k else None for k in branches
    ]
    total = counts.sum(axis=1, keepdims=True)
    return from_arrays(
        schema,
        parent=parent,
        splits=SplitTable.from_splits(splits, schema),
        value=(counts / total)[:, None, :],
        counts=counts[:, None, :],
        weight=counts.sum(axis=1),
        cost_matrix=cost_matrix,
    )


def exact_risks(counts, costs):
    weighed = counts @ costs
    return [int(w) for w in weighed.min(axis=1)]


def children_of(parent):
    children = [[] for _ in parent]
    for i, above in enumerate(parent):
        if above >= 0:
            children[above].append(i)
    return children


UNIT = np.ones((3, 3), int) - np.eye(3, dtype=int)
UNEVEN = np.array([[0, 1, 4], [2, 0, 1], [1, 3, 0]])


@pytest.mark.parametrize("costs", [UNIT, UNEVEN], ids=["error", "costs"])
@given(tree=counted_trees())
@settings(max_examples=examples(80))
def test_sequence_of_a_multiway_tree_is_the_lower_envelope(costs, tree):
    parent, counts = tree
    made = tree_of(parent, counts, costs.astype(float))
    steps = sequence_by_enumeration(children_of(parent), exact_risks(counts, costs))
    sequence = pruning_sequence(made)
    whole = Fraction(int(counts[0].sum()))
    assert sequence.n_leaves.tolist() == [len(step.leaves) for step in steps]
    # Exactly: each alpha is the correctly rounded quotient.
    assert sequence.alpha.tolist() == [float(Fraction(step.alpha) / whole) for step in steps]
    assert sequence.risk.tolist() == [float(Fraction(step.risk) / whole) for step in steps]


@given(tree=counted_trees(), numerator=st.integers(0, 12), denominator=st.integers(1, 4))
@settings(max_examples=examples(80))
def test_tree_at_an_exact_alpha_is_the_smallest_of_the_best(tree, numerator, denominator):
    parent, counts = tree
    alpha = Fraction(numerator, denominator)
    best = smallest_optimal(children_of(parent), exact_risks(counts, UNIT), alpha)
    made = tree_of(parent, counts)
    exact = float(alpha / Fraction(int(counts[0].sum())))
    assert prune_tree(made, exact).n_leaves == len(best)


@given(tree=counted_trees(), factor=st.sampled_from([1 / 3, 0.1, 0.7]))
@settings(max_examples=examples(80))
def test_ties_hold_when_weights_are_not_whole(tree, factor):
    parent, counts = tree
    whole = pruning_sequence(tree_of(parent, counts))
    scaled = pruning_sequence(tree_of(parent, counts * factor))
    assert scaled.n_leaves.tolist() == whole.n_leaves.tolist()
    assert scaled.alpha.tolist() == pytest.approx(whole.alpha.tolist(), rel=1e-12)


@given(tree=counted_trees())
@settings(max_examples=examples(60))
def test_sequence_under_priors_is_the_lower_envelope(tree):
    parent, counts = tree
    totals = counts[0]
    prior = np.where(totals > 0, [0.2, 0.3, 0.5], 0.0)
    prior = prior / prior.sum()
    factor = [
        Fraction(float(p)) * int(totals.sum()) / int(t) if t else Fraction(0)
        for p, t in zip(prior, totals, strict=True)
    ]
    risks = [
        min(sum(Fraction(int(c)) * f for k, (c, f) in enumerate(zip(row, factor, strict=True))
                if k != j) for j in range(3))
        for row in counts
    ]  # fmt: skip
    from dataclasses import replace

    made = tree_of(parent, counts)
    whole = Fraction(int(totals.sum()))
    made = replace(made, class_prior=prior, risk=np.array([float(r / whole) for r in risks]))
    steps = sequence_by_enumeration(children_of(parent), risks)
    sequence = pruning_sequence(made)
    # Priors that are equal on paper give alphas that differ by rounding only: those are one step.
    distinct = [steps[0]]
    for step in steps[1:]:
        if step.alpha - distinct[-1].alpha > 1e-9:
            distinct.append(step)
        else:
            distinct[-1] = step
    assert sequence.n_leaves.tolist() == [len(step.leaves) for step in distinct]


SETTINGS = [
    {},
    {"criterion": "entropy"},
    {"criterion": "squared_error"},
    {"criterion": "absolute_error"},
    {"criterion": "poisson"},
    {"class_prior": [0.2, 0.3, 0.5]},
    {"cost_matrix": UNEVEN.tolist()},
    {"categorical_splits": "multiway"},
    {"missing": ceiba.Surrogates(keep=0, otherwise="stay")},
    {"missing": "fractional"},
]


@pytest.mark.parametrize("risk", ["cost", "impurity"])
@pytest.mark.parametrize("options", SETTINGS, ids=str)
def test_every_step_has_its_figures_and_lies_inside_the_one_before(options, risk):
    tree = problem(options, holes=0.1 if "missing" in options else 0.0).grow()
    sequence = tree.pruning_sequence(risk=risk)
    assert sequence.alpha[0] == 0
    assert (np.diff(sequence.alpha) > 0).all()
    assert (np.diff(sequence.n_leaves) < 0).all()
    assert (np.diff(sequence.risk) >= -1e-12).all()
    for k in range(len(sequence)):
        step = sequence.tree(k)
        assert step.n_leaves == sequence.n_leaves[k]
        assert np.count_nonzero(~step.is_leaf) == sequence.n_splits[k]
        assert prune_tree(tree, sequence.alpha[k], risk=risk) == step
    for larger, smaller in pairwise(range(len(sequence))):
        collapsed = sequence.node_alpha <= sequence.alpha[smaller]
        assert (collapsed >= (sequence.node_alpha <= sequence.alpha[larger])).all()


@pytest.mark.parametrize("options", SETTINGS[:8], ids=str)
def test_risk_of_a_step_is_that_of_its_tree(options):
    tree = problem(options).grow()
    for risk, of_tree in (("cost", "tree_risk"), ("impurity", "tree_impurity")):
        sequence = tree.pruning_sequence(risk=risk)
        for k in range(0, len(sequence), 3):
            expected = getattr(sequence.tree(k), of_tree)
            assert sequence.risk[k] == pytest.approx(expected, rel=1e-9, abs=1e-12)


def test_rows_that_stay_count_where_they_are():
    """Node 0 keeps one row of class b that no branch takes: it is wrong as long as 0 is split."""
    X = {"x": [1.0, 2.0, 3.0, 4.0, np.nan], "noise": [0.0] * 5}
    y = ["a", "a", "b", "b", "b"]
    options = {"missing": ceiba.Surrogates(keep=0, otherwise="stay")}
    model = ceiba.DecisionTreeClassifier(**options).fit(X, y)
    tree = model.tree_
    assert tree.n_rows.tolist() == [5, 2, 2]
    counted = tree.pruning_sequence()
    assert (counted.risk * 5).round(9).tolist() == [0, 2]
    left_out = pruning_sequence(tree, count_stayed=False)
    assert (left_out.risk * 5).round(9).tolist() == [0, 2]
    wrong = ceiba.DecisionTreeClassifier(**options).fit(X, ["a", "a", "b", "b", "a"]).tree_
    assert (wrong.pruning_sequence().risk * 5).round(9).tolist() == [0, 2]
    mixed = ceiba.DecisionTreeClassifier(**options).fit(
        {"x": [1.0, 2.0, 3.0, 4.0, 5.0, np.nan, np.nan]}, ["a", "a", "b", "b", "b", "a", "a"]
    )
    # The root says a; the two rows that stay are right, and the whole is wrong by three.
    assert (mixed.tree_.pruning_sequence().risk * 7).round(9).tolist() == [0, 3]


@pytest.mark.parametrize("criterion", ["gini", "squared_error"])
def test_risk_of_rows_that_stay_is_what_the_tree_predicts_for_them(criterion):
    data = problem(
        {"criterion": criterion, "missing": ceiba.Surrogates(keep=0, otherwise="stay")}, holes=0.3
    )
    tree = data.grow()
    assert (tree.default_branch[~tree.is_leaf] < 0).any()
    truth = data.target.values[:, 0]
    sequence = tree.pruning_sequence()
    for k in range(len(sequence)):
        step = sequence.tree(k)
        predicted = step.predict(data.table)
        if criterion == "gini":
            error = predicted != data.target.info.classes[0][truth]
        else:
            error = (predicted - truth) ** 2
        assert sequence.risk[k] == pytest.approx(error.mean(), rel=1e-9)


def test_alpha_between_two_is_their_geometric_mean():
    sequence = problem().grow().pruning_sequence()
    alpha = sequence.alpha
    np.testing.assert_allclose(sequence.alpha_between, np.sqrt(alpha[:-1] * alpha[1:]))


def test_n_leaves_that_no_tree_has_gives_the_largest_with_fewer():
    tree = problem().grow()
    sequence = tree.pruning_sequence()
    sizes = sequence.n_leaves.tolist()
    for n in range(1, sizes[0] + 3):
        assert tree.prune(n_leaves=n).n_leaves == max(size for size in sizes if size <= n)


def test_chain_of_many_levels_is_pruned_without_recursion():
    n = 30_001  # inner nodes 0, 2, 4, ... each with a leaf first
    parent = np.empty(2 * n + 1, int)
    parent[0] = -1
    parent[1::2] = np.arange(0, 2 * n, 2)
    parent[2::2] = np.arange(0, 2 * n, 2)
    counts = np.zeros((2 * n + 1, 2))
    counts[1::2, 0] = 1
    counts[-1, 1] = 1
    for i in range(2 * n, 0, -1):
        counts[parent[i]] += counts[i]
    from ceiba import _core

    risk = counts.sum(axis=1) - counts.max(axis=1)
    alphas = np.asarray(_core.collapse_alphas(parent.astype(np.int32), risk, float(n + 1)))
    inner = alphas[0::2][:-1]
    assert inner.max() == inner[0] > 0


def test_path_starts_with_the_tree_and_ends_with_the_root():
    tree = problem({"criterion": "entropy"}).grow()
    alphas, impurities = pruning_path(tree)
    assert alphas[0] == 0
    assert impurities[0] == pytest.approx(tree.tree_impurity, abs=1e-12)
    assert impurities[-1] == pytest.approx(tree.impurity[0])
    assert (np.diff(alphas) >= 0).all()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({}, "one of alpha, cp and n_leaves"),
        ({"alpha": 0.1, "n_leaves": 3}, "one of alpha, cp and n_leaves"),
        ({"alpha": -1}, "non-negative"),
        ({"alpha": float("nan")}, "non-negative"),
        ({"n_leaves": 0}, "positive integer"),
        ({"n_leaves": 2.0}, "must be a positive integer"),
        ({"alpha": 0.1, "risk": "error"}, "risk must be"),
    ],
)
def test_wrong_arguments_are_refused(arguments, message):
    with pytest.raises(OptionError, match=message):
        problem({"max_depth": 2}).grow().prune(**arguments)


def test_several_outputs_have_no_cost_but_an_impurity():
    X = np.arange(20.0).reshape(-1, 1)
    Y = np.stack([np.arange(20) % 2, np.arange(20) // 5], axis=1)
    tree = ceiba.DecisionTreeClassifier().fit(X, Y).tree_
    with pytest.raises(OptionError, match="requires a single-output target"):
        tree.prune(0.1)
    assert tree.prune(10.0, risk="impurity").n_leaves == 1


def test_tree_without_risks_is_refused_with_the_way_out():
    from dataclasses import replace

    tree = problem({"max_depth": 2}).grow()
    unknown = replace(tree, risk=np.full(tree.n_nodes, np.nan))
    with pytest.raises(TreeError, match="refit_leaves"):
        unknown.prune(0.1)


def test_alphas_below_zero_mean_that_the_leaf_is_better_anyway():
    """Counted on other rows, a split may raise the error: T(0) does without it."""
    tree = ceiba.tree.build(("x <= 1", {"a": 5}, {"b": 5}))
    counted = tree.refit_leaves({"x": [0.0, 0.5, 2.0]}, ["b", "b", "a"], keep_value=True)
    assert collapse_alpha(counted)[0] == 0.0
    assert node_risks(counted).leaf.tolist() == [2.0, 2.0, 1.0]
