"""A chain of 100,000 levels: nothing recurses on depth."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import ceiba
from ceiba.table import ColumnInfo, Kind, Schema, TargetInfo
from ceiba.tree import SplitTable, Tree, check

LEVELS = 100_000


@pytest.fixture(scope="module")
def chain() -> Tree:
    """Node 2k asks `x <= k`; its first branch is leaf 2k + 1, the chain goes on in the second."""
    n = 2 * LEVELS + 1
    inner = np.arange(0, n - 1, 2)
    parent = np.full(n, -1)
    parent[1::2] = parent[2::2] = inner
    column, cut = np.full(n, -1), np.full(n, np.nan)
    column[inner], cut[inner] = 0, np.arange(LEVELS)
    target = TargetInfo(name="y", task="regression", classes=(), n_outputs=1)
    info = ColumnInfo(name="x", kind=Kind.NUMERIC)
    return ceiba.tree.from_arrays(
        Schema(columns=(info,), target=target, named=True),
        parent=parent,
        splits=SplitTable.cuts(column, cut),
        value=np.arange(n, dtype=float),
    )


def test_chain_from_arrays_is_deep_and_whole(chain: Tree) -> None:
    check(chain)
    assert (chain.depth, chain.n_leaves) == (LEVELS, LEVELS + 1)


def test_chain_from_literal_is_deep() -> None:
    literal: object = "end"
    levels = 3000  # more than Python would recurse
    for k in range(levels):
        literal = (f"x <= {levels - k}", "out", literal)
    tree = ceiba.tree.build(literal)
    assert tree.depth == levels
    assert tree.predict({"x": [levels + 1.0, 3.0]}).tolist() == ["end", "out"]


def test_chain_predicts(chain: Tree) -> None:
    assert chain.predict({"x": [-1.0, 5.5, 1e9]}).tolist() == [1.0, 13.0, 2.0 * LEVELS]


def test_chain_decision_path_is_the_whole_chain(chain: Tree) -> None:
    assert chain.decision_path({"x": [1e9]}).nnz == LEVELS + 1


def test_chain_path_of_last_leaf_has_all_steps(chain: Tree) -> None:
    assert len(chain.path(2 * LEVELS)) == LEVELS


def test_chain_collapses(chain: Tree) -> None:
    assert chain.collapse(1000).depth == 500


def test_chain_recounts(chain: Tree) -> None:
    got = chain.refit_leaves({"x": [0.5, 1e9]}, [1.0, 3.0])
    assert got.value[0, 0, 0] == 2.0
    assert got.n_rows[2 * LEVELS] == 1


def test_chain_pickles(chain: Tree) -> None:
    assert pickle.loads(pickle.dumps(chain)) == chain


def test_chain_prints_folded_below_depth_30(chain: Tree) -> None:
    lines = str(chain).splitlines()
    assert len(lines) == 62
    assert lines[-1].strip() == f"└─ … +{LEVELS - 29} leaves"


def test_chain_goes_to_scikit_learn(chain: Tree) -> None:
    assert chain.to_sklearn().get_depth() == LEVELS
