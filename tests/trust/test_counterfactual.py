"""Counterfactuals equal the best of all rows that could matter: none worse, none impossible."""

from __future__ import annotations

import math
from itertools import product
from typing import Any

import numpy as np
import pytest

import ceiba
from ceiba.errors import DataError, OptionError
from ceiba.table import Column, Kind, Table
from ceiba.tree import SplitKind, Tree
from ceiba.tree.routing import route
from ceiba.trust.column_limits import ColumnLimits, read_limits
from tests.marks import slow
from tests.tree.random_trees import LEVELS, SIZES, random_rows, random_tree

KINDS: list[dict[str, Any]] = [
    {"missing": "learn"},
    {"missing": "majority", "unseen": "missing"},
    {"missing": "surrogate"},
    {"missing": "surrogate", "stays": True, "unseen": "missing"},
    {"missing": "fractional"},
]


def random_limits(rng: np.random.Generator) -> dict[str, Any]:
    names = ["x", "y", "colour", "kind", "size"]
    fixed = [name for name in names if rng.random() < 0.2]
    free = [name for name in names if name not in fixed]
    ways = {n: ["up", "down"][rng.integers(2)] for n in ("x", "size") if rng.random() < 0.4}
    allowed: dict[str, Any] = {}
    if rng.random() < 0.3:
        allowed["y"] = sorted(rng.integers(-3, 4, size=2).tolist())
    if rng.random() < 0.3:
        allowed["colour"] = [LEVELS[i] for i in rng.choice(5, size=2, replace=False)]
    if rng.random() < 0.2:
        allowed["size"] = [SIZES[i] for i in rng.choice(4, size=2, replace=False)]
    cost = {n: float(rng.integers(1, 5)) / 2 for n in names if rng.random() < 0.5}
    given = {"direction": ways, "allowed": allowed, "cost": cost}
    kept = {o: {n: v for n, v in d.items() if n in free} for o, d in given.items()}
    return {"fixed": fixed, **kept}


def candidates(tree: Tree, j: int, value: float, limit: ColumnLimits) -> list[float]:
    """Every value of a column that could be the nearest in some box, and is allowed."""
    info = tree.schema.columns[j]
    if limit.fixed:
        return [value]
    tried = {value}
    if info.kind is Kind.NUMERIC:
        tables = [tree.splits] + ([tree.surrogates.splits] if tree.surrogates else [])
        for splits in tables:
            mine = (splits.column == j) & (splits.kind == SplitKind.CUT)
            cuts = splits.cut[mine].tolist()
            for i in np.flatnonzero((splits.column == j) & (splits.kind == SplitKind.INTERVALS)):
                start, end = splits.interval_start[i : i + 2]
                cuts += splits.interval_cut[start:end].tolist()
            for cut in cuts:
                tried |= {cut, math.nextafter(cut, math.inf)}
        tried |= {0.0, limit.low, limit.high}
        tried = {v for v in tried if math.isfinite(v) and limit.low <= v <= limit.high}
    else:
        tried |= set(range(info.n_levels))
        tried = {c for c in tried if 0 <= c < info.n_levels}
        tried = {c for c in tried if limit.codes is None or c in limit.codes}
    known = value == value and (info.kind is Kind.NUMERIC or 0 <= value < info.n_levels)
    if known and limit.direction == "up":
        tried = {v for v in tried if v > value}
    if known and limit.direction == "down":
        tried = {v for v in tried if v < value}
    return [value, *sorted(v for v in tried if v != value)]


def distance(tree: Tree, j: int, old: float, new: float, limit: ColumnLimits) -> float:
    info = tree.schema.columns[j]
    if new == old or (new != new and old != old):
        return 0.0
    if old != old or (info.kind is not Kind.NUMERIC and not 0 <= old < info.n_levels):
        return limit.cost
    if info.kind is Kind.NUMERIC:
        return limit.cost * abs(new - old) / (abs(old) if old and math.isfinite(old) else 1.0)
    return limit.cost * (abs(new - old) / 3 if info.kind is Kind.ORDERED else 1.0)


