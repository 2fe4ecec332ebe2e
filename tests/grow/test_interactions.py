"""`interaction_cst`: each split is the best of the columns that the path allows, and no other."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, pairwise
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_matrix

import ceiba
from ceiba.errors import OptionError
from ceiba.report import payload
from ceiba.tree import Tree
from tests.marks import slow
from tests.shards.sharding import use_sizes

N_COLUMNS = 5
CONSTRAINTS: list[Any] = [
    "no_interactions",
    "pairwise",
    [{0, 1}, {1, 2, 3}],
    [[0], [1], [2, 4]],
    [(0, 1, 2), (2, 3), (0, 4)],
]


def groups_of(constraint: Any) -> list[set[int]]:
    """Return the sets of columns that may meet, by scikit-learn's definition."""
    everything = set(range(N_COLUMNS))
    if constraint == "no_interactions":
        return [{j} for j in everything]
    if constraint == "pairwise":
        return [set(pair) for pair in combinations(everything, 2)]
    groups = [set(group) for group in constraint]
    rest = everything.difference(*groups)
    return [*groups, rest] if rest else groups


def allowed_below(constraint: Any, used: set[int]) -> list[int]:
    return sorted(set().union(*(g for g in groups_of(constraint) if used <= g)))


def used_above(tree: Tree, node: int) -> set[int]:
    return {int(tree.splits.column[i]) for i in tree.path(node).nodes[:-1]}


def draw(n: int, seed: int, holes: float = 0.0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, N_COLUMNS)).round(1)
    X[rng.random(X.shape) < holes] = np.nan
    Z = np.nan_to_num(X)
    y = Z[:, 0] + Z[:, 1] * Z[:, 2] + np.abs(Z[:, 3]) * (Z[:, 4] > 0) + 0.3 * rng.normal(size=n)
    return X, y


def gini_mass(labels: np.ndarray) -> Fraction:
    counts = np.bincount(labels).tolist()
    return len(labels) - Fraction(sum(c * c for c in counts), max(len(labels), 1))


def square_mass(numbers: list[Fraction]) -> Fraction:
    total = sum(numbers, Fraction(0))
    return sum((v * v for v in numbers), Fraction(0)) - total * total / max(len(numbers), 1)


def best_by_brute_force(
    X: np.ndarray, y: np.ndarray, columns: list[int], classes: bool
) -> tuple[int, float] | None:
    """Return column and cut of the largest gain over all midpoints of some columns, exactly."""
    numbers = [Fraction(float(v)) for v in y]

    def mass(rows: np.ndarray) -> Fraction:
        return gini_mass(y[rows]) if classes else square_mass([numbers[i] for i in rows])

    best: Any = None
    for j in columns:
        values = np.unique(X[:, j])
        for low, high in pairwise(values):
            left = X[:, j] <= low
            after = mass(np.flatnonzero(left)) + mass(np.flatnonzero(~left))
            if best is None or after < best[0]:
                best = after, j, 0.5 * (low + high)
    return None if best is None else best[1:]


@pytest.mark.parametrize("constraint", CONSTRAINTS, ids=str)
@pytest.mark.parametrize("classes", [True, False])
@pytest.mark.parametrize("seed", [*range(3), *slow(range(3, 40))])
def test_each_split_is_the_best_allowed_one_by_brute_force(
    constraint: Any, classes: bool, seed: int
) -> None:
    X, y = draw(24, seed)
    X = X.round(0)
    y = (y > 0.3).astype(int) if classes else y.round(1)
    make = ceiba.DecisionTreeClassifier if classes else ceiba.DecisionTreeRegressor
    tree = make(interaction_cst=constraint, max_depth=4).fit(X, y).tree_
    for node in range(tree.n_nodes):
        rows, used = tree.rows(node, X), used_above(tree, node)
        allowed = allowed_below(constraint, used)
        best = best_by_brute_force(X[rows], y[rows], allowed, classes)
        if not tree.is_leaf[node]:
            assert (int(tree.splits.column[node]), tree.splits.cut[node]) == best
        elif tree.impurity[node] > 1e-12 and len(tree.path(node).nodes) <= 4:
            assert best is None, (node, allowed)


