"""Trees whose arrays are created on first use are indistinguishable from others."""

from __future__ import annotations

import copy
import gc
import pickle
import weakref
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import ceiba

rng = np.random.default_rng(0)
X, Y = rng.normal(size=(60, 3)), rng.integers(0, 3, 60)


def fresh() -> ceiba.Tree:
    return ceiba.DecisionTreeClassifier().fit(X, Y).tree_


@pytest.mark.parametrize(
    "copied", [copy.copy, copy.deepcopy, lambda t: pickle.loads(pickle.dumps(t))]
)
def test_copy_of_a_tree_nobody_looked_at_is_equal(copied):
    assert copied(fresh()) == fresh()


def test_unknown_name_is_an_attribute_error_and_makes_nothing():
    tree = fresh()
    with pytest.raises(AttributeError, match="no attribute 'branches'"):
        tree.branches  # noqa: B018
    assert not hasattr(tree, "colour")
    assert "parent" not in tree.__dict__


def test_arrays_are_read_only_and_made_once():
    tree = fresh()
    assert tree.parent is tree.parent
    assert not tree.value.flags.writeable
    assert not tree.splits.cut.flags.writeable
    tree.node_depth  # noqa: B018
    ceiba.tree.check(tree)


def test_threads_that_ask_together_get_the_same_tree():
    expected = fresh().gain.tolist()
    for _ in range(20):
        tree = fresh()
        with ThreadPoolExecutor(4) as pool:
            results = list(pool.map(lambda _, t=tree: t.gain.tolist(), range(4)))
        assert results == [expected] * 4


def test_tree_keeps_neither_the_table_nor_the_estimator():
    mine = X.copy()
    model = ceiba.DecisionTreeClassifier().fit(mine, Y)
    tree, table_gone, model_gone = model.tree_, weakref.ref(mine), weakref.ref(model)
    del mine, model
    gc.collect()
    assert table_gone() is None
    assert model_gone() is None
    assert tree.n_rows[0] == 60
    assert tree.schema.columns[1].maximum == X[:, 1].max()
