"""RuleSet: general rules from a tree, and a classifier of their own."""

from __future__ import annotations

from math import comb, factorial, log2

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.model_selection import cross_val_score, train_test_split
from sklearn.pipeline import make_pipeline

import ceiba
from ceiba.grow.problem import Problem
from ceiba.rules.generalise import _minimize_description, candidate_rules

IRIS = load_iris()


def iris_rules(**options):
    return ceiba.RuleSet(**options).fit(IRIS.data, IRIS.target_names[IRIS.target])


def test_rules_of_iris_are_short():
    model = iris_rules()
    rules = [(str(rule.condition), str(rule.value)) for rule in model.rules_]
    assert rules == [
        ("x3 <= 0.6", "setosa"),
        ("0.6 < x3 <= 1.7 and x2 <= 4.9", "versicolor"),
        ("x3 > 1.7", "virginica"),
        ("0.6 < x3 <= 1.5 and x2 > 4.9", "virginica"),
        ("1.5 < x3 <= 1.7 and x2 > 4.9", "versicolor"),
    ]
    assert model.default_ == "setosa"
    assert model.n_tests_ < model.n_path_tests_
    assert model.rules_for("versicolor") == [model.rules_[1], model.rules_[4]]


def test_rules_stand_in_the_order_of_their_confidence():
    confidence = [rule.confidence for rule in iris_rules().rules_]
    assert confidence == sorted(confidence, reverse=True)


def test_cover_and_errors_are_those_of_the_selected_rows():
    model = iris_rules()
    truth = IRIS.target_names[IRIS.target]
    for rule in model.rules_:
        inside = rule.condition.select(IRIS.data)
        wrong = np.count_nonzero(truth[inside] != rule.value)
        assert rule.cover == np.count_nonzero(inside)
        assert rule.errors == wrong
        assert rule.confidence == pytest.approx((rule.cover - wrong + 1) / (rule.cover + 2))
        assert rule.lift == pytest.approx(rule.confidence * 3)


def test_first_rule_that_covers_a_row_answers():
    model = iris_rules()
    expected = np.full(150, model.default_, dtype=object)
    for rule in reversed(model.rules_):
        expected[rule.condition.select(IRIS.data)] = rule.value
    assert model.predict(IRIS.data).tolist() == expected.tolist()


def test_row_that_no_rule_covers_gets_the_default_class():
    X = {"a": ["x"] * 20 + ["y"] * 20 + ["z"] * 4}
    y = ["p"] * 20 + ["q"] * 20 + ["q", "p", "q", "p"]
    model = ceiba.RuleSet(ceiba.c45(confidence=None)).fit(X, y)
    assert model.predict({"a": ["x", "y"]}).tolist() == ["p", "q"]
    assert model.default_ in ("p", "q")


def test_probabilities_sum_to_one_and_agree_with_predict():
    model = iris_rules()
    p = model.predict_proba(IRIS.data)
    assert np.allclose(p.sum(axis=1), 1.0)
    assert (model.classes_[p.argmax(axis=1)] == model.predict(IRIS.data)).all()


def test_print_shows_cover_lift_class_and_confidence():
    assert "(cover 46/1, lift 2.88) -> virginica [0.958]" in str(iris_rules())
    assert "Default: " in str(iris_rules())


@pytest.mark.parametrize("seed", range(3))
def test_rules_are_shorter_and_not_worse_than_their_tree(seed):
    data = load_breast_cancer()
    X, X_new, y, y_new = train_test_split(data.data, data.target, random_state=seed)
    tree = ceiba.c45().fit(X, y)
    rules = ceiba.RuleSet.from_tree(tree, X, y)
    assert rules.n_tests_ < rules.n_path_tests_
    assert rules.score(X_new, y_new) >= tree.score(X_new, y_new) - 1e-9


def test_missing_values_and_levels_are_read_as_the_tree_reads_them():
    rng = np.random.default_rng(0)
    level = rng.choice(["a", "b", "c"], 300).astype(object)
    x = rng.normal(size=300)
    y = np.where((level == "a") & (x > 0), "yes", "no")
    level[::17], x[::13] = None, np.nan
    rules = ceiba.RuleSet().fit({"level": level, "x": x}, y)
    assert rules.score({"level": level, "x": x}, y) > 0.9
    new = rules.predict({"level": ["a", "never seen", None], "x": [1.0, np.nan, 0.5]})
    assert new[0] == "yes"


def test_rule_set_follows_scikit_learn():
    model = clone(ceiba.RuleSet(ceiba.c45(min_samples_leaf=5), confidence=0.1))
    assert model.get_params()["estimator__min_samples_leaf"] == 5
    assert cross_val_score(make_pipeline(model), IRIS.data, IRIS.target, cv=3).mean() > 0.9


