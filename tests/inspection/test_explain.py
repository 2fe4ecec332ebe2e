"""explain: the path of one row, in words and as data."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import ceiba
from ceiba import DataError, DecisionTreeClassifier, DecisionTreeRegressor
from ceiba.inspection import explain, importance
from ceiba.table.read_for_predict import read_like

X = {
    "age": [20, 30, 40, 50, 60, 70],
    "city": ["Oslo", "Oslo", "Lima", "Lima", "Rome", "Rome"],
}
Y = ["a", "a", "b", "b", "c", "c"]


@pytest.fixture
def model():
    return DecisionTreeClassifier().fit(X, Y)


@pytest.mark.parametrize(
    "row",
    [
        {"age": 44, "city": "Lima"},
        {"age": [44], "city": ["Lima"]},
        pd.Series({"age": 44, "city": "Lima"}),
        pd.DataFrame({"age": [44], "city": ["Lima"]}),
    ],
    ids=["dict", "lists", "series", "frame"],
)
def test_explain_takes_a_row_in_any_shape(model, row):
    assert model.explain(row).answer == "b"


@pytest.mark.parametrize("row", [[2.0, 5.0], (2.0, 5.0), np.array([2.0, 5.0]), [[2.0, 5.0]]])
def test_explain_takes_a_plain_sequence(row):
    model = DecisionTreeClassifier().fit([[1.0, 5.0], [3.0, 5.0]], ["a", "b"])
    assert model.explain(row).answer == "a"


def test_explain_says_each_test_and_the_value(model):
    explanation = model.explain({"age": 44, "city": "Lima"})
    assert [step.sentence for step in explanation.steps] == ["age > 35", "age <= 55"]
    assert [step.value for step in explanation.steps] == [44.0, 44.0]
    assert {step.by for step in explanation.steps} == {"primary"}
    assert str(explanation).splitlines()[0] == "age > 35  (age is 44)"


def test_explain_agrees_with_predict_and_apply(model):
    frame = pd.DataFrame(X)
    for i in range(6):
        explanation = model.explain(frame.iloc[[i]])
        assert explanation.answer == model.predict(frame.iloc[[i]])[0]
        assert explanation.leaf == model.apply(frame.iloc[[i]])[0]


def test_explain_gives_probabilities_by_label(model):
    assert model.explain({"age": 20, "city": "Oslo"}).probability == {"a": 1.0, "b": 0.0, "c": 0.0}


def test_explain_of_a_missing_value_names_the_default(model):
    explanation = model.explain({"age": None, "city": "Lima"})
    assert explanation.steps[0].by == "default"
    assert explanation.steps[0].value is None
    assert "missing: the default branch" in str(explanation)


def test_explain_of_an_unseen_level_says_so():
    model = DecisionTreeClassifier().fit({"city": X["city"]}, Y)
    explanation = model.explain({"city": "Paris"})
    assert explanation.steps[0].by == "unseen"
    assert "not seen" in str(explanation)


def test_explain_of_a_surrogate_names_it():
    data = {"u": [1.0, 2, 3, 4, 5, 6], "v": [10.0, 20, 30, 40, 50, 60]}
    y = ["a", "a", "a", "b", "b", "b"]
    model = DecisionTreeClassifier(missing="surrogate").fit(data, y)
    explanation = model.explain({"u": None, "v": 55.0})
    assert explanation.steps[0].by == "surrogate"
    assert "surrogate v > 35" in str(explanation)
    assert explanation.answer == "b"


def test_explain_of_a_row_that_stays_says_so():
    data = {"u": [1.0, 2, 3, 4, 5, 6]}
    y = ["a", "a", "a", "b", "b", "b"]
    model = DecisionTreeClassifier(missing=ceiba.Surrogates(keep=0, otherwise="stay")).fit(data, y)
    explanation = model.explain({"u": None})
    assert explanation.leaf == 0
    assert "no other rule applies" in str(explanation)


def test_explain_of_a_fractional_row_shows_every_branch():
    data = {"u": [1.0, 2, 3, 4, 5, 6]}
    model = DecisionTreeClassifier(missing="fractional").fit(data, ["a", "a", "b", "b", "b", "b"])
    explanation = model.explain({"u": None})
    assert {step.branch for step in explanation.steps} == {0, 1}
    assert sum(step.share for step in explanation.steps) == pytest.approx(1.0)


def test_explain_of_a_fractional_row_answers_as_predict_does():
    data = {"u": [1.0, 2, 3, 4, 5, 6]}
    model = DecisionTreeClassifier(missing="fractional").fit(data, ["a", "a", "b", "b", "b", "b"])
    explanation = model.explain({"u": None})
    assert explanation.answer == model.predict({"u": [None]})[0] == "b"
    assert explanation.probability == pytest.approx({"a": 2 / 6, "b": 4 / 6})


def test_explain_of_many_levels_counts_the_rest():
    levels = [f"level{i:02}" for i in range(18)]
    model = DecisionTreeClassifier().fit({"x": levels}, ["a", "b"] * 9)
    assert "+1 more" in model.explain({"x": "level00"}).steps[0].sentence


def test_explain_shows_dates_and_booleans_as_people_read_them():
    days = pd.to_datetime(["2024-01-01", "2024-01-02", "2024-06-01", "2024-06-02"])
    frame = pd.DataFrame({"day": days})
    model = DecisionTreeClassifier().fit(frame, ["a", "a", "b", "b"])
    assert model.explain(frame.iloc[[3]]).steps[0].shown.startswith("2024-06-02")
    flags = {"rain": [True, False]}
    step = DecisionTreeClassifier().fit(flags, ["a", "b"]).explain({"rain": [True]}).steps[0]
    assert (step.sentence, step.shown) == ("rain = yes", "yes")


def test_explain_of_a_regression_shows_the_number():
    model = DecisionTreeRegressor().fit({"x": [1.0, 2.0]}, [0.5, 3.25])
    explanation = model.explain({"x": 2.0})
    assert (explanation.answer, explanation.probability) == (3.25, None)
    assert "=> 3.25  (leaf 2, 1 training row)" in str(explanation)


def test_explain_of_several_outputs_answers_with_a_tuple():
    model = DecisionTreeClassifier().fit([[1], [2]], [["a", "x"], ["b", "y"]])
    assert model.explain([2]).answer == ("b", "y")


def test_explain_turns_into_plain_data(model):
    explanation = model.explain({"age": 44, "city": "Lima"}).to_dict()
    assert explanation["steps"][0]["sentence"] == "age > 35"
    assert explanation["answer"] == "b"


def test_explain_of_a_row_beyond_the_table_is_refused(model):
    table = read_like(X, model.tree_.schema)
    with pytest.raises(DataError, match="row must be from 0 to 5, got 6"):
        explain(model.tree_, table, 6)


# ---------------------------------------------------------------------- importance


def test_importance_in_sums_is_the_total_decrease():
    model = DecisionTreeClassifier().fit(X, Y)
    total = importance(model.tree_, normalize=False)
    assert total.sum() == pytest.approx(6 * model.tree_.impurity[0])


def test_importance_of_surrogates_counts_stand_ins():
    data = {"u": [1.0, 2, 3, 4, 5, 6], "v": [10.0, 20, 30, 40, 50, 60]}
    y = ["a", "a", "a", "b", "b", "b"]
    tree = DecisionTreeClassifier(missing="surrogate").fit(data, y).tree_
    assert importance(tree)[1] == 0.0
    assert importance(tree, surrogates=True).tolist() == pytest.approx([0.5, 0.5])


def test_importance_under_priors_uses_the_weights_of_the_search():
    priors = {"a": 0.8, "b": 0.1, "c": 0.1}
    tree = DecisionTreeClassifier(class_prior=priors).fit(X, Y).tree_
    assert importance(tree, normalize=False).sum() == pytest.approx(6 * tree.impurity[0])


def test_answer_that_costs_chose_says_so() -> None:
    X = {"x": [1, 1, 1, 1, 1, 1, 1, 1, 1, 2]}
    y = ["no"] * 9 + ["yes"]
    costs = {("yes", "no"): 15, ("no", "yes"): 1}
    model = ceiba.DecisionTreeClassifier(cost_matrix=costs, max_leaf_nodes=2, min_samples_leaf=5)
    explanation = model.fit(X, y).explain({"x": 1})
    assert explanation.answer == "yes"
    assert explanation.costs == pytest.approx({"no": 1.5, "yes": 0.9})
    assert "probability 0.1; it costs least: 0.9 on average, no would cost 1.5" in str(explanation)
    plain = ceiba.DecisionTreeClassifier(min_samples_leaf=5).fit(X, y).explain({"x": 1})
    assert plain.costs is None
    assert "cost" not in str(plain)
