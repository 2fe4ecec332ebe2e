"""From the paths of a tree to general rules (after Quinlan 1993, C4.5, chapter 5: C4.5rules).

Each path to a leaf is a rule. A test is dropped from it as long as the pessimistic error rate of
the rule (`ceiba.prune.pessimistic`) does not rise; rules that become equal are one. The path of a
small leaf may generalise into something that is right mostly elsewhere, so both forms of a rule are
offered; `choose.py` chooses among them.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from ceiba.paths.conditions import Clause, Condition
from ceiba.paths.of_tree import clause_of, joined_with
from ceiba.prune.pessimistic import added_errors
from ceiba.table import Table
from ceiba.tree import SplitKind, Tree

Array = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Draft:
    """A rule: its condition, its class, and the training rows that it covers."""

    condition: Condition
    tests: frozenset[int]  # equal tests have one number
    answer: int
    covered: Mask
    weight: float  # covered
    right: float  # of it, of the class

    @property
    def n_tests(self) -> int:
        """Tests that were kept of the path."""
        return len(self.tests)

    @property
    def errors(self) -> float:
        """Weight that is covered but not of the class."""
        return max(self.weight - self.right, 0.0)

    @property
    def confidence(self) -> float:
        """Share of the class, drawn a little towards one half."""
        return (self.right + 1) / (self.weight + 2)


def drafts(
    tree: Tree, table: Table, codes: npt.NDArray[np.intp], weight: Array, confidence: float
) -> list[Draft]:
    """Return the rules of all leaves, as they are and generalised, each once."""
    tests = _Tests(tree, table)
    unique: dict[tuple[int, frozenset[int]], Draft] = {}
    for leaf in tree.leaves.tolist():
        if tree.weight[leaf] <= 0:
            continue
        answer = int(tree.answer[leaf])
        path = tree.path(leaf).nodes[1:]
        right = codes == answer
        general = _generalise(tests, path, right, weight, confidence)
        for kept in (general, _without_implied(tree, path)):
            key = (answer, frozenset(tests.same[node] for node in kept))
            if kept and key not in unique:
                unique[key] = _draft(tests, kept, key, right, weight)
    return list(unique.values())


def _without_implied(tree: Tree, path: tuple[int, ...]) -> list[int]:
    """Leave out cuts of a path that a later cut of the same column implies."""
    last: dict[tuple[int, int], int] = {}
    for node in path:
        above = int(tree.parent[node])
        if tree.splits.kind[above] == SplitKind.CUT:
            last[int(tree.splits.column[above]), int(tree.branch_index[node])] = node
    return [
        node
        for node in path
        if tree.splits.kind[above := int(tree.parent[node])] != SplitKind.CUT
        or last[int(tree.splits.column[above]), int(tree.branch_index[node])] == node
    ]


def _draft(
    tests: _Tests, kept: list[int], key: tuple[int, frozenset[int]], right: Mask, weight: Array
) -> Draft:
    covered = np.ones(len(weight), bool)
    clauses: dict[str, Clause] = {}
    for node in kept:
        covered &= tests.holds(node)
        clauses = joined_with(clauses, tests.clause(node))
    return Draft(
        Condition(tests.tree.schema, tuple(clauses.values())),
        key[1],
        key[0],
        covered,
        float(weight[covered].sum()),
        float(weight[covered & right].sum()),
    )


class _Tests:
    """The tests of a tree, by the node to which they lead, and the rows that pass each."""

    def __init__(self, tree: Tree, table: Table) -> None:
        self.tree, self.table = tree, table
        self._holds: dict[int, Mask] = {}
        self._clauses: dict[int, Clause] = {}
        first: dict[str, int] = {}
        self.same: dict[int, int] = {}
        for node in range(1, tree.n_nodes):
            text = self.clause(node).python()
            self.same[node] = first.setdefault(text, node)

    def clause(self, node: int) -> Clause:
        if node not in self._clauses:
            above, branch = int(self.tree.parent[node]), int(self.tree.branch_index[node])
            self._clauses[node] = clause_of(self.tree, above, branch)
        return self._clauses[node]

    def holds(self, node: int) -> Mask:
        at = self.same[node]
        if at not in self._holds:
            self._holds[at] = self.clause(at).holds(self.table)
        return self._holds[at]


def _generalise(
    tests: _Tests, path: tuple[int, ...], right: Mask, weight: Array, confidence: float
) -> list[int]:
    """Drop tests while the pessimistic error rate does not rise; give the nodes that are kept."""
    kept = list(path)
    fails = {node: ~tests.holds(node) for node in kept}
    # How many tests a row fails, and the number of the only one if it is one.
    n_failed = np.zeros(len(weight), np.int32)
    which = np.zeros(len(weight), np.int64)
    for k, node in enumerate(path):
        n_failed += fails[node]
        which += k * fails[node]
    place = {node: k for k, node in enumerate(path)}
    inside = n_failed == 0
    covered, good = float(weight[inside].sum()), float(weight[inside & right].sum())
    rate = _rate(covered, good, confidence)
    while kept:
        # A row that fails one test only is covered as soon as that test is dropped.
        once = n_failed == 1
        more = np.bincount(which[once], weights=weight[once], minlength=len(path))
        well = once & right
        more_good = np.bincount(which[well], weights=weight[well], minlength=len(path))
        rates = [
            (_rate(covered + more[place[n]], good + more_good[place[n]], confidence), -k)
            for k, n in enumerate(kept)
        ]
        best = min(rates)
        if best[0] > rate + 1e-12:
            break
        node = kept.pop(-best[1])
        rate, covered = best[0], covered + float(more[place[node]])
        good += float(more_good[place[node]])
        n_failed -= fails[node]
        which -= place[node] * fails[node]
    return kept


def _rate(covered: float, good: float, confidence: float) -> float:
    if covered <= 0:
        return 1.0
    errors = max(covered - good, 0.0)
    return (errors + added_errors(covered, errors, confidence)) / covered


def path_tests(tree: Tree) -> int:
    """Count the tests on all paths of a tree."""
    return sum(len(list(pairwise(tree.path(leaf).nodes))) for leaf in tree.leaves.tolist())
