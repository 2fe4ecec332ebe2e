"""C4.5's cuts beside a running Weka, on random tables with values about 1e-6 from midpoints.

Weka looks for its cut among the values of the column row by row, and takes a later one only if it
is more than 1e-6 larger; when it sends rows down, a value less than 1e-6 above the cut counts as
not above it. Ceiba compares exactly and takes the largest value within 1e-6 of the midpoint. The
cuts are the same number unless another value of the column lies within 1e-6 of them.
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

PROGRAM = Path(__file__).with_name("WekaTrees.java")
LEVELS = ("a", "b", "c", "d")
N_NUMBERS = 3
OPTIONS = (
    "-M 2", "-B -M 2", "-U -M 1", "-U -B -M 1", "-S -M 2", "-B -S -C 0.1 -M 2", "-B -C 0.1 -M 3",
)  # fmt: skip
# Here a node below the root splits another level off than Weka's does, for a reason not yet known.
UNEXPLAINED = {48}
NEAR = (-9e-7, -4e-7, 0, 4e-7, 9e-7, 1e-6, 1.1e-6, 2e-6)


@dataclass(frozen=True)
class Node:
    weight: float
    column: int = -1
    cut: float = np.nan
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
        return Node(float(tree.weight[at]), column, float(tree.splits.cut[at]), below)

    return node(0)


def theirs(line: str) -> Node:
    parts = iter(line.rstrip(";").split(";"))

    def node() -> Node:
        weight, *split = next(parts).split()
        if not split:
            return Node(float(weight))
        column, cut, n = int(split[0]), float(split[1]), int(split[2])
        return Node(float(weight), column, cut, tuple(node() for _ in range(n)))

    return node()


def cuts(a: Node, b: Node) -> list[tuple[int, float, float]] | None:
    """Pair the cuts of two trees; None where columns, branches or weights differ."""
    same = a.column == b.column and len(a.children) == len(b.children)
    if not same or abs(a.weight - b.weight) > 1e-6:
        return None
    here = [(a.column, a.cut, b.cut)] if 0 <= a.column < N_NUMBERS else []
    orders = [b.children]
    if a.column >= N_NUMBERS and len(b.children) == 2:  # one level against the others: either first
        orders.append(b.children[::-1])
    for order in orders:
        below = [cuts(u, v) for u, v in zip(a.children, order, strict=True)]
        if None not in below:
            return here + [pair for pairs in below if pairs is not None for pair in pairs]
    return None


@pytest.mark.skipif(why_absent() is not None, reason=str(why_absent()))
def test_cuts_are_those_of_a_running_weka(tmp_path: Path) -> None:
    for seed in range(50):
        (tmp_path / f"{seed}.arff").write_text(arff(*table(seed)), "utf-8")
        (tmp_path / f"{seed}.options").write_text(OPTIONS[seed % len(OPTIONS)], "utf-8")
    command = ["java", "-cp", str(jar()), str(PROGRAM), str(tmp_path)]
    lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    n_equal = n_near = 0
    for seed, line in enumerate(lines):
        pairs = cuts(ours(seed), theirs(line))
        assert (pairs is None) == (seed in UNEXPLAINED), seed
        for column, mine, other in pairs or ():
            n_equal += mine == other
            if mine != other:
                n_near += 1
                assert 0 < mine - other < 1.0000001e-6, (seed, mine, other)
                assert other in table(seed)[0][column]
    assert len(lines) == 50
    assert n_equal > 250
    assert n_near > 0
