"""Level sets: the best of all subsets; names and order of the levels change no partition."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ceiba
from tests.marks import examples
from tests.properties.fitting import LEVELS, data_of, fit, frame, leaf_sets, rules_of
from tests.properties.strategies import (
    CLASS_CRITERIA,
    Problem,
    mixed_problems,
    weights,
)
from tests.reference.audit import complaints

# Ordering the levels by their mean is exact for these (Breiman's theorem) and a heuristic for
# absolute error.
SUBSETS = (*CLASS_CRITERIA, "squared_error", "poisson")


def event_counts(n_rows):
    """Mostly 0: levels without events, which are not allowed to be a side by themselves."""
    some = st.lists(st.sampled_from([0, 0, 0, 1, 2, 3]), min_size=n_rows, max_size=n_rows)
    return some.filter(any)


@st.composite
def one_column_of_levels(draw, criteria=SUBSETS):
    """Two to eight levels, two to five classes."""
    n_levels, n_rows = draw(st.integers(2, 8)), draw(st.integers(4, 20))
    criterion = draw(st.sampled_from(criteria))
    codes = st.lists(st.integers(0, n_levels - 1), min_size=n_rows, max_size=n_rows)
    n_classes = draw(st.integers(2, 5))
    counts = st.lists(st.integers(1, n_classes), min_size=n_rows, max_size=n_rows)
    y = draw(event_counts(n_rows) if criterion == "poisson" else counts)
    X = [[code] for code in draw(codes)]
    return Problem(X, y, draw(weights(n_rows)), criterion, ("categorical",))


@given(one_column_of_levels())
@settings(max_examples=examples(80))
def test_level_set_at_the_root_is_the_best_of_all_subsets(problem):
    data = data_of(problem)
    tree = fit(problem, max_depth=1)
    assert complaints(tree, data, rules_of(problem, data, max_depth=1)) == []


@given(one_column_of_levels(criteria=("poisson",)), st.data())
@settings(max_examples=examples(150))
def test_level_set_with_event_free_levels_is_the_best_of_all_subsets(problem, data):
    """Missing values too: they are tried on both sides."""
    holes = data.draw(st.lists(st.sampled_from([0, 0, 0, 1]), min_size=len(problem.X)))
    X = [[None] if hole else row for row, hole in zip(problem.X, holes, strict=False)]
    problem = replace(problem, X=X + problem.X[len(X) :])
    table = data_of(problem)
    tree = fit(problem, max_depth=1)
    assert complaints(tree, table, rules_of(problem, table, max_depth=1)) == []


def test_level_that_joins_the_event_free_ones_need_not_have_the_lowest_rate():
    X = {"x": ["l0", "l1", "l2", "l3", "l4", "l5", "l0", "l1"]}
    model = ceiba.DecisionTreeRegressor(criterion="poisson", max_depth=1)
    tree = model.fit(X, [2, 0, 0, 0, 0, 1, 2, 2]).tree_
    # l1 and l5 have one event per row each; the lighter of the two joins l2 to l4.
    assert tree.node(0).split.branches == (("l0", "l1"), ("l2", "l3", "l4", "l5"))
    assert tree.gain[0] == pytest.approx(0.247652, abs=1e-6)


@given(mixed_problems(criteria=SUBSETS))
@settings(max_examples=examples(80))
def test_tree_of_mixed_columns_has_the_best_split_at_every_node(problem):
    data = data_of(problem)
    assert complaints(fit(problem), data, rules_of(problem, data)) == []


@given(mixed_problems(criteria=(*CLASS_CRITERIA[:3], "squared_error", "poisson"), holes=False))
@settings(max_examples=examples(60))
def test_multiway_tree_has_the_best_split_at_every_node(problem):
    data = data_of(problem)
    rules = replace(rules_of(problem, data), multiway=True)
    assert complaints(fit(problem, categorical_splits="multiway"), data, rules) == []


@given(one_column_of_levels(criteria=("gini", "squared_error")), st.permutations(range(8)))
@settings(max_examples=examples(60))
def test_other_level_order_changes_no_partition_of_the_root(problem, order):
    """Unless splits tie, in which case the level order decides."""
    relabelled = replace(problem, X=[[order[code]] for (code,) in problem.X])
    trees = [fit(p, max_depth=1) for p in (problem, relabelled)]
    assert abs(trees[0].gain[0] - trees[1].gain[0]) <= 1e-12
    if not tied(problem):
        first, second = (
            leaf_sets(t, frame(p)) for t, p in zip(trees, (problem, relabelled), strict=True)
        )
        assert first == second


def tied(problem):
    from tests.reference.search import all_splits

    data = data_of(problem)
    splits = all_splits(data, range(data.n_rows), rules_of(problem, data))
    best = max((f.gain for f in splits), default=None)
    return sum(f.gain == best for f in splits) > 1


@given(one_column_of_levels(criteria=("gini", "entropy", "squared_error")))
@settings(max_examples=examples(40))
def test_other_level_names_change_nothing(problem):
    X = frame(problem)
    renamed = X.rename(columns={"x0": "y0"})
    renamed["y0"] = X["x0"].cat.rename_categories({level: f"z{level}" for level in LEVELS})
    assert fit(problem, X).splits == fit(problem, renamed).splits