def test_weights_act_as_repeated_rows():
    weight = np.random.default_rng(1).integers(1, 4, 150)
    tree = ceiba.c45().fit(IRIS.data, IRIS.target)
    weighted = ceiba.RuleSet.from_tree(tree, IRIS.data, IRIS.target, sample_weight=weight)
    X, y = np.repeat(IRIS.data, weight, axis=0), np.repeat(IRIS.target, weight)
    repeated = ceiba.RuleSet.from_tree(tree, X, y)
    assert str(weighted) == str(repeated)


def length(rules, codes, weight, bits):
    """Bits of rules and exceptions by their definition, class by class."""
    total = 0.0
    for k in np.unique(codes):
        own = [rule for rule in rules if rule.answer == k]
        covered = (
            np.any([rule.covered for rule in own], axis=0) if own else np.zeros(len(codes), bool)
        )
        wrong, lost = covered & (codes != k), ~covered & (codes == k)
        total += log2(comb(int(covered.sum()), int(wrong.sum())))
        total += log2(comb(int((~covered).sum()), int(lost.sum())))
        theory = sum(len(rule.tests) * bits - log2(factorial(len(rule.tests))) for rule in own)
        total += 0.5 * (theory - log2(factorial(len(own))))
    return total


def test_no_rule_can_be_left_out_without_a_longer_description():
    data = load_breast_cancer()
    tree = ceiba.c45().fit(data.data, data.target).tree_
    problem = Problem.like(tree, data.data, data.target)
    codes, weight = data.target.astype(np.intp), np.ones(len(data.target))
    rules = candidate_rules(tree, problem.table, codes, weight, 0.25)
    bits = log2(len(frozenset().union(*(rule.tests for rule in rules))))
    kept = [
        rule
        for k in (0, 1)
        for rule in _minimize_description(
            [r for r in rules if r.answer == k], codes == k, weight, bits
        )
    ]
    assert 0 < len(kept) < len(rules)
    shortest = length(kept, codes, weight, bits)
    assert shortest < length(rules, codes, weight, bits)
    for left_out in range(len(kept)):
        rest = kept[:left_out] + kept[left_out + 1 :]
        assert length(rest, codes, weight, bits) > shortest


def frames(folder):
    names = [f"c{k}" for k in range(14)] + ["income"]
    options = {"header": None, "skipinitialspace": True, "na_values": "?", "names": names}
    adult = pd.read_csv(folder / "adult_train.csv.gz", **options)
    return (adult, "income"), (pd.read_csv(folder / "mushrooms.csv", na_values="?"), "type")


@pytest.mark.slow
@pytest.mark.parametrize("which", [0, 1], ids=["adult", "mushrooms"])
def test_rules_of_real_tables_are_not_worse_than_their_trees(which, data_folder):
    """Held-out errors over four random divisions together, with far fewer tests."""
    frame, target = frames(data_folder)[which]
    errors = np.zeros(2)
    for seed in range(4):
        learn, new = train_test_split(frame, test_size=1 / 3, random_state=seed)
        X, y = learn.drop(columns=target), learn[target]
        tree = ceiba.c45().fit(X, y)
        rules = ceiba.RuleSet.from_tree(tree, X, y)
        assert rules.n_tests_ < 0.7 * rules.n_path_tests_
        errors += [
            1 - model.score(new.drop(columns=target), new[target]) for model in (tree, rules)
        ]
    assert errors[1] <= errors[0]


def test_regression_tree_is_refused():
    tree = ceiba.DecisionTreeRegressor().fit([[1.0], [2.0]], [1.0, 2.0])
    with pytest.raises(ceiba.OptionError, match="classification"):
        ceiba.RuleSet.from_tree(tree, [[1.0], [2.0]], [1.0, 2.0])


def test_weights_whose_square_is_infinite_give_rules():
    X, y = load_iris(return_X_y=True)
    rules = ceiba.RuleSet().fit(X, y, sample_weight=np.full(150, 2.0**990))
    assert len(rules.rules_) == 4
    assert rules.score(X, y) > 0.95


@pytest.mark.parametrize(("tree", "hint"), [(ceiba.c45(), "Fit it first"), ("tree", "got 'tree'")])
def test_from_tree_of_something_else_is_refused(tree, hint):
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ceiba.errors.DataTypeError, match=hint):
        ceiba.RuleSet.from_tree(tree, X, y)


def test_several_outputs_are_refused():
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ceiba.OptionError, match="single-output"):
        ceiba.RuleSet().fit(X, np.column_stack([y, y]))


def test_rules_for_a_class_that_is_not_there_is_refused():
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ceiba.OptionError, match="must be a class, got 7. Classes: 0, 1, 2"):
        ceiba.RuleSet().fit(X, y).rules_for(7)
