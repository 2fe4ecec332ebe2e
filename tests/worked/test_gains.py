"""Impurities and gains that the teaching documents compute by hand.

Where a document misprints a figure, the exact one stands here (the oracle's `worked_examples.json`
has the verdicts).
"""

from __future__ import annotations

import json

import pytest
from sklearn.datasets import load_diabetes, load_iris

import ceiba
from ceiba.inspection import split_curve, split_table
from tests.oracle.load import read_csv

# The restaurant of Russell and Norvig: who is there, what is cooked, whether we wait.
NAMES = {"S": "Some", "F": "Full", "N": "None"}
PATRONS = [NAMES[letter] for letter in "SFSFFSNSFFNF"]
KITCHENS = {"F": "French", "T": "Thai", "B": "Burger", "I": "Italian"}
TYPE = [KITCHENS[letter] for letter in "FTBTFIBTBITB"]
WAIT = ["Yes", "No", "Yes", "Yes", "No", "Yes", "No", "Yes", "No", "No", "No", "Yes"]

PETAL_LENGTH, PETAL_WIDTH = 2, 3


@pytest.fixture(scope="module")
def iris():
    return load_iris(return_X_y=True)


@pytest.fixture(scope="module")
def worked(oracle_folder):
    return json.loads((oracle_folder / "worked_examples.json").read_text("utf-8"))


# --- the restaurant


def test_entropy_of_six_yes_and_six_no_is_one_bit():
    assert ceiba.impurity(WAIT, "entropy") == 1.0


def test_gain_of_patrons_is_0_541_bits():
    gain = ceiba.gain(PATRONS, WAIT, split="multiway", criterion="entropy")
    assert gain == pytest.approx(0.5408520829727552, rel=1e-13)


def test_gain_of_type_is_nothing():
    assert ceiba.gain(TYPE, WAIT, split="multiway", criterion="entropy") == 0.0


def test_gain_of_every_restaurant_attribute_equals_the_exact_one(worked):
    table = read_csv("restaurant.csv", "restaurant")
    y = table["WillWait"].values
    for name, figures in worked["restaurant"]["root"].items():
        gain = ceiba.gain(table[name].values, y, split="multiway", criterion="entropy")
        assert gain == pytest.approx(figures["gain_bits"], rel=1e-12, abs=1e-15), name


# --- where the cuts are


def test_candidate_cuts_of_1_3_4_5_are_2_and_3_5_and_4_5():
    assert split_curve([1, 3, 4, 5], ["a", "b", "a", "b"])["cut"].tolist() == [2.0, 3.5, 4.5]


def test_best_cut_of_one_odd_label_costs_0_459_bits_after_three_elements():
    """`corte_var` of the course notes: the labels 0 0 1 0 0 0."""
    curve = split_curve([0, 1, 2, 3, 4, 5], [0, 0, 1, 0, 0, 0], criterion="entropy")
    best = int(curve["cost"].argmin())
    assert curve["n_left"][best] == 3
    assert curve["cost"][best] == pytest.approx(0.4591479170272448, rel=1e-13)


def test_cut_before_the_odd_label_costs_0_541_bits():
    curve = split_curve([0, 1, 2, 3, 4, 5], [0, 0, 1, 0, 0, 0], criterion="entropy")
    assert curve.row(1)["cost"] == pytest.approx(0.5408520829727552, rel=1e-13)


# --- iris: figure 6 of the monograph, and the post on CART


def test_gini_of_the_iris_root_and_its_two_sons(iris):
    _, y = iris
    assert ceiba.impurity(y) == pytest.approx(2 / 3, rel=1e-15)
    assert ceiba.impurity(y[y == 0]) == 0.0
    assert ceiba.impurity(y[y > 0]) == 0.5


def test_gain_of_petal_length_2_45_is_one_third(iris):
    X, y = iris
    assert ceiba.gain(X[:, PETAL_LENGTH], y, split=2.45) == pytest.approx(1 / 3, rel=1e-14)


def test_gain_of_petal_width_1_75_is_1981_of_7176(iris):
    X, y = iris
    assert ceiba.gain(X[:, PETAL_WIDTH], y, split=1.75) == pytest.approx(1981 / 7176, rel=1e-13)


@pytest.mark.parametrize(("criterion", "gain"), [("gini", 1 / 3), ("entropy", 0.9182958340544894)])
def test_iris_root_is_petal_length_2_45(iris, criterion, gain):
    X, y = iris
    tree = ceiba.DecisionTreeClassifier(criterion=criterion).fit(X, y).tree_
    assert (tree.splits.column[0], tree.splits.cut[0]) == (PETAL_LENGTH, pytest.approx(2.45))
    assert tree.gain[0] == pytest.approx(gain, rel=1e-13)


def test_petal_length_and_width_tie_and_the_first_column_comes_first(iris):
    X, y = iris
    table = split_table(X, y)
    assert table["gain"][0] == table["gain"][1] == pytest.approx(1 / 3, rel=1e-14)
    assert table["column"].tolist()[:2] == ["x2", "x3"]


# --- diabetes: the best cut of each column


def test_best_first_column_of_diabetes_is_number_8():
    X, y = load_diabetes(return_X_y=True)
    tree = ceiba.DecisionTreeRegressor(max_depth=1).fit(X, y).tree_
    assert tree.splits.column[0] == 8


def test_best_cut_of_every_diabetes_column(worked):
    X, y = load_diabetes(return_X_y=True)
    table = split_table(X, y, criterion="squared_error")
    rows = {table["column"][i]: table.row(i) for i in range(10)}
    for figures in worked["diabetes_root_all_442_rows"]["per_variable"]:
        row = rows[f"x{figures['index']}"]
        assert row["cost"] == pytest.approx(figures["weighted_variance"], rel=1e-9)
        assert row["sizes"][0] == figures["n_left"]
