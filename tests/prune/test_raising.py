"""Pruning by pessimistic errors in the core against the plain Python reference."""

from __future__ import annotations

from statistics import NormalDist

import numpy as np
import pytest
from sklearn.base import clone

import ceiba
from ceiba import _core
from ceiba.grow.problem import Problem
from ceiba.prune.pessimistic import prune_by_errors
from tests.reference.raising import added_errors, collapse_useless, pruned_by_errors


def mixed_table(rng, n, missing):
    """Columns of levels and numbers, and a target that they say something of."""
    level, other = rng.integers(0, 4, n), rng.integers(0, 7, n)
    x, z = rng.normal(size=n).round(1), rng.uniform(size=n).round(2)
    score = (level == 1) * 1.5 + (other > 3) * (x > 0) - (z > 0.6) + rng.normal(size=n)
    y = np.digitize(score, [0.0, 1.2])
    X = {
        "level": np.array(list("abcd"), object)[level],
        "other": np.array(list("pqrstuv"), object)[other],
        "x": x,
        "z": z,
    }
    if missing:
        for name in X:
            gone = rng.random(n) < missing
            X[name][gone] = np.nan if X[name].dtype.kind == "f" else None
    return X, np.array(["no", "maybe", "yes"])[y]


RECIPES = {
    "c45": ceiba.c45(prune=None),
    "c45 -B": ceiba.c45(categorical_splits="binary", prune=None),
    "no empty branches": ceiba.c45(categorical_splits=ceiba.Multiway(), prune=None),
    "unseen to the majority": ceiba.c45(
        unseen="majority", categorical_splits=ceiba.Multiway(), prune=None
    ),
    "default branches": ceiba.DecisionTreeClassifier(min_samples_leaf=2),
    "surrogates": ceiba.DecisionTreeClassifier(missing="surrogate", min_samples_leaf=3),
    "rows that stay": ceiba.DecisionTreeClassifier(
        missing=ceiba.Surrogates(keep=0, otherwise="stay"), min_samples_leaf=3
    ),
}


@pytest.mark.parametrize("recipe", list(RECIPES))
@pytest.mark.parametrize("missing", [0.0, 0.1, 0.4])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("seed", range(2))
def test_core_prunes_as_the_reference_does(recipe, missing, weighted, seed):
    rng = np.random.default_rng(seed)
    X, y = mixed_table(rng, 250, missing)
    weight = rng.choice([0.0, 0.5, 1.0, 2.5], 250) if weighted else None
    grown = clone(RECIPES[recipe]).fit(X, y, sample_weight=weight).tree_
    problem = Problem.like(grown, X, y, weight)
    collapsed = collapse_useless(grown)
    assert prune_by_errors(grown, problem, None) == collapsed
    for confidence in (0.25, 0.05, 0.5):
        expected = pruned_by_errors(collapsed, problem, confidence)
        got = prune_by_errors(grown, problem, confidence)
        assert got.splits == expected.splits
        assert got.parent.tolist() == expected.parent.tolist()
        assert got.n_rows.tolist() == expected.n_rows.tolist()
        for name in ("counts", "value", "weight", "impurity", "gain", "risk"):
            assert getattr(got, name) == pytest.approx(getattr(expected, name), abs=1e-9), name
        plain = pruned_by_errors(collapsed, None, confidence, raising=False)
        assert prune_by_errors(grown, None, confidence) == plain


def test_tables_of_the_test_raise_branches():
    """The comparison would say little if no branch were ever raised."""
    raised = 0
    for seed in range(3):
        X, y = mixed_table(np.random.default_rng(seed), 250, 0.1)
        grown = ceiba.c45(prune=None).fit(X, y).tree_
        with_raising = prune_by_errors(grown, Problem.like(grown, X, y), 0.25)
        raised += with_raising != prune_by_errors(grown, None, 0.25)
    assert raised >= 2


@pytest.mark.parametrize("confidence", [0.5, 0.25, 0.01])
def test_added_errors_are_those_of_the_definition(confidence):
    z = NormalDist().inv_cdf(1 - confidence)
    rng = np.random.default_rng(1)
    pairs = [(t, t * share) for t in (0.0, 0.3, 1.0, 7.5, 400.0) for share in (0, 0.1, 0.5, 0.99)]
    pairs += [(float(t), float(t * s)) for t, s in rng.uniform(size=(50, 2)) * [60, 1]]
    for total, errors in pairs:
        got = _core.added_errors(total, errors, confidence, z)
        assert got == pytest.approx(added_errors(total, errors, confidence), abs=1e-12)


def test_pruning_a_long_chain_does_not_recurse():
    X = np.arange(4000.0)[:, None]
    y = np.arange(4000) % 2
    tree = ceiba.DecisionTreeClassifier(max_leaf_nodes=3000).fit(X, y).tree_
    assert tree.depth > 2000
    pruned = prune_by_errors(tree, Problem.like(tree, X, y), 0.25)
    assert pruned.n_leaves < 10  # half of the rows are wrong whatever it asks
