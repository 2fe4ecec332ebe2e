"""Whole trees of the teaching documents: the sine, breast cancer, baseball salaries."""

from __future__ import annotations

import math

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer

import ceiba
from tests.oracle.load import read_csv


@pytest.fixture(scope="module")
def sine():
    x = np.linspace(-5, 5, 100)
    y = np.sin(x) + 0.3 * np.cos(3 * x)
    return ceiba.DecisionTreeRegressor(max_depth=3).fit(x[:, None], y)


def test_sine_tree_of_depth_3_has_8_leaves(sine):
    assert sine.get_n_leaves() == 8


def test_sine_tree_says_1_088_at_minus_4_5(sine):
    assert sine.predict([[-4.5]])[0] == pytest.approx(1.0882179440205415, rel=1e-12)


def test_sine_tree_puts_minus_4_5_in_node_4(sine):
    assert sine.apply([[-4.5]])[0] == 4


def test_sine_tree_has_the_sizes_and_cuts_of_the_notes(sine):
    tree = sine.tree_
    assert tree.n_rows[tree.leaves].tolist() == [3, 9, 1, 1, 16, 16, 33, 21]
    cuts = np.sort(tree.splits.cut[~np.isnan(tree.splits.cut)])
    expected = [
        -4.74747474,
        -3.83838383,
        -3.73737373,
        -3.63636363,
        -2.02020202,
        -0.4040404,
        2.92929293,
    ]
    assert cuts == pytest.approx(expected, rel=1e-7)


@pytest.mark.parametrize("criterion", ["gini", "entropy"])
def test_full_breast_cancer_tree_makes_no_error_in_training(criterion):
    X, y = load_breast_cancer(return_X_y=True)
    model = ceiba.DecisionTreeClassifier(criterion=criterion).fit(X, y)
    assert model.score(X, y) == 1.0


@pytest.fixture(scope="module")
def hitters(oracle_folder):
    table = read_csv("Hitters.csv", "Hitters")
    rows = [i for i, salary in enumerate(table["Salary"].values) if salary is not None]
    X = {name: list(table[name].at(rows).values) for name in ("Years", "Hits")}
    y = [math.log(salary) for salary in table["Salary"].at(rows).values]
    return ceiba.DecisionTreeRegressor(max_leaf_nodes=3).fit(X, y)


def test_hitters_tree_has_three_regions(hitters):
    tree = hitters.tree_
    assert tree.n_rows[tree.leaves].tolist() == [90, 90, 83]
    assert tree.splits.cut[~np.isnan(tree.splits.cut)].tolist() == [4.5, 117.5]


def test_hitters_regions_have_the_mean_log_salaries_of_the_slides(hitters):
    values = hitters.tree_.value[hitters.tree_.leaves, 0, 0]
    assert values == pytest.approx([5.106789605997372, 5.998379847408762, 6.739686922104513], 1e-12)


def test_player_with_6_years_and_80_hits_is_in_the_second_region(hitters):
    salary = hitters.predict({"Years": [6.0], "Hits": [80.0]})[0]
    assert salary == pytest.approx(5.998379847408762, rel=1e-12)
