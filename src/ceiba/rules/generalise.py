"""From the paths of a tree to general rules (after Quinlan 1993, C4.5, chapter 5: C4.5rules).

Each path to a leaf is a rule. A test is dropped from it as long as the pessimistic error rate of
the rule (`ceiba.prune.pessimistic`) does not rise; rules that become equal are one. The rules are
put in order, the surest first, and those that save too few training errors are left out: a list in
which the first rule that covers a row answers. (C4.5rules orders by class and chooses subsets by
description length; on adult that costs half a percent of accuracy.)
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

from ceiba.inspection.conditions import Clause, Condition, clause_of, joined_with
from ceiba.prune.pessimistic import added_errors

if TYPE_CHECKING:
    from ceiba.table import Table
    from ceiba.tree import Tree

__all__ = ["Draft", "drafts", "needed", "path_tests"]

Array = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]

# What a test must save to be worth reading. Adult: 264 tests, 86.3 % right; at 2 errors 76, 86.2 %.
_ERRORS_PER_TEST: Final = 0.5


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
        return max(self.weight - self.right, 0.0)

    @property
    def confidence(self) -> float:
        """Share of the class, drawn a little towards one half."""
        return (self.right + 1) / (self.weight + 2)


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


# ---------------------------------------------------------------------- which rules are needed


class _FirstTwo:
    """The first two rules, of those still there, that cover each row; `len(rules)` is nobody."""

    def __init__(self, rules: list[Draft]) -> None:
        self.covers = np.array([rule.covered for rule in rules])
        self.there = np.ones(len(rules), bool)
        n_rows = self.covers.shape[1]
        self.first = np.zeros(n_rows, np.intp)
        self.second = np.zeros(n_rows, np.intp)
        self._look(np.arange(n_rows))

    def _look(self, rows: npt.NDArray[np.intp]) -> None:
        nobody = len(self.there)
        found = self.covers[:, rows] & self.there[:, None]
        first = np.where(found.any(axis=0), found.argmax(axis=0), nobody)
        held = np.flatnonzero(first < nobody)
        found[first[held], held] = False
        self.first[rows] = first
        self.second[rows] = np.where(found.any(axis=0), found.argmax(axis=0), nobody)

    def remove(self, rule: int) -> None:
        self.there[rule] = False
        self._look(np.flatnonzero((self.first == rule) | (self.second == rule)))


def needed(
    rules: list[Draft], codes: npt.NDArray[np.intp], weight: Array, n_classes: int
) -> tuple[list[Draft], int]:
    """Order rules, the surest first, leave out those that save too little; and the default class.

    A rule must save half an error for each of its tests, against what the rules after it and the
    default class say of the rows it is the first to cover. The most superfluous goes first.
    """
    whole = np.bincount(codes, weights=weight, minlength=n_classes).astype(np.float64)
    if not rules:
        return [], int(np.argmax(whole))
    rules = sorted(rules, key=lambda rule: -rule.confidence)
    price = _ERRORS_PER_TEST * np.array([rule.n_tests for rule in rules], np.float64)
    at = _FirstTwo(rules)
    while True:
        default = _default(at.first == len(rules), codes, weight, whole)
        answer = np.array([*(rule.answer for rule in rules), default])
        saved = weight * ((answer[at.second] != codes) * 1.0 - (answer[at.first] != codes))
        worth = np.bincount(at.first, weights=saved, minlength=len(rules) + 1)[:-1] - price
        worth[~at.there] = np.inf
        least = int(np.argmin(worth))
        if worth[least] > 0 or not at.there.any():
            return [rule for rule, kept in zip(rules, at.there, strict=True) if kept], default
        at.remove(least)


def _default(open_: Mask, codes: npt.NDArray[np.intp], weight: Array, whole: Array) -> int:
    """Give the most frequent class among the rows that no rule covers."""
    left = np.bincount(codes[open_], weights=weight[open_], minlength=len(whole))
    return max(range(len(whole)), key=lambda k: (left[k], whole[k]))


def path_tests(tree: Tree) -> int:
    """Count the tests on all paths of a tree.

    Examples
    --------
    >>> import ceiba
    >>> path_tests(ceiba.tree.build(("x <= 9", ("x <= 2.5", "a", "b"), "a")))
    5
    """
    return sum(len(list(pairwise(tree.path(leaf).nodes))) for leaf in tree.leaves.tolist())
