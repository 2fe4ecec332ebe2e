"""Cost-complexity pruning: exact ties, risks of both kinds, priors and costs, several outputs."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.tree import DecisionTreeRegressor as TheirRegressor

import ceiba
from ceiba import DecisionTreeClassifier, DecisionTreeRegressor, OptionError
from ceiba.prune import collapse_alpha, prune_tree, pruning_path, pruning_sequence


@pytest.fixture(scope="module")
def petals():
    X, y = load_iris(return_X_y=True)
    return DecisionTreeClassifier().fit(X[:, 2:], y).tree_


@pytest.fixture(scope="module")
def cancer():
    return DecisionTreeClassifier().fit(*load_breast_cancer(return_X_y=True)).tree_


def test_alphas_of_counts_are_exact_fractions(petals):
    found = collapse_alpha(petals)
    inner = found[~petals.is_leaf]
    assert set(inner * 150) <= {0.0, 1.0, 2.0, 44.0, 50.0}


def test_alpha_of_a_leaf_is_infinite(petals):
    assert np.isinf(collapse_alpha(petals)[petals.leaves]).all()


@pytest.mark.parametrize("risk", ["cost", "impurity"])
def test_alpha_below_a_node_is_never_larger(cancer, risk):
    found = collapse_alpha(cancer, risk=risk)
    inner = np.flatnonzero(~cancer.is_leaf)[1:]
    assert (found[inner] <= found[cancer.parent[inner]]).all()


def test_prune_gives_a_new_tree_and_keeps_the_old(petals):
    leaves = petals.n_leaves
    pruned = prune_tree(petals, 0.1)
    assert petals.n_leaves == leaves
    assert pruned.n_leaves < leaves


def test_prune_at_alpha_zero_removes_splits_without_use(petals):
    assert petals.n_leaves == 8
    assert prune_tree(petals, 0).n_leaves == 7


def test_prune_at_infinity_leaves_the_root(petals):
    assert prune_tree(petals, np.inf).n_nodes == 1


@pytest.mark.parametrize("alpha", [-1e-9, float("nan")])
def test_alpha_that_is_no_cost_is_refused(petals, alpha):
    with pytest.raises(OptionError, match="at least 0"):
        prune_tree(petals, alpha)


def test_risk_of_another_name_is_refused(petals):
    with pytest.raises(OptionError, match="'cost' or 'impurity'"):
        pruning_sequence(petals, risk="deviance")


def test_risks_of_the_steps_are_those_of_the_pruned_trees(cancer):
    steps = pruning_sequence(cancer)
    trees = [prune_tree(cancer, alpha) for alpha in steps.alpha]
    assert steps.n_leaves.tolist() == [tree.n_leaves for tree in trees]
    assert steps.risk == pytest.approx([tree.tree_risk for tree in trees], abs=1e-14)


def test_impurity_steps_are_those_of_the_pruned_trees(cancer):
    steps = pruning_sequence(cancer, risk="impurity")
    # a little above each alpha: alphas of impurities are rounded
    trees = [prune_tree(cancer, alpha + 1e-12, risk="impurity") for alpha in steps.alpha]
    assert steps.n_leaves[-3:].tolist() == [tree.n_leaves for tree in trees[-3:]]
    assert steps.risk == pytest.approx([tree.tree_impurity for tree in trees], abs=1e-10)


def test_sequence_of_a_single_leaf_has_one_step():
    tree = DecisionTreeClassifier().fit([[1], [2]], ["a", "a"]).tree_
    steps = pruning_sequence(tree)
    assert (steps.alpha.tolist(), steps.n_leaves.tolist(), len(steps)) == ([0.0], [1], 1)


def test_sequence_prints_with_a_legend(petals):
    text = str(pruning_sequence(petals))
    assert text.splitlines()[1].split() == ["alpha", "n_leaves", "risk"]
    assert "of the root 0.666667" in text


def test_sequence_turns_into_frames(petals):
    listing = pruning_sequence(petals).listing()
    assert listing.to_pandas()["n_leaves"].tolist() == [7, 4, 3, 2, 1]
    assert listing.to_polars()["n_leaves"].to_list() == [7, 4, 3, 2, 1]


def test_costs_change_what_is_pruned(petals):
    X, y = load_iris(return_X_y=True)
    costs = {(2, 1): 10.0}
    tree = DecisionTreeClassifier(cost_matrix=costs).fit(X[:, 2:], y).tree_
    steps = pruning_sequence(tree)
    assert steps.root_risk == pytest.approx(100 / 150)
    assert steps.n_leaves.tolist() != pruning_sequence(petals).n_leaves.tolist()


def test_priors_enter_the_risk():
    X, y = load_iris(return_X_y=True)
    tree = DecisionTreeClassifier(class_prior=[0.6, 0.2, 0.2]).fit(X, y).tree_
    assert pruning_sequence(tree).root_risk == pytest.approx(0.4)
    assert pruning_sequence(tree, risk="impurity").root_risk == pytest.approx(1 - 0.36 - 0.08)


def test_cost_of_several_outputs_is_refused():
    y = [["a", "x"], ["b", "x"], ["b", "y"]]
    tree = DecisionTreeClassifier().fit([[1], [2], [3]], y).tree_
    with pytest.raises(OptionError, match="one output"):
        prune_tree(tree, 0.1)
    assert prune_tree(tree, 10.0, risk="impurity").n_nodes == 1


def test_hand_written_tree_with_unknown_counts_uses_its_risks():
    tree = ceiba.tree.build(("x <= 2.5", "a", "b"))
    assert collapse_alpha(tree).shape == (3,)


def test_multiway_tree_prunes():
    X = {"color": ["r", "g", "b", "r", "g", "b", "w"], "n": [1, 2, 3, 4, 5, 6, 7]}
    y = ["a", "b", "a", "a", "b", "b", "b"]
    tree = DecisionTreeClassifier(categorical_splits="multiway").fit(X, y).tree_
    steps = pruning_sequence(tree)
    assert steps.n_leaves[-1] == 1
    assert (np.diff(steps.alpha) > 0).all()


def test_regression_cost_is_the_squared_error():
    X, y = load_diabetes(return_X_y=True)
    tree = DecisionTreeRegressor(max_depth=4).fit(X, y).tree_
    assert pruning_sequence(tree).root_risk == pytest.approx(np.var(y))


def test_path_of_scikit_learn_is_reproduced_entry_by_entry():
    X, y = load_diabetes(return_X_y=True)
    setting = {"max_depth": 5, "min_samples_leaf": 5}
    ours = pruning_path(DecisionTreeRegressor(**setting).fit(X, y).tree_)
    model = TheirRegressor(random_state=0, **setting)
    theirs = model.cost_complexity_pruning_path(X, y)
    assert ours[0] == pytest.approx(theirs.ccp_alphas, rel=1e-9, abs=1e-9)
    assert ours[1] == pytest.approx(theirs.impurities, rel=1e-9)


def test_path_starts_with_the_tree_as_it_is(petals):
    alphas, impurities = pruning_path(petals)
    assert alphas[0] == 0.0
    assert impurities[0] == pytest.approx(petals.tree_impurity)
    assert impurities[-1] == pytest.approx(2 / 3)


def test_chain_of_100_000_levels_prunes():
    n = 50_000
    parent = np.empty(2 * n + 1, np.int32)
    parent[0] = -1
    parent[1::2] = np.arange(0, 2 * n, 2)
    parent[2::2] = np.arange(0, 2 * n, 2)
    from ceiba import _core

    risk = np.empty(2 * n + 1)
    risk[0::2] = np.arange(n, -1, -1)
    risk[1::2] = 0
    assert len(_core.collapse_alphas(parent, risk)) == 2 * n + 1
