"""The pruning sequences of the monograph on iris, exactly, and their leave-one-out errors."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from sklearn.datasets import load_iris

import ceiba
from ceiba.prune import prune_tree
from ceiba.prune.cost_complexity import pruning_sequence

PETALS = [2, 3]
ALL = [0, 1, 2, 3]


@pytest.fixture(scope="module")
def iris():
    return load_iris(return_X_y=True)


def full_tree(X, y):
    return ceiba.DecisionTreeClassifier().fit(X, y).tree_


@pytest.fixture(scope="module")
def petals(iris):
    return full_tree(iris[0][:, PETALS], iris[1])


@pytest.fixture(scope="module")
def every(iris):
    return full_tree(*iris)


def exactly(*values):
    return [float(Fraction(value)) for value in values]


# --- two columns


def test_full_tree_of_the_petals_has_8_leaves_and_1_error(iris, petals):
    assert petals.n_leaves == 8
    assert round(float(petals.risk[petals.leaves].sum()) * 150) == 1


def test_petal_sequence_has_7_4_3_2_1_leaves(petals):
    assert pruning_sequence(petals).n_leaves.tolist() == [7, 4, 3, 2, 1]


def test_petal_alphas_are_the_exact_fractions(petals):
    expected = exactly("0", "1/150", "1/75", "22/75", "1/3")
    assert pruning_sequence(petals).alpha.tolist() == pytest.approx(expected, rel=1e-15)


def test_petal_risks_are_1_4_6_50_100_errors_of_150(petals):
    errors = pruning_sequence(petals).risk * 150
    assert errors.tolist() == pytest.approx([1, 4, 6, 50, 100], rel=1e-13)


def test_petal_alphas_between_are_those_of_the_monograph(petals):
    between = pruning_sequence(petals).alpha_between
    assert between.tolist() == pytest.approx([0, 0.00943, 0.06254, 0.31269], abs=5e-6)


def test_alpha_at_a_step_gives_the_smaller_tree(petals):
    """T(alpha) is the smallest of the optimal trees: at 1/75 itself it has 3 leaves."""
    assert prune_tree(petals, 1 / 75).n_leaves == 3
    assert prune_tree(petals, np.nextafter(1 / 75, 0)).n_leaves == 4


# --- four columns


def test_full_tree_of_all_columns_has_9_leaves_and_no_error(every):
    assert every.n_leaves == 9
    assert every.risk[every.leaves].sum() == 0


def test_sequence_of_all_columns_has_9_7_4_3_2_1_leaves(every):
    assert pruning_sequence(every).n_leaves.tolist() == [9, 7, 4, 3, 2, 1]


def test_alphas_of_all_columns_are_the_exact_fractions(every):
    expected = exactly("0", "1/300", "1/150", "1/75", "22/75", "1/3")
    assert pruning_sequence(every).alpha.tolist() == pytest.approx(expected, rel=1e-15)


def test_alphas_between_of_all_columns_are_those_of_the_monograph(every):
    between = pruning_sequence(every).alpha_between
    expected = [0, 0.004714, 0.009428, 0.062538, 0.31269]
    assert between.tolist() == pytest.approx(expected, abs=5e-6)


def test_splits_of_all_columns_are_those_of_the_first_column_on_ties(every):
    """Petal length 2.45, petal width 1.75, ..., sepal length 6.95 and 5.95 where columns tie."""
    inner = np.flatnonzero(every.splits.column >= 0)
    got = [(int(every.splits.column[i]), round(float(every.splits.cut[i]), 3)) for i in inner]
    expected = [
        (2, 2.45),
        (3, 1.75),
        (2, 4.95),
        (3, 1.65),
        (3, 1.55),
        (0, 6.95),
        (2, 4.85),
        (0, 5.95),
    ]
    assert got == expected


# --- leave one out: one tree per row, pruned at every alpha'


def leave_one_out_errors(X, y):
    between = pruning_sequence(full_tree(X, y)).alpha_between
    errors = np.zeros(len(between), int)
    for row in range(len(y)):
        keep = np.arange(len(y)) != row
        tree = full_tree(X[keep], y[keep])
        for k, alpha in enumerate(between):
            errors[k] += prune_tree(tree, alpha).predict(X[row : row + 1])[0] != y[row]
    return errors.tolist()


def test_leave_one_out_errors_of_the_petals_are_7_8_7_100(iris):
    assert leave_one_out_errors(iris[0][:, PETALS], iris[1]) == [7, 8, 7, 100]


def test_leave_one_out_errors_of_all_columns_are_9_8_8_7_100(iris):
    """The monograph prints 0.0625 for the third, which is not a count of 150; it is 8 of 150."""
    assert leave_one_out_errors(*iris) == [9, 8, 8, 7, 100]