# Each search of the core, and what makes it run; large tables are counted in bins.
SEARCHES: dict[str, tuple[int, dict[str, Any]]] = {
    "small table": (300, {}),
    "presorted": (300, {"criterion": "entropy"}),
    "bins": (6000, {"min_samples_leaf": 50}),
    "bins, two threads": (6000, {"min_samples_leaf": 50, "n_jobs": 2}),
    "approximate": (3000, {"max_bins": 16, "min_samples_leaf": 50}),
    "gain ratio": (300, {"criterion": "gain_ratio", "missing": "majority"}),
    "missing": (400, {"missing": "majority"}),
    "competitors": (400, {"max_competitors": 2}),
    "costs": (400, {"column_cost": [1, 3, 1, 1, 2.0]}),
}


@pytest.mark.parametrize("constraint", CONSTRAINTS, ids=str)
@pytest.mark.parametrize("search", SEARCHES)
def test_every_search_splits_as_on_the_allowed_columns_alone(search: str, constraint: Any) -> None:
    n, options = SEARCHES[search]
    X, y = draw(n, 7, holes=0.1 if "missing" in search else 0.0)
    labels = (y > 0.3).astype(int)
    options = {"max_depth": 4, **options}
    model = ceiba.DecisionTreeClassifier(interaction_cst=constraint, **options).fit(X, labels)
    tree = model.tree_
    assert tree.n_leaves > 3
    costs = options.get("column_cost")
    for node in range(tree.n_nodes):
        allowed = allowed_below(constraint, used_above(tree, node))
        if tree.is_leaf[node]:
            continue
        rows = tree.rows(node, X)
        alone = {**options, "max_depth": 1}
        if costs is not None:
            alone["column_cost"] = [costs[j] for j in allowed]
        if search == "approximate":  # bins are those of all rows
            assert int(tree.splits.column[node]) in allowed
            continue
        stump = ceiba.DecisionTreeClassifier(**alone).fit(X[rows][:, allowed], labels[rows]).tree_
        assert allowed[int(stump.splits.column[0])] == tree.splits.column[node]
        assert stump.splits.cut[0] == tree.splits.cut[node]
        if tree.competitors is not None:
            first, last = tree.competitors.start[node : node + 2]
            assert {int(c) for c in tree.competitors.splits.column[first:last]} <= set(allowed)


@pytest.mark.parametrize(
    "options",
    [
        {"max_leaf_nodes": 12},
        {"max_features": 2},
        {"splitter": "random"},
        {"missing": "fractional"},
        {"prune": ceiba.CostComplexity(alpha=0.002)},
        {"prune": "1se"},
        {"leaf_values": "honest"},
        {"ccp_alpha": 0.001},
    ],
    ids=str,
)
@pytest.mark.parametrize("constraint", CONSTRAINTS[:3], ids=str)
def test_every_path_stays_within_one_group(constraint: Any, options: Any) -> None:
    X, y = draw(500, 8, holes=0.1)
    model = ceiba.DecisionTreeRegressor(interaction_cst=constraint, max_depth=6, **options)
    model.set_params(min_samples_leaf=10)
    assert_within_groups(model.fit(X, y).tree_, constraint)


def assert_within_groups(tree: Tree, constraint: Any) -> None:
    assert tree.n_leaves > 2
    for leaf in np.flatnonzero(tree.is_leaf).tolist():
        assert any(used_above(tree, leaf) <= group for group in groups_of(constraint))


@pytest.mark.parametrize("constraint", CONSTRAINTS, ids=str)
def test_sparse_tables_grow_the_tree_of_dense_ones(constraint: Any) -> None:
    rng = np.random.default_rng(9)
    X = np.where(rng.random((400, N_COLUMNS)) < 0.7, 0.0, rng.integers(1, 5, (400, N_COLUMNS)))
    y = ((X[:, 0] > 0) ^ (X[:, 1] > 1)).astype(int) + (X[:, 2] * X[:, 3] > 2)
    for labels in (y, (y > 0).astype(int)):  # two classes have a search of their own
        model = ceiba.DecisionTreeClassifier(interaction_cst=constraint)
        dense = model.fit(X, labels).tree_
        sparse = model.fit(csr_matrix(X), labels).tree_
        np.testing.assert_array_equal(sparse.splits.column, dense.splits.column)
        np.testing.assert_array_equal(sparse.splits.cut, dense.splits.cut)
        assert_within_groups(dense, constraint)


