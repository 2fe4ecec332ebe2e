"""Intervals: one node for several cuts of a number, in trees, files, edits and what reads them.

The oracle is the chain of cuts that says the same (`expand_intervals`), and plain Python.
"""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pandas as pd
import pytest

import ceiba
from ceiba.errors import ModelFileError, TreeError
from ceiba.table.read_for_predict import read_like
from ceiba.tree import Cut, Intervals, SplitKind, build, check
from ceiba.tree.construct.expand_intervals import expand_intervals
from ceiba.tree.model_file.document import dumps, loads
from ceiba.tree.routing.trace import trace
from tests.tree.random_trees import random_rows, random_tree


def table(seed: int, n: int = 900) -> tuple[pd.DataFrame, Any]:
    """Numbers with holes and a target with steps along them."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "age": rng.integers(18, 90, n).astype(float),
            "income": np.exp(rng.normal(10, 1, n)),
            "score": rng.normal(size=n).round(1),
            "city": rng.choice(["Oslo", "Lima", "Rome"], n),
        }
    )
    step = np.digitize(X["age"], [30, 50, 70]) * 2 + np.digitize(X["score"], [-0.5, 0.5])
    step = step + (X["city"] == "Rome")
    for name in ("age", "income", "score"):
        hole = rng.random(n) < 0.1
        X.loc[hole, name] = np.nan
        step = np.where(hole & (name == "score"), 9, step)
    y = np.array(["a", "b", "c", "d"])[(step + (rng.random(n) < 0.2)).astype(int) % 4]
    return X, y


@pytest.fixture(scope="module", params=range(3))
def grown(request: pytest.FixtureRequest) -> tuple[Any, pd.DataFrame, Any]:
    X, y = table(request.param)
    return ceiba.chaid(max_depth=3, min_samples_leaf=15).fit(X, y), X, y


def test_chaid_max_depth_is_the_depth_of_numeric_trees() -> None:
    X, y = table(1)
    tree = ceiba.chaid(max_depth=2).fit(X[["age", "income", "score"]], y).tree_
    assert tree.depth == 2
    assert (tree.splits.kind == SplitKind.INTERVALS).any()
    assert not (tree.splits.kind == SplitKind.PRESENCE).any()
    assert tree.n_branches.max() > 2


def test_chaid_missing_values_that_stand_alone_are_the_last_branch() -> None:
    X, y = table(0)
    tree = ceiba.chaid(max_depth=2).fit(X[["score"]], y).tree_
    split = tree.node(0).split
    assert isinstance(split, Intervals)
    assert split.missing_branch
    assert split.sentence(split.n_branches - 1) == "score is missing"
    missing = X["score"].isna().to_numpy()
    last = tree.branch_node[tree.branch_start[1] - 1]
    assert tree.n_rows[last] == missing.sum()


def test_chaid_predicts_as_the_chain_of_cuts(grown: Any) -> None:
    model, X, _ = grown
    tree = model.tree_
    assert (tree.splits.kind == SplitKind.INTERVALS).any()
    chain = expand_intervals(tree)
    check(chain)
    assert chain.depth > tree.depth
    at_cuts = X.copy()
    at_cuts["age"] = (
        np.resize(tree.splits.cuts_of(0), len(X)) if len(tree.splits.cuts_of(0)) else X["age"]
    )
    for rows in (X, at_cuts):
        assert chain.predict(rows).tolist() == tree.predict(rows).tolist()
        assert np.array_equal(chain.predict_proba(rows), tree.predict_proba(rows))


def test_chaid_counts_are_those_of_the_rows(grown: Any) -> None:
    model, X, y = grown
    again = model.tree_.refit_leaves(X, y)
    assert again.n_rows.tolist() == model.tree_.n_rows.tolist()
    assert np.array_equal(again.counts, model.tree_.counts)


@pytest.mark.parametrize("missing", ["learn", "majority", "surrogate", "fractional"])
@pytest.mark.parametrize("seed", range(25))
def test_random_trees_route_as_traced(seed: int, missing: str) -> None:
    tree = random_tree(seed, n_inner=8, missing=missing, stays=missing == "surrogate")
    rows = random_rows(seed, 60)
    read = read_like(rows, tree.schema, match="name")
    moves = [trace(tree, read, row) for row in range(60)]
    if missing == "fractional":
        value = [
            sum(m.share * tree.value[m.node, 0] for m in some if m.branch is None) for some in moves
        ]
        np.testing.assert_allclose(tree.predict_proba(rows), value, rtol=1e-12)
    else:
        assert tree.apply(rows).tolist() == [some[-1].node for some in moves]


@pytest.mark.parametrize("seed", range(40))
def test_random_trees_predict_as_their_chains(seed: int) -> None:
    task = ("classification", "regression")[seed % 2]
    drawn = (
        random_tree(100 * seed + k, n_inner=8, stays=seed % 3 == 0, task=task) for k in range(100)
    )
    tree = next(tree for tree in drawn if (tree.splits.kind == SplitKind.INTERVALS).any())
    rows = random_rows(seed, 200)
    if (tree.default_branch[tree.splits.kind == SplitKind.INTERVALS] < 0).any():
        rows = random_rows(seed, 200, holes=0.0)  # a row that stays has no node in the chain
    assert expand_intervals(tree).predict(rows).tolist() == tree.predict(rows).tolist()


def test_save_and_load_keep_intervals(grown: Any, tmp_path: Any) -> None:
    model, X, _ = grown
    model.save(tmp_path / "m.ceiba")
    loaded = ceiba.load(tmp_path / "m.ceiba")
    assert loaded.tree_ == model.tree_
    assert loaded.predict(X).tolist() == model.predict(X).tolist()


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"interval_cut": [2, 1]}, "ascend"),
        ({"interval_cut": [1]}, "interval_start"),
        ({"interval_cut": [None, 2]}, "finite"),
        ({"interval_start": [0, 1, 1, 1, 1], "interval_cut": [1]}, "at least two cuts"),
        ({"interval_cut": [1, None]}, "the last branch, which takes missing"),
    ],
)
def test_damaged_intervals_are_refused(change: dict[str, Any], says: str) -> None:
    document = json.loads(dumps(build((("x", [1, 2]), "a", "b", "c"))))
    document["tree"]["splits"].update(change)
    with pytest.raises(ModelFileError, match=says):
        loads(json.dumps(document).encode())


def test_build_and_words() -> None:
    tree = build((("x", [1, 3]), "a", ("y <= 0", "b", "a"), "c"))
    assert tree.predict({"x": [1, 1.5, 3, 4], "y": [0, 1, 0, 0]}).tolist() == ["a", "a", "b", "c"]
    assert "1 < x <= 3" in tree.to_text(unicode=False)
    assert tree.rules()["condition"].tolist()[0] == "x <= 1"
    with pytest.raises(TreeError, match="not a valid split"):
        build((("x", [1, 3]), "a", "b"))


def test_node_with_intervals_in_pictures_names_them() -> None:
    tree = build((Intervals("x", (1.0, 3.0), missing_branch=True), "a", "b", "a", "c"))
    for text in (tree.export("dot"), tree.export("mermaid"), tree.to_svg()):
        assert "1 – 3" in text
        assert "missing" in text


# ---------------------------------------------------------------------- edits


def test_set_split_with_several_cuts_parts_the_rows() -> None:
    X, y = table(2)
    model = ceiba.DecisionTreeClassifier(max_depth=2, missing="learn").fit(X, y)
    model = model.set_split(0, ("age", [30.0, 50.0, 70.0]), X, y)
    tree = model.tree_
    check(tree)
    assert tree.node(0).split == Intervals("age", (30.0, 50.0, 70.0))
    assert tree.n_branches[0] == 4
    parts = np.digitize(X["age"], [30, 50, 70], right=True)
    present = X["age"].notna().to_numpy()
    below = tree.branch_node[: tree.n_branches[0]]
    counted = np.bincount(parts[present], minlength=4)
    counted[int(tree.default_branch[0])] += np.count_nonzero(~present)
    assert tree.n_rows[below].tolist() == counted.tolist()
    again = tree.refit_leaves(X, y)
    assert again.n_rows.tolist() == tree.n_rows.tolist()
    grown_again = model.tree_.regrow(int(below[1]), X, y, max_depth=2)
    assert grown_again.n_rows.tolist() == tree.n_rows.tolist()


def test_set_split_one_cut_is_a_cut_and_a_missing_branch_is_kept() -> None:
    X, y = table(2)
    tree = ceiba.DecisionTreeClassifier(max_depth=1).fit(X, y).tree_
    assert tree.set_split(0, ("age", [40]), X, y, max_depth=1).node(0).split == Cut("age", 40.0)
    alone = tree.set_split(0, Intervals("age", (40.0,), True), X, y, max_depth=1)
    check(alone)
    assert alone.n_rows.tolist()[-1] == int(X["age"].isna().sum())
    assert alone.default_branch[0] == 2


@pytest.mark.parametrize(
    ("split", "says"),
    [
        (("age", [50.0, 30.0]), "ascend"),
        (("age", ["a", "b"]), "must be numbers"),
        (("city", [1.0, 2.0]), "LevelSets"),
        (("age", [30.0, 500.0]), "no rows"),
        (Intervals("age", (30.0,)), "at least 3 branches, got 2"),
    ],
)
def test_set_split_that_cannot_be_is_refused(split: Any, says: str) -> None:
    X, y = table(2)
    tree = ceiba.DecisionTreeClassifier(max_depth=1).fit(X, y).tree_
    with pytest.raises(TreeError, match=says):
        tree.set_split(0, split, X, y)


def test_set_split_of_intervals_under_monotone_limits_is_refused() -> None:
    X, y = table(2)
    binary = np.where(np.isin(y, ["a", "b"]), "no", "yes")
    numbers = X[["age", "score"]].fillna(0)
    model = ceiba.DecisionTreeClassifier(max_depth=2, monotonic_cst=[1, 0]).fit(numbers, binary)
    with pytest.raises(TreeError, match="monotonic_cst"):
        model.set_split(0, ("age", [30, 60]), numbers, binary)


def test_prune_and_collapse_keep_what_is_left(grown: Any) -> None:
    model, X, y = grown
    tree = model.tree_
    for smaller in (tree.prune(n_leaves=max(2, tree.n_leaves // 2)), tree.collapse(1)):
        check(smaller)
        assert smaller.n_rows.tolist() == smaller.refit_leaves(X, y).n_rows.tolist()


# ---------------------------------------------------------------------- reading


def test_counterfactuals_lead_to_the_wanted_answer(grown: Any) -> None:
    model, X, _ = grown
    for k in range(8):
        one = X.iloc[[k]]
        now = model.predict(one)[0]
        want = next(c for c in "abcd" if c != now)
        for change in model.counterfactual(one, target=want, k=2):
            assert model.predict({name: [value] for name, value in change.row.items()})[0] == want


def test_drift_of_the_same_rows_is_none(grown: Any) -> None:
    model, X, y = grown
    assert model.drift(X, y).psi == pytest.approx(0.0, abs=1e-12)


def test_split_tests_list_the_groups(grown: Any) -> None:
    model, _, _ = grown
    tests = model.tree_.split_tests()
    for node, groups in zip(tests["node"].tolist(), tests["groups"].tolist(), strict=True):
        split = model.tree_.node(node).split
        if isinstance(split, Intervals):
            assert groups.count("|") == split.n_branches - 1
