"""The card of a tree and the usage of its columns."""

from __future__ import annotations

import numpy as np
import pytest

import ceiba
from ceiba.inspection.summary import column_usage
from ceiba.listing import Listing
from ceiba.tree import build


def test_summary_facts_are_those_of_the_tree() -> None:
    X, y = np.arange(10.0).reshape(-1, 1), ["a"] * 6 + ["b"] * 4
    card = ceiba.DecisionTreeClassifier().fit(X, y).summary()
    assert (card["rows"], card["leaves"], card["depth"]) == (10, 2, 1)
    assert (card["risk"], card["baseline"]) == (0.0, 0.4)


def test_summary_says_which_figures_are_prior_weighted() -> None:
    X, y = np.arange(10.0).reshape(-1, 1), ["a", "b"] + ["a"] * 5 + ["b"] * 3
    text = str(
        ceiba.DecisionTreeClassifier(class_prior=[0.9, 0.1], max_depth=1).fit(X, y).summary()
    )
    assert "R(T): prior-weighted share of misclassified rows" in text
    assert "usage: prior-weighted share of training rows" in text
    assert "prior" not in str(ceiba.DecisionTreeClassifier(max_depth=1).fit(X, y).summary())


def test_evaluation_says_that_probability_scores_are_of_the_rows() -> None:
    X, y = np.arange(10.0).reshape(-1, 1), ["a", "b"] + ["a"] * 5 + ["b"] * 3
    model = ceiba.DecisionTreeClassifier(class_prior=[0.9, 0.1], max_depth=1).fit(X, y)
    assert str(model.evaluate(X, y)).endswith(", of these rows")


def test_explanation_and_pruning_say_that_their_figures_are_prior_weighted() -> None:
    X, y = np.arange(10.0).reshape(-1, 1), ["a", "b"] + ["a"] * 5 + ["b"] * 3
    for prior, n in (([0.9, 0.1], 1), (None, 0)):
        model = ceiba.DecisionTreeClassifier(class_prior=prior, prune="1se").fit(X, y)
        explanations = model.explain(X)
        for text in (
            str(explanations[0]),
            explanations[0].table().legend,
            explanations.contributions().legend,
            str(model.tree_.pruning_sequence()),
        ):
            assert text.count("prior-weighted ") == n
        assert model.pruning_table_.legend.count("prior-weighted share of misclassified") == 2 * n


def test_summary_every_figure_has_a_legend() -> None:
    card = build(("x <= 1", {"a": 3}, {"b": 2})).summary()
    assert all(fact.legend for fact in card.facts)
    for name in card.columns.columns[2:]:
        assert f"{name}:" in card.columns.legend


def test_summary_with_pruning_table_says_the_cv_choice() -> None:
    table = Listing(
        {"alpha": [0.0, 0.1], "cv_risk": [0.3, 0.2], "cv_se": [0.05, 0.04], "chosen": [False, True]}
    )
    card = build(("x <= 1", {"a": 3}, {"b": 2})).summary(pruning=table)
    assert (card["cv risk"], card["alpha"]) == (0.2, 0.1)


def test_summary_html_escapes_names() -> None:
    html = build(("x <= 1", {"<b>": 3}, {"c&d": 2})).summary()._repr_html_()
    assert "&lt;b&gt;" in html
    assert "c&amp;d" in html


def test_column_usage_counts_a_row_once_per_column() -> None:
    inner = ("x <= 1", {"a": 1}, {"b": 1})
    tree = build(("x <= 2", inner, ("y <= 1", {"a": 4}, {"b": 4})))
    assert column_usage(tree) == pytest.approx([1.0, 0.8])
