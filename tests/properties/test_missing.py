"""Missing values: learned directions equal brute force; "majority" counts the present rows only."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given, settings

from tests.marks import examples
from tests.properties.fitting import data_of, fit, rules_of
from tests.properties.strategies import mixed_problems, problems, stops
from tests.reference.audit import complaints

EXACT = ("gini", "squared_error")


@given(problems(holes=True), stops())
@settings(max_examples=examples(100))
def test_learned_direction_is_the_best_of_both_and_of_presence(problem, limits):
    data = data_of(problem)
    rules = rules_of(problem, data, **limits)
    assert complaints(fit(problem, **limits), data, rules) == []


@given(problems(criteria=EXACT, holes=True))
@settings(max_examples=examples(80))
def test_ties_go_right_first_then_to_presence_then_left(problem):
    data = data_of(problem)
    tree = fit(problem)
    assert complaints(tree, data, rules_of(problem, data), ties_decided=True) == []


@given(problems(holes=True), stops())
@settings(max_examples=examples(80))
def test_majority_rule_gains_on_present_rows_times_their_share(problem, limits):
    data = data_of(problem)
    rules = replace(rules_of(problem, data, **limits), missing="majority")
    assert complaints(fit(problem, missing="majority", **limits), data, rules) == []


@given(mixed_problems(criteria=("gini", "entropy", "squared_error")))
@settings(max_examples=examples(60))
def test_majority_rule_holds_for_mixed_columns(problem):
    data = data_of(problem)
    rules = replace(rules_of(problem, data), missing="majority")
    assert complaints(fit(problem, missing="majority"), data, rules) == []


@given(problems(criteria=("gini", "entropy", "squared_error", "poisson"), holes=True))
@settings(max_examples=examples(40))
def test_training_rows_are_routed_as_they_were_grown(problem):
    """Counting the rows that end in each leaf gives the leaf's own count."""
    from tests.properties.fitting import matrix

    tree = fit(problem)
    ids = tree.apply(matrix(problem))
    for leaf in tree.leaves.tolist():
        assert (ids == leaf).sum() == tree.n_rows[leaf]
