"""Random trees of every split kind and random rows for them: used by the routing tests."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from ceiba.table import ColumnInfo, Kind, Schema, TargetInfo
from ceiba.tree import (
    Cut,
    Intervals,
    LevelSets,
    Presence,
    SplitKind,
    SplitTable,
    Tree,
    check,
    from_arrays,
)
from ceiba.tree.splits.split_table import Split
from ceiba.tree.splits.surrogates import SurrogateTable

LEVELS = ("red", "green", "blue", "black", "white")
SIZES = ("S", "M", "L", "XL")

COLUMNS = (
    ColumnInfo(name="x", kind=Kind.NUMERIC),
    ColumnInfo(name="y", kind=Kind.NUMERIC),
    ColumnInfo(name="colour", kind=Kind.CATEGORICAL, levels=LEVELS),
    ColumnInfo(name="kind", kind=Kind.CATEGORICAL, levels=("a", "b")),
    ColumnInfo(name="size", kind=Kind.ORDERED, levels=SIZES),
)


def schema(task: str = "classification") -> Schema:
    classes = (np.array(["no", "perhaps", "yes"]),) if task == "classification" else ()
    target = TargetInfo(name="t", task=task, classes=classes, n_outputs=1)  # type: ignore[arg-type]
    return Schema(columns=COLUMNS, target=target, named=True)


def random_split(rng: np.random.Generator, *, n_branches: int | None = None) -> Split:
    """A split on a random column; with `n_branches`, one that leads to that many branches."""
    kind = rng.integers(6 if n_branches is None else 5 if n_branches == 2 else 1)
    if kind == 0:
        info = COLUMNS[2] if n_branches not in (None, 2) else COLUMNS[2 + rng.integers(2)]
        return random_levels(rng, info, n_branches)
    if kind == 1:
        return Presence(COLUMNS[rng.integers(len(COLUMNS))].name)
    if kind == 2:
        return Cut("size", float(rng.integers(3)) + 0.5)
    if kind == 5:
        alone = bool(rng.random() < 0.4)
        cuts = np.sort(rng.permutation(5)[: rng.integers(1 if alone else 2, 4)] - 2)
        return Intervals("xy"[rng.integers(2)], tuple(map(float, cuts)), alone)
    return Cut("xy"[rng.integers(2)], float(rng.integers(-2, 3)))


def random_levels(rng: np.random.Generator, info: ColumnInfo, n_branches: int | None) -> LevelSets:
    most = len(info.levels)
    alone = n_branches is None and most > 2 and bool(rng.random() < 0.3)
    groups = n_branches or int(rng.integers(2, most + 1 - alone))
    present = rng.permutation(most)[: rng.integers(groups, most + 1)]
    branch = np.concatenate((np.arange(groups), rng.integers(groups, size=len(present) - groups)))
    return LevelSets(
        info.name,
        tuple(
            tuple(info.levels[code] for code in sorted(present[branch == b])) for b in range(groups)
        ),
        alone,
    )


def random_tree(
    seed: int,
    *,
    n_inner: int = 6,
    missing: str = "learn",
    unseen: str = "majority",
    task: str = "classification",
    stays: bool = False,
) -> Tree:
    """A tree with splits of every kind, surrogates, and random values and weights."""
    rng = np.random.default_rng(seed)
    splits: list[Split | None] = []
    parent: list[int] = []
    waiting = [-1]
    while waiting:
        above = waiting.pop()
        node = len(parent)
        parent.append(above)
        splits.append(random_split(rng) if n_inner > 0 else None)
        n_inner -= 1
        if (split := splits[node]) is not None:
            waiting.extend([node] * split.n_branches)
    n = len(parent)
    known = schema(task)
    value = rng.dirichlet(np.ones(3), size=n) if task == "classification" else rng.normal(size=n)
    tree = from_arrays(
        known,
        parent=parent,
        splits=SplitTable.from_splits(splits, known),
        value=value,
        weight=rng.integers(0, 4, size=n),
        missing=missing,  # type: ignore[arg-type]
        unseen=unseen,  # type: ignore[arg-type]
    )
    default = rng.integers(-1 if stays else 0, np.maximum(tree.n_branches, 1))
    alone = tree.splits.has_missing_branch & (tree.splits.kind != SplitKind.PRESENCE)
    default = np.where(alone, tree.n_branches - 1, default)
    tree = replace(tree, default_branch=default * ~tree.is_leaf - tree.is_leaf)
    if missing == "surrogate":
        tree = replace(tree, surrogates=random_surrogates(rng, tree))
    check(tree)
    return tree


def random_surrogates(rng: np.random.Generator, tree: Tree) -> SurrogateTable:
    start, splits = [0], []
    for n_branches in tree.n_branches.tolist():
        for _ in range(rng.integers(3) if n_branches else 0):
            split = random_split(rng, n_branches=n_branches)
            if isinstance(split, Cut):
                split = replace(split, low_branch=int(rng.integers(2)))
            if not isinstance(split, Presence):
                splits.append(split)
        start.append(len(splits))
    m = len(splits)
    return SurrogateTable(
        np.array(start),
        SplitTable.from_splits(splits, tree.schema),
        rng.random(m),
        rng.random(m),
        rng.integers(5, size=m),
    )


def random_rows(
    seed: int, n: int = 40, *, holes: float = 0.2, unseen: float = 0.1
) -> dict[str, list[Any]]:
    """Rows with missing values, unseen levels, values on the cuts and infinities."""
    rng = np.random.default_rng(seed)

    def numbers() -> list[Any]:
        drawn = rng.integers(-3, 4, size=n) + rng.choice([0.0, 0.0, 0.5], size=n)
        drawn = np.where(rng.random(n) < 0.05, np.inf * rng.choice([-1, 1], size=n), drawn)
        return np.where(rng.random(n) < holes, np.nan, drawn).tolist()

    def levels(known: tuple[str, ...]) -> list[Any]:
        drawn = [known[i] for i in rng.integers(len(known), size=n)]
        drawn = ["strange" if rng.random() < unseen else level for level in drawn]
        return [None if rng.random() < holes else level for level in drawn]

    return {
        "x": numbers(),
        "y": numbers(),
        "colour": levels(LEVELS),
        "kind": levels(("a", "b")),
        "size": levels(SIZES),
    }