@pytest.mark.parametrize("constraint", CONSTRAINTS, ids=str)
def test_regrowing_any_node_gives_the_fitted_tree_again(constraint: Any) -> None:
    X, y = draw(300, 10)
    model = ceiba.DecisionTreeRegressor(interaction_cst=constraint, max_depth=4).fit(X, y)
    for node in range(model.tree_.n_nodes):
        again = model.regrow(node, X, y).tree_
        np.testing.assert_array_equal(again.splits.column, model.tree_.splits.column)
        np.testing.assert_array_equal(again.splits.cut, model.tree_.splits.cut)


def test_forbidden_columns_and_constraints_hold_together_below_a_node() -> None:
    X, y = draw(300, 11)
    frame = {f"x{j}": X[:, j] for j in range(N_COLUMNS)}
    constraint = [["x0", "x1", "x2"], ["x2", "x3"], ["x0", "x4"]]
    model = ceiba.DecisionTreeRegressor(interaction_cst=constraint, max_depth=5).fit(frame, y)
    for name in ("x0", "x2"):
        tree = model.forbid(1, name).regrow(1, frame, y).tree_
        below = range(1, int(tree.subtree_end[1]))
        assert all(int(tree.splits.column[i]) != int(name[1]) for i in below)
        assert_within_groups(tree, [[0, 1, 2], [2, 3], [0, 4]])


def test_forced_split_counts_for_what_grows_below_it() -> None:
    X, y = draw(300, 12)
    model = ceiba.DecisionTreeRegressor(
        interaction_cst=[[0, 1], [1, 2]], forced_splits="x2 <= 0", max_depth=4
    )
    tree = model.fit(X, y).tree_
    assert tree.splits.column[0] == 2
    assert set(tree.splits.column[tree.splits.column >= 0].tolist()) == {1, 2}


def test_names_and_indices_are_the_same_and_the_model_file_keeps_them(tmp_path: Any) -> None:
    X, y = draw(200, 13)
    frame = {f"x{j}": X[:, j] for j in range(N_COLUMNS)}
    by_name = ceiba.DecisionTreeRegressor(interaction_cst=[{"x0", "x1"}, {"x2"}]).fit(frame, y)
    by_index = ceiba.DecisionTreeRegressor(interaction_cst=[[0, 1], [2]]).fit(frame, y)
    assert by_name.tree_ == by_index.tree_
    by_index.save(tmp_path / "m.ceiba")
    assert ceiba.load(tmp_path / "m.ceiba").interaction_cst == [[0, 1], [2]]


def test_rivals_of_the_studio_are_allowed_columns() -> None:
    X, y = draw(300, 14)
    frame = {f"x{j}": X[:, j] for j in range(N_COLUMNS)}
    model = ceiba.DecisionTreeRegressor(interaction_cst="no_interactions", max_depth=3)
    model = model.fit(frame, y)
    from ceiba.edit.forced import NodeSite
    from ceiba.studio.analysis.rivals import _grow_stump, _list_splits

    problem, _ = model._read_problem(frame, y, None)
    site = NodeSite.at(model.tree_, 1, problem)
    stump, _ = _grow_stump(site, site)
    columns = {int(splits.column[0]) for splits, _ in _list_splits(stump)}
    assert columns == {int(model.tree_.splits.column[0])}


