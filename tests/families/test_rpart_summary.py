"""`summary()` of an rpart tree, and which split placed the rows."""

from __future__ import annotations

import numpy as np
import pytest

import ceiba
from ceiba.errors import TreeError
from ceiba.families.rpart.summary import rpart_summary
from ceiba.inspection import routing

X = {
    "age": [20, 25, 30, 35, None, 50, 55, 60],
    "height": [110, 120, 130, None, 115, 180, None, 175],
    "sex": list("fmfmfmfm"),
}
Y = list("aaaaabbb")


@pytest.fixture(scope="module")
def model():
    return ceiba.rpart(minsplit=2, minbucket=1, xval=0).fit(X, Y)


def test_summary_names_the_call_with_what_the_defaults_come_to(model) -> None:
    assert "minsplit=2," in model.summary().call
    call = ceiba.rpart(xval=0).fit(X, Y).summary().call
    assert call.startswith("rpart(method='class'")
    assert "minbucket=7" in call
    assert "minsplit=20" in call


def test_summary_shows_each_node_with_splits_and_surrogates(model) -> None:
    root, *leaves = model.summary().nodes
    assert root.splits["splits"].tolist()[0] == "age < 42.5"
    assert root.splits["missing"].tolist() == ["1", "2", "0"]
    assert root.surrogates["surrogates"].tolist()[0] == "height < 152.5: node 2"
    assert root.surrogates["sent"].tolist() == [1]
    assert root.classes["count"].tolist() == [5, 3]
    assert [leaf.splits for leaf in leaves] == [None, None]


def test_summary_has_the_node_numbers_of_path_and_snip(model) -> None:
    X = {"x": np.arange(60.0), "z": np.arange(60) % 7.0}
    fitted = ceiba.rpart("anova", xval=0, cp=0.001).fit(X, -np.sin(X["x"] / 6) * X["z"])
    nodes = fitted.summary().nodes
    numbers = [node.node for node in nodes]
    assert numbers == sorted(fitted.node_numbers_.tolist())
    assert numbers != list(range(1, len(numbers) + 1))
    rows = dict(zip(fitted.node_numbers_.tolist(), fitted.tree_.n_rows.tolist(), strict=True))
    for node in nodes:
        assert node.n_rows == rows[node.node]
        assert len(fitted.path(node.node)[node.node]) == node.node.bit_length()
        if node.branches:
            assert f"node {2 * node.node} ({rows[2 * node.node]} rows)" in node.branches
    snipped = fitted.snip(numbers[1]).summary()
    assert next(node.node for node in snipped.nodes if node.cp is None) == numbers[1]


def test_missing_counts_of_competitors_are_those_of_the_rows_of_the_node() -> None:
    rng = np.random.default_rng(3)
    X = {f"x{j}": np.where(rng.random(300) < 0.2, np.nan, rng.normal(size=300)) for j in range(4)}
    y = np.where(np.nan_to_num(X["x0"]) > 0, 3.0, 0.0) + np.nan_to_num(X["x1"])
    fitted = ceiba.rpart("anova", xval=0).fit(X, y)
    path = fitted.decision_path(X).toarray().astype(bool)
    shown = {node.node: node.splits for node in fitted.summary().nodes if node.splits is not None}
    assert len(shown) > 3
    for i, number in enumerate(fitted.node_numbers_.tolist()):
        if number in shown:
            names = [text.split()[0] for text in shown[number]["splits"].tolist()]
            counts = [str(int(np.isnan(X[name][path[:, i]]).sum())) for name in names]
            assert shown[number]["missing"].tolist() == counts
    assert str(fitted.prune(0.05).summary().nodes[0]) == str(fitted.summary().nodes[0])


def test_summary_explains_its_figures_below_each_table(model) -> None:
    text = str(model.summary())
    for word in ("cp:", "relative_risk:", "importance:", "improve:", "agree:", "adj:", "sent:"):
        assert word in text


def test_summary_counts_dropped_rows() -> None:
    fitted = ceiba.rpart("anova", xval=0).fit({"x": [1.0, 2, 3]}, [1.0, None, 2])
    assert "2 rows (1 dropped: no target or no values)" in str(fitted.summary())


def test_summary_of_poisson_shows_events_and_deviance() -> None:
    fitted = ceiba.rpart("poisson", xval=0)
    fitted.fit({"x": [0.0] * 10 + [1.0] * 10}, [0] * 10 + [2] * 10)
    assert fitted.summary().nodes[2].facts.startswith("20 events in time 10, rate 1.90909")


def test_summary_of_a_multiway_tree_is_refused() -> None:
    tree = ceiba.tree.build(("c", {"x": "a", "y": "b", "z": "a"}))
    with pytest.raises(TreeError, match="binary tree"):
        rpart_summary(tree, None)


# ---------------------------------------------------------------------- who sent the rows


def test_senders_of_a_node_add_up_to_its_rows(model) -> None:
    table = routing(model.tree_)
    assert table["by"].tolist() == ["split", "surrogate", "default"]
    assert table["rows"].tolist() == [7, 1, 0]


def test_row_that_nobody_places_goes_by_default() -> None:
    holed = {**X, "height": [110, 120, 130, None, None, 180, None, 175]}
    table = ceiba.rpart(minsplit=2, minbucket=1, xval=0).fit(holed, Y).tree_.routing()
    assert table["rows"].tolist()[-1] == 1
    assert table["by"].tolist()[-1] == "default"


def test_row_that_stays_is_said_to_stay() -> None:
    options = {"minsplit": 2, "minbucket": 1, "usesurrogate": 0, "xval": 0}
    table = ceiba.rpart(**options).fit(X, Y).tree_.routing()
    assert table["by"].tolist() == ["split", "stays"]
    assert table["rows"].tolist() == [7, 1]


def test_row_that_goes_everywhere_is_counted_once() -> None:
    model = ceiba.DecisionTreeClassifier(missing="fractional", max_depth=1).fit(X, Y)
    table = model.tree_.routing()
    assert table["by"].tolist() == ["split", "shares"]
    assert table["rows"].sum() == 8


def test_learned_side_of_missing_values_is_the_default() -> None:
    model = ceiba.DecisionTreeClassifier(max_depth=1).fit([[1.0], [2.0], [None]], list("abb"))
    assert model.tree_.routing()["rows"].tolist() == [2, 1]
