"""C4.5's trees beside a running Weka, on random tables with values about 1e-6 from midpoints.

Weka looks for its cut among the values of the column row by row, and takes a later one only if it
is more than 1e-6 larger; when it sends rows down, a value less than 1e-6 above the cut counts as
not above it. Ceiba compares exactly and takes the largest value less than 1e-6 above the midpoint.

The plain reference knows both rules. With Weka's it must give Weka's trees and cuts, all of them,
to the last bit; with the exact one it must give ceiba's. So two values of a column within 1e-6 are
the only difference: a cut is then another value at most 1e-6 away, and rows that subtree raising
brings to a node may lie between the two.
"""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ceiba
from benchmarks.libraries.weka import jar, why_absent
from tests.oracle.weka_problem import options
from tests.reference.c45 import C45, Column
from tests.reference.c45 import Node as ReferenceNode

PROGRAM = Path(__file__).with_name("WekaTrees.java")
LEVELS = ("a", "b", "c", "d")
N_NUMBERS = 3
OPTIONS = (
    "-M 2", "-B -M 2", "-U -M 1", "-U -B -M 1", "-S -M 2", "-B -S -C 0.1 -M 2", "-B -C 0.1 -M 3",
)  # fmt: skip
# In 279 and 433 branches of equal weight are raised; in 309 a raised row lies within Weka's slack.
SEEDS = (*range(50), 279, 309, 433)
NEAR = (-9e-7, -4e-7, 0, 4e-7, 9e-7, 1e-6, 1.1e-6, 2e-6)


@dataclass(frozen=True)
class Node:
    """A node with its branches; one level against the others: its branch first."""

    weight: float
    column: int = -1
    cut: float = np.nan  # or that level
    children: tuple[Node, ...] = ()


