"""Random trees with ugly names, cuts and levels, and rows exactly at the boundaries."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ceiba.table import ColumnInfo, Kind, Schema, TargetInfo
from ceiba.tree import SplitKind, SplitTable, Tree, check
from ceiba.tree.splits.surrogates import SurrogateTable
from tests.tree.random_trees import random_tree

NAMES = [
    "x",
    'say "hi"',
    "it's",
    "x'; DROP TABLE data; --",
    "back\\slash",
    "a\nb",
    "höhe/Größe",
    "*/ int x; /*",
    "${row}",
    "__proto__",
    "percent%s",
    "select",
]
TEXTS = [
    "red", "O'Brien", '"', "\\", "', 1); DROP TABLE data; --", "日本", "a\tb", " ", "??/", "%", "é",
    "None", "NaN", "1", "</Value>", "a\\'b", "constructor", "toString", "null", "*/",
]  # fmt: skip
MISSING = ("learn", "majority", "surrogate", "fractional")


@dataclass(frozen=True)
class Drawn:
    """A tree, rows for it, and the same rows as plain lists."""

    tree: Tree
    rows: dict[str, list[Any]]
    seed: int

    @property
    def n(self) -> int:
        return len(next(iter(self.rows.values())))


def draw(
    seed: int,
    n_rows: int = 1000,
    *,
    missing: str | None = None,
    float32: bool = False,
    n_inner: int | None = None,
) -> Drawn:
    """Draw a tree; `missing` fixes its strategy, `float32` keeps all numbers in float32."""
    rng = np.random.default_rng(seed)
    plain = random_tree(
        seed,
        n_inner=int(rng.integers(1, 14)) if n_inner is None else n_inner,
        missing=missing or MISSING[seed % 4],
        unseen=("majority", "missing", "default")[seed // 4 % 3],
        task=("classification", "regression")[seed // 8 % 2],
        stays=seed % 3 == 0 and (missing or MISSING[seed % 4]) != "fractional",
    )
    tree = _disguise(plain, rng, float32)
    check(tree)
    return Drawn(tree, _rows(tree, rng, n_rows, float32), seed)


def _disguise(tree: Tree, rng: np.random.Generator, float32: bool) -> Tree:
    names = rng.permutation(NAMES)[: len(tree.schema.columns)].tolist()
    columns = []
    for name, info in zip(names, tree.schema.columns, strict=True):
        levels: tuple[Any, ...] = ()
        if info.kind != Kind.NUMERIC:
            integers = rng.random() < 0.25
            pool: list[Any] = list(range(-2, 30)) if integers else list(TEXTS)
            levels = tuple(pool[i] for i in rng.permutation(len(pool))[: len(info.levels)])
        columns.append(ColumnInfo(name, info.kind, levels))
    target = tree.target
    if target.task == "classification":
        labels = rng.permutation(TEXTS)[:3] if rng.random() < 0.7 else np.array([3, 10, 7])
        target = TargetInfo("t'\"*/", "classification", (labels,), 1)
    moves = [_cuts(rng, float32) for _ in columns]
    stored = tree.surrogates
    costs = None
    if target.task == "classification" and rng.random() < 0.3:
        costs = np.where(np.eye(3) > 0, 0.0, rng.integers(1, 9, (3, 3)))
    return replace(
        tree,
        schema=Schema(tuple(columns), target, True),
        splits=_moved(tree.splits, moves, columns),
        surrogates=None
        if stored is None
        else SurrogateTable(
            stored.start,
            _moved(stored.splits, moves, columns),
            stored.agreement,
            stored.adjusted,
            stored.sent,
        ),
        cost_matrix=costs,
    )


def _cuts(rng: np.random.Generator, float32: bool) -> dict[float, float]:
    """Map the cuts -2 ... 2 to five ascending awkward numbers."""
    scale = 10.0 ** rng.integers(-3, 4) if float32 else 10.0 ** rng.integers(-12, 13)
    drawn = np.sort(rng.normal(size=5)) * scale
    if rng.random() < 0.3:
        drawn = np.sort(rng.permutation(100)[:5] - 50) / 4
    if float32:
        drawn = drawn.astype(np.float32).astype(float)
    elif rng.random() < 0.2:
        drawn = np.array([-1e300, -5e-324, 0.0, 2.0**60 + 512, 1e300])
    return dict(zip([-2.0, -1.0, 0.0, 1.0, 2.0], drawn.tolist(), strict=True))


def _moved(
    splits: SplitTable, moves: list[dict[float, float]], columns: list[ColumnInfo]
) -> SplitTable:
    cut = splits.cut.copy()
    for i in np.flatnonzero(splits.kind == SplitKind.CUT).tolist():
        j = int(splits.column[i])
        if columns[j].kind == Kind.NUMERIC:
            cut[i] = moves[j][float(cut[i])]
    several = [
        np.inf if at == np.inf else moves[j][at]
        for j, at in zip(
            np.repeat(splits.column, np.diff(splits.interval_start)).tolist(),
            splits.interval_cut.tolist(),
            strict=True,
        )
    ]
    return replace(splits, cut=cut, interval_cut=np.array(several))


def _rows(tree: Tree, rng: np.random.Generator, n: int, float32: bool) -> dict[str, list[Any]]:
    rows: dict[str, list[Any]] = {}
    for j, info in enumerate(tree.schema.columns):
        pool: list[Any]
        if info.kind == Kind.NUMERIC:
            cuts = [tree.splits.cuts_of(j)]
            if tree.surrogates is not None:
                cuts.append(tree.surrogates.splits.cut[tree.surrogates.splits.column == j])
            at = np.concatenate(cuts)
            at = at[~np.isnan(at)]
            near = [at, np.nextafter(at, np.inf), np.nextafter(at, -np.inf)]
            if float32:
                small = at.astype(np.float32)
                near = [at, np.nextafter(small, np.inf), np.nextafter(small, -np.inf)]
            limit = 1e30 if float32 else 1e308
            odd = [0.0, -0.0, limit, -limit, np.inf, -np.inf, 1.0, -1.0]
            pool = [*np.concatenate(near).astype(float).tolist(), *odd]
        else:
            unseen: Any = 99 if isinstance(info.levels[0], int) else "strange"
            pool = [*info.levels, *info.levels, unseen]
        pool = [*pool, None, None]
        rows[info.name] = [pool[i] for i in rng.integers(len(pool), size=n)]
    return rows


def expected_labels(drawn: Drawn) -> list[Any]:
    return drawn.tree.predict(drawn.rows).tolist()  # type: ignore[no-any-return]