def best_by_trying(
    tree: Tree, table: Table, target: str, given: dict[str, Any], order: str
) -> tuple[float, float] | None:
    limits = read_limits(
        tree.schema, given["fixed"], *(given[o] for o in ("direction", "allowed", "cost"))
    )
    values = [float(column.values[0]) for column in table.columns]
    lists = [candidates(tree, j, values[j], limits[j]) for j in range(5)]
    rows = np.array(list(product(*lists)))
    columns = tuple(
        Column(c.info, rows[:, j].astype(np.float64 if c.info.is_numeric else np.int32))
        for j, c in enumerate(table.columns)
    )
    said = route.predict(tree, Table(columns, len(rows), table.schema))
    price = [{v: distance(tree, j, values[j], v, limits[j]) for v in lists[j]} for j in range(5)]
    far = [np.array([price[j][v] if v == v else 0.0 for v in rows[:, j]]) for j in range(5)]
    moved = np.array([rows[:, j] != values[j] for j in range(5)])
    moved &= np.array([~np.isnan(rows[:, j]) for j in range(5)])
    efforts = np.column_stack((moved.sum(axis=0), np.sum(far, axis=0)))[said == target]
    if order == "distance":
        efforts = efforts[:, ::-1]
    return min(map(tuple, efforts.tolist()), default=None)


@pytest.mark.parametrize("n_cases", [60, *slow([400])])
@pytest.mark.parametrize("kind", range(len(KINDS)))
def test_counterfactual_under_limits_equals_trying_every_row(kind: int, n_cases: int) -> None:
    reached = 0
    for seed in range(n_cases):
        rng = np.random.default_rng(10_000 * kind + seed)
        tree = random_tree(900 * kind + seed, n_inner=2 + seed % 4, **KINDS[kind])
        whole = KINDS[kind]["missing"] == "fractional"
        rows = random_rows(seed, 1, holes=0.0 if whole else 0.3, unseen=0.0 if whole else 0.15)
        table = route.read(tree, rows)
        now = route.predict(tree, table)[0]
        target = [c for c in ("no", "perhaps", "yes") if c != now][seed % 2]
        given, order = random_limits(rng), ("columns", "distance")[seed % 3 == 0]
        found = tree.counterfactual(rows, target=target, order=order, k=1, **given)
        best = best_by_trying(tree, table, target, given, order)
        if best is None:
            assert len(found) == 0, (kind, seed)
            continue
        reached += 1
        mine = (len(found[0].changes), found[0].distance)
        mine = mine if order == "columns" else mine[::-1]
        np.testing.assert_allclose(mine, best, rtol=0, atol=1e-12, err_msg=f"{kind} {seed}")
        assert found[0].answer == target
    assert reached > n_cases / 4


def test_counterfactuals_are_distinct_ordered_and_predicted_as_wanted() -> None:
    data = ceiba.datasets.load_iris()
    model = ceiba.DecisionTreeClassifier().fit(data.X, data.y)
    for i in range(0, 150, 7):
        row = {name: data.X[name][i] for name in data.X}
        found = model.counterfactual(row, k=6)
        efforts = [(len(one.changes), one.distance) for one in found]
        assert efforts == sorted(efforts)
        assert len({str(one.changes) for one in found}) == len(found) >= 1
        # No alternative is an earlier one with a further change.
        ways = [{(c.column, c.new > c.old) for c in one.changes} for one in found]
        assert not any(a <= b for j, b in enumerate(ways) for a in ways[:j])
        for one in found:
            changed = {name: [value] for name, value in one.row.items()}
            assert (
                model.predict(changed)[0]
                == one.answer
                != model.predict({n: [v] for n, v in row.items()})[0]
            )
            assert one.n_rows == model.tree_.n_rows[one.node]


def test_counterfactual_of_regression_reaches_the_range() -> None:
    tree = ceiba.tree.build(("x <= 2.5", 1.0, ("y <= 4", 5.0, 9.0)))
    found = tree.counterfactual({"x": [1.0], "y": [1.0]}, target=(6, None))
    assert [c.condition for c in found[0].changes] == ["x > 2.5", "y > 4"]
    assert tree.counterfactual({"x": [1.0], "y": [1.0]}, target=(2, 6))[0].answer == 5.0
    assert str(tree.counterfactual({"x": [1.0], "y": [1.0]}, target=(10, None))).startswith("No ")


@pytest.mark.parametrize("target", [(1, 2, 3), (1, "x"), "ab", (2,), None])
def test_target_range_that_is_no_pair_of_numbers_is_a_clear_error(target: Any) -> None:
    tree = ceiba.tree.build(("x <= 2.5", 1.0, 5.0))
    with pytest.raises(OptionError, match="target must be a pair"):
        tree.counterfactual({"x": [1.0]}, target=target)


