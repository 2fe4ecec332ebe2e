"""Monotone limits change predictions, never the counts of the rows."""

import numpy as np
import pytest

import ceiba


def problem(seed, classes):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(250, 3))
    y = X[:, 0] + np.sin(3 * X[:, 1]) + rng.normal(size=250)
    return X, (y > 0).astype(int) if classes else y


@pytest.mark.parametrize("seed", range(3))
def test_counts_are_those_of_the_rows_and_risk_that_of_the_answer(seed):
    X, y = problem(seed, classes=True)
    tree = ceiba.DecisionTreeClassifier(monotonic_cst=[1, -1, 0]).fit(X, y).tree_
    inside = tree.decision_path(X).toarray().astype(bool)
    moved = 0
    for i in range(tree.n_nodes):
        own = np.bincount(y[inside[:, i]], minlength=2)
        assert tree.counts[i, 0].tolist() == own.tolist()
        answer = tree.value[i, 0].argmax()
        assert tree.risk[i] * len(y) == pytest.approx(own.sum() - own[answer])
        moved += abs(tree.value[i, 0, 1] - own[1] / own.sum()) > 1e-9
    assert moved > 20  # limits were met


@pytest.mark.parametrize("criterion", ["squared_error", "poisson"])
def test_risk_of_numbers_is_about_the_answer(criterion):
    X, y = problem(0, classes=False)
    y = y if criterion == "squared_error" else np.floor(np.abs(y) * 2)
    model = ceiba.DecisionTreeRegressor(criterion=criterion, monotonic_cst=[1, -1, 0])
    tree = model.fit(X, y).tree_
    inside = tree.decision_path(X).toarray().astype(bool)
    for i in range(tree.n_nodes):
        own, answer = y[inside[:, i]], tree.value[i, 0, 0]
        if criterion == "squared_error":
            loss = ((own - answer) ** 2).sum()
        else:
            events = own[own > 0]
            loss = (events * np.log(events / answer)).sum() - own.sum() + len(own) * answer
        assert tree.risk[i] * len(y) == pytest.approx(loss, abs=1e-9)


@pytest.mark.parametrize("prior", [None, {0: 0.3, 1: 0.7}])
def test_subtree_grown_by_hand_meets_the_limits_of_the_whole(prior):
    X, y = problem(1, classes=True)
    model = ceiba.DecisionTreeClassifier(
        monotonic_cst=[1, -1, 0], class_prior=prior, max_depth=4, min_samples_leaf=5
    ).fit(X, y)
    node = max(
        (n for n in model.tree_.nodes if n.depth == 2 and not n.is_leaf), key=lambda n: n.n_rows
    )
    again = model.regrow(node.id, X, y).tree_
    np.testing.assert_allclose(again.predict_proba(X), model.predict_proba(X))
