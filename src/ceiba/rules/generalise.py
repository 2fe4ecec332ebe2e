"""From the paths of a tree to general rules (Quinlan 1993, C4.5, chapter 5: C4.5rules).

Each path to a leaf is a rule. A test is dropped from it as long as the pessimistic error rate of
the rule (`ceiba.prune.pessimistic`) does not rise; rules that become equal are one. Of the rules of
one class a subset is kept that has the shortest description: half the bits of its tests (the order
of rules says nothing) plus the bits that name its mistakes, log2 C(covered, false positives) +
log2 C(not covered, false negatives).
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from math import lgamma, log
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from ceiba.inspection.conditions import Clause, Condition, clause_of, joined_with
from ceiba.prune.pessimistic import added_errors

if TYPE_CHECKING:
    from ceiba.table import Table
    from ceiba.tree import Tree

__all__ = ["Draft", "drafts", "shortest_subset"]

Array = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Draft:
    """A rule: its condition, its class, and the training rows that it covers."""

    condition: Condition
    n_tests: int
    answer: int
    covered: Mask
    weight: float  # covered
    right: float  # of it, of the class

    @property
    def errors(self) -> float:
        """Weight that is covered but not of the class."""
        return self.weight - self.right


def drafts(
    tree: Tree, table: Table, codes: npt.NDArray[np.intp], weight: Array, confidence: float
) -> list[Draft]:
    """Give the generalised rules of all leaves, each once."""
    tests = _Tests(tree, table)
    found: dict[tuple[int, frozenset[int]], Draft] = {}
    for leaf in tree.leaves.tolist():
        if tree.weight[leaf] <= 0:
            continue
        answer = int(tree.answer[leaf])
        path = tree.path(leaf).nodes[1:]
        kept = _generalise(tests, path, codes == answer, weight, confidence)
        key = (answer, frozenset(tests.same[node] for node in kept))
        if key in found or not kept:
            continue
        covered = np.ones(table.n_rows, bool)
        clauses: dict[str, Clause] = {}
        for node in kept:
            covered &= tests.holds(node)
            clauses = joined_with(clauses, tests.clause(node))
        inside = weight[covered]
        found[key] = Draft(
            Condition(tree.schema, tuple(clauses.values())),
            len(kept),
            answer,
            covered,
            float(inside.sum()),
            float(inside[codes[covered] == answer].sum()),
        )
    return list(found.values())


class _Tests:
    """The tests of a tree, by the node to which they lead, and the rows that pass each."""

    def __init__(self, tree: Tree, table: Table) -> None:
        self.tree, self.table = tree, table
        self._holds: dict[int, Mask] = {}
        self._clauses: dict[int, Clause] = {}
        first: dict[str, int] = {}
        self.same: dict[int, int] = {}
        for node in range(1, tree.n_nodes):
            said = self.clause(node).python()
            self.same[node] = first.setdefault(said, node)

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


# ---------------------------------------------------------------------- subsets of rules


def shortest_subset(
    rules: list[Draft], positive: Mask, weight: Array, bits_per_test: float
) -> list[Draft]:
    """Leave out rules of one class while the description gets no longer."""
    # The weakest are looked at first.
    kept = sorted(rules, key=lambda rule: (rule.right + 1) / (rule.weight + 2))
    times = np.zeros(len(weight), np.int64)
    for rule in kept:
        times += rule.covered
    total = _description(kept, times, positive, weight, bits_per_test)
    changed = True
    while changed:
        changed = False
        for rule in list(kept):
            rest = [other for other in kept if other is not rule]
            fewer = times - rule.covered
            cost = _description(rest, fewer, positive, weight, bits_per_test)
            if cost <= total + 1e-9:
                kept, times, total, changed = rest, fewer, cost, True
    return kept


def _description(
    rules: list[Draft],
    times: npt.NDArray[np.int64],
    positive: Mask,
    weight: Array,
    bits_per_test: float,
) -> float:
    inside = times > 0
    covered = float(weight[inside].sum())
    wrong = float(weight[inside & ~positive].sum())
    missed = float(weight[~inside & positive].sum())
    rest = float(weight.sum()) - covered
    theory = sum(rule.n_tests for rule in rules) * bits_per_test - lgamma(len(rules) + 1) / log(2)
    return 0.5 * theory + _log2_choose(covered, wrong) + _log2_choose(rest, missed)


def _log2_choose(n: float, k: float) -> float:
    if n <= 0 or k <= 0 or k >= n:
        return 0.0
    return (lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1)) / log(2)


def path_tests(tree: Tree) -> int:
    """Count the tests on all paths of a tree.

    Examples
    --------
    >>> import ceiba
    >>> path_tests(ceiba.tree.build(("x <= 9", ("x <= 2.5", "a", "b"), "a")))
    5
    """
    return sum(len(list(pairwise(tree.path(leaf).nodes))) for leaf in tree.leaves.tolist())
