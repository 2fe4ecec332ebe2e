"""Derive general rules from the paths of a tree (Quinlan 1993, C4.5, chapter 5: C4.5rules).

Each path to a leaf is a rule. Tests are dropped as long as the pessimistic error rate of the rule
(`ceiba.prune.pessimistic`) does not rise; equal rules are merged. The path of a small leaf may
generalize to a rule that is mostly correct elsewhere, so the full path is also a candidate.

For each class a subset of its rules is chosen by description length (Quinlan and Rivest 1989): the
bits to encode the rules and the bits to encode the exceptions, that is the covered rows of other
classes and the rows of the class that are not covered,

    log2 C(covered, false positives) + log2 C(not covered, false negatives).

A rule costs log2(number of different tests) bits per test, less log2 of the number of orders of its
tests and of the rules of the class. The theory counts half, as in C4.5, because rules overlap.
Rules are dropped greedily, each time the one that shortens the description most. The rules of all
classes are then sorted by C5.0's confidence, (right + 1) / (covered + 2), and a rule that causes
more training errors in that order than it avoids is dropped.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import log, log2
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from scipy.special import gammaln

from ceiba.paths import Clause, Condition, add_clause, branch_clause
from ceiba.prune import added_errors
from ceiba.table import Table
from ceiba.tree import SplitKind, Tree

Array = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]

# Weight of the rules (the theory) relative to their exceptions, as in C4.5.
_THEORY_WEIGHT: Final = 0.5


@dataclass(frozen=True)
class CandidateRule:
    """A rule with its condition, its class and the training rows that it covers."""

    condition: Condition
    tests: frozenset[int]  # ids of the tests of the rule; equal tests have the same id
    answer: int
    covered: Mask
    weight: float  # total weight of the covered rows
    right: float  # total weight of the covered rows of the predicted class

    @property
    def errors(self) -> float:
        """Total weight of the covered rows whose class is not the predicted one."""
        return max(self.weight - self.right, 0.0)

    @property
    def confidence(self) -> float:
        """Weighted fraction of the predicted class in the covered rows, shrunk towards one half."""
        return (self.right + 1) / (self.weight + 2)


def candidate_rules(
    tree: Tree, table: Table, codes: npt.NDArray[np.intp], weight: Array, confidence: float
) -> list[CandidateRule]:
    """Return the distinct rules of all nonempty leaves, each in full and in generalized form."""
    tests = _Tests(tree, table)
    unique: dict[tuple[int, frozenset[int]], CandidateRule] = {}
    for leaf in tree.leaves.tolist():
        if tree.weight[leaf] <= 0:
            continue
        answer = int(tree.answer[leaf])
        path = tree.path(leaf).nodes[1:]
        right = codes == answer
        general = _generalise(tests, path, right, weight, confidence)
        for nodes in (general, _drop_implied_cuts(tree, path)):
            key = (answer, frozenset(tests.same[node] for node in nodes))
            if nodes and key not in unique:
                unique[key] = _build_rule(tests, nodes, key, right, weight)
    return list(unique.values())


def _drop_implied_cuts(tree: Tree, path: tuple[int, ...]) -> list[int]:
    """Return the path without nodes whose cut is implied by a later cut on the same column."""
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


def _build_rule(
    tests: _Tests, nodes: list[int], key: tuple[int, frozenset[int]], right: Mask, weight: Array
) -> CandidateRule:
    covered = np.ones(len(weight), bool)
    clauses: dict[str, Clause] = {}
    for node in nodes:
        covered &= tests.holds(node)
        clauses = add_clause(clauses, tests.clauses[node])
    return CandidateRule(
        Condition(tests.tree.schema, tuple(clauses.values())),
        key[1],
        key[0],
        covered,
        float(weight[covered].sum()),
        float(weight[covered & right].sum()),
    )


class _Tests:
    """The test that leads to each node of a tree, and the rows that satisfy it."""

    def __init__(self, tree: Tree, table: Table) -> None:
        self.tree, self.table = tree, table
        self.clauses = {
            node: branch_clause(tree, int(tree.parent[node]), int(tree.branch_index[node]))
            for node in range(1, tree.n_nodes)
        }
        first: dict[str, int] = {}
        self.same = {
            node: first.setdefault(clause.python(), node) for node, clause in self.clauses.items()
        }
        self._holds: dict[int, Mask] = {}

    def holds(self, node: int) -> Mask:
        at = self.same[node]
        if at not in self._holds:
            self._holds[at] = self.clauses[at].holds(self.table)
        return self._holds[at]


def _generalise(
    tests: _Tests, path: tuple[int, ...], right: Mask, weight: Array, confidence: float
) -> list[int]:
    """Drop tests from a path as long as the pessimistic error does not rise; return the rest."""
    nodes = list(path)
    fails = {node: ~tests.holds(node) for node in nodes}
    # `n_failed` counts the tests that a row fails. `total` sums their indices, so it is the index
    # of the failed test if n_failed is 1. Dropping a test updates both in O(rows).
    n_failed = np.zeros(len(weight), np.int32)
    total = np.zeros(len(weight), np.int64)
    for k, node in enumerate(path):
        n_failed += fails[node]
        total += k * fails[node]
    index = {node: k for k, node in enumerate(path)}
    inside = n_failed == 0
    covered, good = float(weight[inside].sum()), float(weight[inside & right].sum())
    rate = _error_rate(covered, good, confidence)
    while nodes:
        # If a test is dropped, the rule also covers the rows that failed only this test.
        once = n_failed == 1
        extra = np.bincount(total[once], weights=weight[once], minlength=len(path))
        well = once & right
        extra_good = np.bincount(total[well], weights=weight[well], minlength=len(path))
        rates = [
            (_error_rate(covered + extra[index[n]], good + extra_good[index[n]], confidence), -k)
            for k, n in enumerate(nodes)
        ]
        best = min(rates)
        if best[0] > rate + 1e-12:
            break
        node = nodes.pop(-best[1])
        rate, covered = best[0], covered + float(extra[index[node]])
        good += float(extra_good[index[node]])
        n_failed -= fails[node]
        total -= index[node] * fails[node]
    return nodes


def _error_rate(covered: float, good: float, confidence: float) -> float:
    if covered <= 0:
        return 1.0
    errors = max(covered - good, 0.0)
    return (errors + added_errors(covered, errors, confidence)) / covered


# ---------------------------------------------------------------------- selection


def select_rules(
    rules: list[CandidateRule], codes: npt.NDArray[np.intp], weight: Array, n_classes: int
) -> tuple[list[CandidateRule], int]:
    """Return the selected rules by descending confidence, and the default class."""
    totals = np.bincount(codes, weights=weight, minlength=n_classes).astype(np.float64)
    different = len(frozenset().union(*(rule.tests for rule in rules))) if rules else 0
    test_bits = log2(max(different, 2))
    short_rules = [
        rule
        for k in range(n_classes)
        for rule in _minimize_description(
            [r for r in rules if r.answer == k], codes == k, weight, test_bits
        )
    ]
    return _drop_harmful(
        sorted(short_rules, key=lambda rule: -rule.confidence), codes, weight, totals
    )


# ---------------------------------------------------------------------- description length


def _minimize_description(
    rules: list[CandidateRule], positive: Mask, weight: Array, test_bits: float
) -> list[CandidateRule]:
    """Drop rules of one class as long as the length of their description does not increase."""
    if not rules:
        return []
    covers = np.array([rule.covered for rule in rules])
    keep = np.ones(len(rules), bool)
    n_tests = np.array([len(rule.tests) for rule in rules])
    bits = n_tests * test_bits - _log2_factorial(n_tests)
    times = covers.sum(axis=0)
    # Sum of the indices of the rules that cover a row; for a single rule, it is the rule's index.
    numbers = np.arange(len(rules)) @ covers
    total, hits = float(weight.sum()), float(weight[positive].sum())
    while keep.any():
        covered = float(weight[times > 0].sum())
        right = float(weight[(times > 0) & positive].sum())
        # Dropping a rule uncovers exactly the rows that only this rule covers.
        single = times == 1
        owner = numbers[single]
        size = np.bincount(owner, weights=weight[single], minlength=len(rules))
        good = np.bincount(owner, weights=(weight * positive)[single], minlength=len(rules))
        theory, n = float(bits[keep].sum()), int(keep.sum())
        now = _description_length(theory, n, covered, right, total, hits)
        without = _description_length(
            theory - bits, n - 1, covered - size, right - good, total, hits
        )
        least = int(np.argmin(np.where(keep, without, np.inf)))
        if without[least] > now:
            break
        keep[least] = False
        times = times - covers[least]
        numbers = numbers - least * covers[least]
    return [rule for rule, is_kept in zip(rules, keep, strict=True) if is_kept]


def _description_length(
    theory: Any, n_rules: int, covered: Any, right: Any, total: float, hits: float
) -> Any:
    """Return the bits that describe rules and their exceptions, elementwise for arrays."""
    exceptions = _log2_binomial(covered, covered - right) + _log2_binomial(
        total - covered, hits - right
    )
    return exceptions + _THEORY_WEIGHT * (theory - _log2_factorial(n_rules))


def _log2_factorial(n: Any) -> Any:
    return gammaln(n + 1.0) / log(2)


def _log2_binomial(n: Any, k: Any) -> Any:
    """Return log2 of the binomial coefficient, which is also defined for fractional weights."""
    n = np.maximum(n, 0.0)
    k = np.clip(k, 0.0, n)
    return _log2_factorial(n) - _log2_factorial(k) - _log2_factorial(n - k)


# ---------------------------------------------------------------------- ordered list


class _FirstTwo:
    """Indices of the first two remaining rules that cover each row; `len(rules)` means none."""

    def __init__(self, rules: list[CandidateRule]) -> None:
        self.covers = np.array([rule.covered for rule in rules])
        self.mask = np.ones(len(rules), bool)
        n_rows = self.covers.shape[1]
        self.first = np.zeros(n_rows, np.intp)
        self.second = np.zeros(n_rows, np.intp)
        self._update(np.arange(n_rows))

    def _update(self, rows: npt.NDArray[np.intp]) -> None:
        none = len(self.mask)
        covering = self.covers[:, rows] & self.mask[:, None]
        first = np.where(covering.any(axis=0), covering.argmax(axis=0), none)
        covered = np.flatnonzero(first < none)
        covering[first[covered], covered] = False
        self.first[rows] = first
        self.second[rows] = np.where(covering.any(axis=0), covering.argmax(axis=0), none)

    def remove(self, rule: int) -> None:
        self.mask[rule] = False
        self._update(np.flatnonzero((self.first == rule) | (self.second == rule)))


def _drop_harmful(
    rules: list[CandidateRule], codes: npt.NDArray[np.intp], weight: Array, totals: Array
) -> tuple[list[CandidateRule], int]:
    """Drop rules that cause more errors than they avoid; return the rest and the default class."""
    if not rules:
        return [], int(np.argmax(totals))
    at = _FirstTwo(rules)
    while True:
        default = _default_class(at.first == len(rules), codes, weight, totals)
        answer = np.array([*(rule.answer for rule in rules), default])
        # The worth of a rule is the number of errors that its rows would add if it were dropped.
        saved = weight * ((answer[at.second] != codes) * 1.0 - (answer[at.first] != codes))
        worth = np.bincount(at.first, weights=saved, minlength=len(rules) + 1)[:-1]
        worth[~at.mask] = np.inf
        least = int(np.argmin(worth))
        if worth[least] > -1e-9 or not at.mask.any():
            return [rule for rule, is_left in zip(rules, at.mask, strict=True) if is_left], default
        at.remove(least)


def _default_class(open_: Mask, codes: npt.NDArray[np.intp], weight: Array, totals: Array) -> int:
    """Return the most frequent class among uncovered rows or, on ties, among all rows."""
    left = np.bincount(codes[open_], weights=weight[open_], minlength=len(totals))
    return max(range(len(totals)), key=lambda k: (left[k], totals[k]))
