"""Trees grown by hand: the root alone, leaf by leaf, under rules for columns."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import ceiba
from ceiba.errors import CeibaError
from tests.studio.random_work import frame

OPTIONS: list[tuple[str, dict[str, Any]]] = [
    ("buys", {}),
    ("buys", {"missing": "surrogate", "max_depth": 4}),
    ("buys", {"missing": "fractional", "criterion": "entropy"}),
    ("buys", {"class_prior": {"no": 0.8, "yes": 0.2}, "min_samples_leaf": 4}),
    ("amount", {"max_depth": 3}),
    ("amount", {"monotonic_cst": {"count": 1}, "max_depth": 4}),
    ("buys", {"min_significance": 0.2}),
    ("buys", {"criterion": "gain_ratio", "missing": "majority", "max_depth": 3}),
]


def fitted(target: str, options: dict[str, Any]) -> tuple[Any, Any, str]:
    data = frame(11)
    kind = ceiba.DecisionTreeRegressor if target == "amount" else ceiba.DecisionTreeClassifier
    return kind(**options), data, target


@pytest.mark.parametrize(("target", "options"), OPTIONS, ids=range(len(OPTIONS)))
def test_root_grown_to_the_end_is_the_fitted_tree(target: str, options: dict[str, Any]) -> None:
    model, X, y = fitted(target, options)
    whole = model.fit(X, y)
    root = model.fit_root(X, y)
    assert root.tree_.n_nodes == 1
    assert root.tree_ == replace(whole.collapse(0).tree_, tests=None)
    assert root.grow_leaves(0, X, y).tree_ == whole.tree_
    assert root.regrow(0, X, y).tree_ == whole.tree_


@pytest.mark.parametrize(("target", "options"), OPTIONS[:5], ids=range(5))
def test_growing_level_by_level_gives_the_same_tree(target: str, options: dict[str, Any]) -> None:
    model, X, y = fitted(target, options)
    whole = model.fit(X, y).tree_
    by_levels = model.fit_root(X, y)
    for _ in range(whole.depth):
        by_levels = by_levels.grow_leaves(0, X, y, levels=1)
    made = by_levels.tree_
    assert _splits(made) == _splits(whole)
    np.testing.assert_allclose(made.value, whole.value, rtol=1e-12, atol=1e-15)
    if options.get("missing") != "fractional":  # parts of rows are multiplied in another order
        assert made == whole


def _splits(tree: ceiba.Tree) -> list[Any]:
    return [tree.node(i).split for i in range(tree.n_nodes)]


def test_set_split_with_levels_grows_so_many() -> None:
    model, X, y = fitted("buys", {})
    root = model.fit_root(X, y)
    for levels in range(4):
        tree = root.set_split(0, "city = Oslo", X, y, levels=levels).tree_
        assert tree.depth == 1 + levels
    whole = root.set_split(0, "city = Oslo", X, y)
    assert (
        root.set_split(0, "city = Oslo", X, y, levels=0).grow_leaves(0, X, y).tree_ == whole.tree_
    )


def test_forbidden_columns_are_not_asked_at_and_below_the_node() -> None:
    model, X, y = fitted("buys", {})
    start = model.fit_root(X, y).set_split(0, "city = Oslo", X, y, levels=0)
    grown = start.forbid(2, ["amount", "x <= 1"]).grow_leaves(0, X, y).tree_
    at = int(grown.branch_node[1])
    below = grown.splits.column[at : grown.subtree_end[at]]
    asked = [grown.schema.names[j] for j in below.tolist() if j >= 0]
    assert asked
    assert not {"amount", "x <= 1"} & set(asked)
    left = [grown.schema.names[j] for j in grown.splits.column[1:2] if j >= 0]
    assert left  # the other branch is free


def test_forbidding_is_growing_without_the_column() -> None:
    """The same splits as on a table that does not have it."""
    model, X, y = fitted("buys", {"max_depth": 4})
    less = {name: values for name, values in X.items() if name != "amount"}
    expected = model.fit(less, y).tree_
    made = model.fit_root(X, y).forbid(0, "amount").grow_leaves(0, X, y).tree_
    names = [made.schema.names[j] if j >= 0 else None for j in made.splits.column]
    known = [expected.schema.names[j] if j >= 0 else None for j in expected.splits.column]
    assert names == known
    np.testing.assert_array_equal(made.splits.cut, expected.splits.cut)
    np.testing.assert_array_equal(made.value, expected.value)
    np.testing.assert_array_equal(made.gain, expected.gain)


def test_preferred_column_is_asked_wherever_it_gains() -> None:
    model, X, y = fitted("buys", {})
    grown = model.fit_root(X, y).prefer(0, "count").grow_leaves(0, X, y).tree_
    column = grown.schema.index("count")
    for node in np.flatnonzero(~grown.is_leaf).tolist():
        if grown.splits.column[node] == column:
            continue
        rows = grown.rows(node, {name: v for name, v in X.items() if name != "buys"})
        counts = [X["count"][k] for k in rows.tolist()]
        labels = [X["buys"][k] for k in rows.tolist()]
        assert ceiba.gain(counts, labels) == pytest.approx(0, abs=1e-9)
    assert grown.splits.column[0] == column


def test_rules_survive_edits_and_the_model_file(tmp_path: Any) -> None:
    model, X, y = fitted("buys", {})
    start = model.fit_root(X, y).set_split(0, "city = Oslo", X, y, levels=0)
    ruled = start.forbid(2, ["amount"]).prefer(1, "count").annotate(2, note="kept").seal(1)
    changed = ruled.regrow(2, X, y, levels=2)
    note = changed.tree_.node(2).note
    assert (note.forbid, note.note) == (("amount",), "kept")
    assert changed.grow_leaves(0, X, y).tree_.node(1).is_leaf  # sealed
    changed.save(tmp_path / "a.ceiba")
    assert ceiba.load(tmp_path / "a.ceiba").tree_.notes == changed.tree_.notes
    assert "forbidden from here on: amount" in changed.tree_.to_text()
    assert ruled.seal(1, False).grow_leaves(0, X, y).tree_.n_nodes > ruled.tree_.n_nodes
    assert ruled.forbid(2, []).tree_.node(2).note.forbid is None


def test_copied_splits_are_the_same_questions_of_other_rows() -> None:
    model, X, y = fitted("buys", {})
    start = model.fit_root(X, y).set_split(0, "count <= 2", X, y, levels=0)
    start = start.set_split(1, "city = Oslo", X, y, levels=0)
    start = start.set_split(2, "w <= 1.1", X, y, levels=0)
    other = int(start.tree_.branch_node[1])
    made = start.copy_splits(1, other, X, y).tree_
    expected = start.set_split(other, "city = Oslo", X, y, levels=0)
    expected = expected.set_split(other + 1, "w <= 1.1", X, y, levels=0)
    assert made == expected.tree_


@pytest.mark.parametrize(
    "change",
    [
        lambda model, X, y: model.forbid(0, ["nobody"]),
        lambda model, X, y: model.forbid(0, [name for name in X if name != "buys"]),
        lambda model, X, y: model.prefer(99, ["city"]),
        lambda model, X, y: model.seal(99),
        lambda model, X, y: model.copy_splits(0, 0, X, y),
        lambda model, X, y: model.copy_splits(1, 2, X, y),
        lambda model, X, y: model.grow_leaves(0, X, y, levels=-1),
        lambda model, X, y: model.set_split(0, "city = Oslo", X, y, levels=True),
    ],
    ids=range(8),
)
def test_mistakes_are_refused(change: Any) -> None:
    model, X, y = fitted("buys", {})
    start = model.fit_root(X, y).set_split(0, "city = Oslo", X, y, levels=0)
    with pytest.raises(CeibaError):
        change(start, X, y)