def test_row_that_has_the_wanted_answer_gets_no_advice() -> None:
    tree = ceiba.tree.build(("age <= 30", "no", ("income <= 20", "no", "yes")))
    row = {"age": [40], "income": [15.0]}
    given = ceiba.trust.counterfactual(tree, row, target="no")
    assert given == ()
    assert given.already
    assert str(given) == "The row already has the target prediction."
    other = ceiba.trust.counterfactual(tree, row, target="yes")
    assert len(other) == 1
    assert not other.already
    numbers = ceiba.tree.build(("age <= 30", 1.0, ("income <= 20", 2.0, 5.0)))
    for target in ((None, 2.0), (1.5, 2.5), (2.0, None)):
        assert ceiba.trust.counterfactual(numbers, row, target=target).already
    assert [one.answer for one in ceiba.trust.counterfactual(numbers, row, target=(3, None))] == [5]


@pytest.mark.parametrize(
    ("lang", "lines"),
    [
        ("en", ["age <= 30 (is 40) and income > 20 (is missing) -> a (probability 1, 1 training "
                "row)", "already has", "No allowed change"]),
        ("es", ["age <= 30 (ahora 40) y income > 20 (ahora falta) -> a (probabilidad 1, 1 fila de "
                "entrenamiento)", "ya tiene", "Ningún cambio"]),
        ("pt", ["age <= 30 (agora 40) e income > 20 (agora ausente) -> a (probabilidade 1, 1 linha "
                "de treino)", "já tem", "Nenhuma mudança"]),
    ],
)  # fmt: skip
def test_lines_are_in_the_language(lang: str, lines: list[str]) -> None:
    frame = {"age": [20.0, 40.0, 20.0, 40.0], "income": [30.0, 30.0, 10.0, 10.0]}
    model = ceiba.DecisionTreeClassifier(missing="fractional").fit(frame, ["a", "b", "b", "b"])
    row = {"age": [40.0], "income": [None]}
    found = ceiba.trust.counterfactual(model.tree_, row, target="a", lang=lang)
    assert str(found) == f"1. {lines[0]}"
    assert lines[1] in str(ceiba.trust.counterfactual(model.tree_, row, target="b", lang=lang))
    fixed = ceiba.trust.counterfactual(
        model.tree_, row, target="a", fixed=["age", "income"], lang=lang
    )
    assert lines[2] in str(fixed)


def test_counterfactual_within_allowed_numbers_says_the_allowed_range() -> None:
    tree = ceiba.tree.build(("age <= 30", "no", "yes"))
    found = tree.counterfactual({"age": [20.0]}, allowed={"age": (35, 50)})
    assert found[0].row == {"age": 35.0}
    assert tree.counterfactual({"age": [20.0]}, allowed={"age": (10, 25)}) == ()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"target": "maybe"}, "must be a class, got 'maybe'"),
        ({"fixed": ["agee"]}, "fixed: column not found: 'agee'"),
        ({"direction": {"sex": "up"}}, "no order"),
        ({"direction": {"age": "left"}}, "'up' or 'down', got 'left'"),
        ({"fixed": ["age"], "cost": {"age": 2.0}}, "not supported for fixed columns"),
        ({"cost": {"age": 0.0}}, "positive"),
        ({"cost": {"age": "low"}}, "positive finite number, got 'low'"),
        ({"allowed": {"age": 3}}, "pair"),
        ({"allowed": {"sex": ["x"]}}, "must map 'sex' to its levels, got 'x'"),
        ({"order": "best"}, "'columns' or 'distance', got 'best'"),
        ({"k": 0}, "at least 1"),
    ],
)
def test_counterfactual_with_a_wrong_option_says_what_is_allowed(
    options: dict[str, Any], message: str
) -> None:
    tree = ceiba.tree.build(("age <= 30", "no", ("sex", {"f": "yes", "m": "no"})))
    with pytest.raises(OptionError, match=message):
        tree.counterfactual({"age": [20.0], "sex": ["f"]}, **options)


def test_counterfactual_of_two_rows_is_refused() -> None:
    with pytest.raises(DataError, match="a single row, got 2"):
        ceiba.tree.build(("x <= 2.5", "a", "b")).counterfactual({"x": [1.0, 2.0]})