def table(seed: int) -> tuple[Any, Any, Any]:
    """Three columns of numbers, two of levels, three classes; odd seeds have missing numbers."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(40, 160))
    shape = (N_NUMBERS, n)
    whole = rng.integers(0, 6, shape).astype(float)
    numbers = (
        rng.integers(0, 12, shape).astype(float),
        rng.normal(size=shape).round(2),
        rng.integers(0, 8, shape) * 2.1e-5,
        np.where(rng.random(shape) < 0.25, whole + 0.5 + rng.choice(NEAR, shape), whole),
        whole * 1e-5 + rng.choice([0, 4e-7, 1e-6, 5e-6, 4.6e-6, 5.4e-6], shape),
    )[seed % 5]
    codes = rng.integers(0, [[4], [3]], (2, n))
    signal = (numbers[0] > np.median(numbers[0])) * 1 + (codes[0] == 2)
    y = np.where(rng.random(n) < 0.75, signal, rng.integers(0, 3, n))
    gone = rng.random(shape) < (0.1 if seed % 2 else 0.0)
    return np.where(gone, np.nan, numbers), codes, y


def arff(numbers: Any, codes: Any, y: Any) -> str:
    head = [f"@attribute x{j} numeric" for j in range(N_NUMBERS)]
    head += ["@attribute u {a,b,c,d}", "@attribute v {a,b,c}", "@attribute class {0,1,2}", "@data"]
    cells = [["?" if x != x else repr(float(x)) for x in column] for column in numbers]
    cells += [[LEVELS[code] for code in column] for column in codes]
    rows = (",".join(row) for row in zip(*cells, map(str, y), strict=True))
    return "\n".join(["@relation t", *head, *rows, ""])


def ours(seed: int) -> Node:
    numbers, codes, y = table(seed)
    X = {f"x{j}": column for j, column in enumerate(numbers)}
    X["u"] = ceiba.table.Levels([LEVELS[k] for k in codes[0]], LEVELS)
    X["v"] = ceiba.table.Levels([LEVELS[k] for k in codes[1]], LEVELS[:3])
    given = options(OPTIONS[seed % len(OPTIONS)].split())
    tree = (
        ceiba.c45(
            min_samples_leaf=given["min_samples"],
            confidence=given["confidence"],
            **({} if given["confidence"] is None else {"raising": given["raising"]}),
            categorical_splits="binary" if given["binary"] else "multiway",
        )
        .fit(X, y)
        .tree_
    )

    def node(at: int) -> Node:
        column, children = int(tree.splits.column[at]), range(*tree.branch_start[at : at + 2])
        below = tuple(node(int(tree.branch_node[b])) for b in children)
        cut = float(tree.splits.cut[at])
        if column >= N_NUMBERS and given["binary"]:
            branch = tree.splits.level_branch[slice(*tree.splits.level_start[at : at + 2])]
            assert len(branch) == (4, 3)[column - N_NUMBERS]  # levels absent from the node too
            alone = int(branch.sum() == 1)  # the branch of one level; of two levels either is
            cut = float(np.flatnonzero(branch == alone)[0])
            below = below[::-1] if alone else below
        return Node(float(tree.weight[at]), column, cut, below)

    return node(0)


def theirs(line: str) -> Node:
    """Read a line that WekaTrees.java printed."""
    parts = iter(line.rstrip(";").split(";"))

    def node() -> Node:
        weight, *split = next(parts).split()
        if not split:
            return Node(float(weight))
        column, cut, n = int(split[0]), float(split[1]), int(split[2])
        return Node(float(weight), column, cut, tuple(node() for _ in range(n)))

    return node()


def of_reference(seed: int, *, exact: bool) -> Node:
    numbers, codes, y = table(seed)
    cells = [[None if x != x else x for x in column.tolist()] for column in numbers]
    columns = [Column(f"x{j}", values) for j, values in enumerate(cells)]
    columns += [Column("u", codes[0].tolist(), LEVELS), Column("v", codes[1].tolist(), LEVELS[:3])]
    given = options(OPTIONS[seed % len(OPTIONS)].split())
    grown = C45(
        columns,
        y.tolist(),
        3,
        M=given["min_samples"],
        binary=given["binary"],
        confidence=given["confidence"],
        raising=given["raising"],
        exact=exact,
    )

    def node(at: ReferenceNode) -> Node:
        if at.split is None:
            return Node(at.weight)
        cut = at.split.level if at.split.cut is None else at.split.cut
        below = tuple(node(son) for son in at.sons)
        return Node(at.weight, at.split.column, np.nan if cut is None else float(cut), below)

    return node(grown.root)


def cuts(a: Node, b: Node) -> list[tuple[int, float, float]] | None:
    """Pair the cuts of two trees; None where columns, levels, branches or weights differ."""
    same = a.column == b.column and len(a.children) == len(b.children)
    if not same or abs(a.weight - b.weight) > 1e-6:
        return None
    pairs = []
    if 0 <= a.column < N_NUMBERS:
        pairs.append((a.column, a.cut, b.cut))
    elif len(a.children) == 2 and a.cut != b.cut:
        return None
    for u, v in zip(a.children, b.children, strict=True):
        below = cuts(u, v)
        if below is None:
            return None
        pairs += below
    return pairs


def has_close_numbers(seed: int) -> bool:
    """Whether a column has two numbers within 1e-6."""
    steps = [np.diff(np.unique(column[~np.isnan(column)])) for column in table(seed)[0]]
    return bool(min(step.min() for step in steps) < 1.0000001e-6)


@pytest.fixture(scope="module")
def of_weka(tmp_path_factory: pytest.TempPathFactory) -> list[Node]:
    if why_absent() is not None:
        pytest.skip(str(why_absent()))
    folder = tmp_path_factory.mktemp("weka")
    for k, seed in enumerate(SEEDS):
        (folder / f"{k}.arff").write_text(arff(*table(seed)), "utf-8")
        (folder / f"{k}.options").write_text(OPTIONS[seed % len(OPTIONS)], "utf-8")
    command = ["java", "-cp", str(jar()), str(PROGRAM), str(folder)]
    lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    return [theirs(line) for line in lines]


def test_reference_with_its_slack_is_weka_to_the_last_bit(of_weka: list[Node]) -> None:
    for seed, tree in zip(SEEDS, of_weka, strict=True):
        pairs = cuts(of_reference(seed, exact=False), tree)
        assert pairs is not None, seed
        assert all(mine == other for _, mine, other in pairs), seed


def test_reference_that_compares_exactly_is_ceiba() -> None:
    for seed in SEEDS:
        pairs = cuts(ours(seed), of_reference(seed, exact=True))
        assert pairs is not None, seed
        assert all(mine == other for _, mine, other in pairs), seed


def test_trees_are_those_of_weka_but_for_numbers_within_its_slack(of_weka: list[Node]) -> None:
    n_equal = n_near = 0
    for seed, tree in zip(SEEDS, of_weka, strict=True):
        pairs = cuts(ours(seed), tree)
        assert (pairs is None) == (seed == 309), seed
        for column, mine, other in pairs or ():
            n_equal += mine == other
            if mine != other:
                n_near += 1
                assert has_close_numbers(seed)
                assert 0 < mine - other < 1.0000001e-6, (seed, mine, other)
                assert other in table(seed)[0][column]
    assert n_equal > 250
    assert n_near > 0