@pytest.mark.parametrize("constraint", CONSTRAINTS, ids=str)
@pytest.mark.parametrize("classes", [True, False])
def test_runner_up_splits_of_a_report_are_the_best_allowed_ones(
    constraint: Any, classes: bool
) -> None:
    X, y = draw(60, 16)
    X = X.round(0)
    y = (y > 0.3).astype(int) if classes else y.round(1)
    make = ceiba.DecisionTreeClassifier if classes else ceiba.DecisionTreeRegressor
    model = make(interaction_cst=constraint, max_depth=3).fit(X, y)
    tree = model.tree_
    _, facts = model._report_facts()
    rivals = payload(tree, train=(X, y), **facts)["rivals"]
    assert sum(rivals["n"]) > 0
    columns, gains = iter(rivals["splits"]["column"]), iter(rivals["gain"])
    for node in np.flatnonzero(~tree.is_leaf).tolist():
        rows = tree.rows(node, X)
        own = int(tree.splits.column[node])
        allowed = allowed_below(constraint, used_above(tree, node))
        best = {j: gain_by_brute_force(X[rows], y[rows], j, classes) for j in allowed if j != own}
        expected = sorted((gain for gain in best.values() if gain is not None), reverse=True)[:4]
        found = [(next(columns), next(gains)) for _ in range(rivals["n"][node])]
        np.testing.assert_allclose([gain for _, gain in found], expected, rtol=1e-4, atol=1e-9)
        np.testing.assert_allclose([best[j] for j, _ in found], expected)


def gain_by_brute_force(X: np.ndarray, y: np.ndarray, column: int, classes: bool) -> float | None:
    """Return the largest gain of one column per row, exactly; None if it cannot be split."""
    numbers = [Fraction(float(v)) for v in y]

    def mass(rows: np.ndarray) -> Fraction:
        return gini_mass(y[rows]) if classes else square_mass([numbers[i] for i in rows])

    best = best_by_brute_force(X, y, [column], classes)
    if best is None:
        return None
    left = X[:, column] <= best[1]
    parts = (np.flatnonzero(left), np.flatnonzero(~left))
    return float((mass(np.arange(len(y))) - sum(map(mass, parts))) / len(y))


@pytest.mark.parametrize("constraint", CONSTRAINTS, ids=str)
def test_rival_columns_are_allowed_ones_and_grow_within_the_groups(constraint: Any) -> None:
    X, y = draw(200, 17)
    frame = {f"x{j}": X[:, j] for j in range(N_COLUMNS)}
    model = ceiba.DecisionTreeRegressor(interaction_cst=constraint, max_depth=3).fit(frame, y)
    for node in (0, 1):
        rivals = model.rival_columns(frame, y, node=node, folds=3)
        allowed = allowed_below(constraint, used_above(model.tree_, node))
        assert sorted(rivals.trees) == [f"x{j}" for j in allowed]
        for tree in rivals.trees.values():
            assert_within_groups(tree, constraint)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"interaction_cst": [["x9"]]}, "x9"),
        ({"interaction_cst": [[7]]}, "from 0 to 4, got 7"),
        ({"interaction_cst": [[-1]]}, "from 0 to 4, got -1"),
        ({"interaction_cst": [[True]]}, "from 0 to 4, got True"),
        ({"interaction_cst": ["x0"]}, "sets of columns"),
        ({"interaction_cst": [0, 1]}, "sets of columns"),
        ({"interaction_cst": "pairwise", "search": "optimal", "max_depth": 2}, "search"),
        ({"interaction_cst": "pairwise", "min_significance": 0.05}, "min_significance"),
        ({"interaction_cst": "pairwise", "missing": "surrogate"}, "missing='surrogate'"),
    ],
)
def test_what_is_not_supported_is_refused(options: Any, message: str) -> None:
    X, y = draw(20, 15)
    frame = {f"x{j}": X[:, j] for j in range(N_COLUMNS)}
    with pytest.raises(OptionError, match=message):
        ceiba.DecisionTreeRegressor(**options).fit(frame, y)


@pytest.mark.parametrize("options", [{"max_depth": 5}, {"max_leaf_nodes": 12}, {"prune": "1se"}])
@pytest.mark.parametrize("constraint", CONSTRAINTS)
def test_tables_beyond_memory_grow_the_tree_of_those_in_memory(
    tmp_path: Any, constraint: Any, options: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    use_sizes(monkeypatch, 40, fetch_rows=8)
    X, y = draw(600, 4)
    frame = pd.DataFrame({f"x{j}": X[:, j] for j in range(N_COLUMNS)} | {"y": y})
    frame.to_csv(tmp_path / "rows.csv", index=False)
    model = ceiba.DecisionTreeRegressor(interaction_cst=constraint, random_state=0, **options)
    scanned = model.fit(ceiba.scan(tmp_path / "rows.csv"), "y").tree_
    assert scanned == model.fit(frame, "y").tree_
    assert scanned.n_leaves > 2
