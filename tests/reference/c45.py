"""C4.5 (Quinlan 1993; release 8 as Weka's J48 has it) in plain Python: slow, short, by the rules.

A column is a list of numbers or level positions, None where missing; `n_levels` is 0 for numbers. A
row is carried with its weight, because a row with a missing value goes down every branch with a
part of itself. `SMALL` is J48's slack in every comparison.

Numbers closer than `SMALL` are where ceiba and Weka part. Weka looks for its cut row by row and
takes a later value only if it exceeds the last by more than `SMALL`; a value less than `SMALL`
above the cut is sent to the left. `exact=True` is ceiba's rule: the largest value less than
`SMALL` above the midpoint, compared exactly.

Growing: information gain on the rows whose value is known, times their share; the ratio divides by
the split information, in which the unknown rows are one more branch. Only columns with at least
the average gain compete. A numeric cut pays log2(cuts) / weight for having been searched for.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise
from math import log2
from statistics import NormalDist

SMALL = 1e-6


@dataclass
class Column:
    name: str
    values: list
    levels: tuple = ()  # () for numbers


@dataclass
class Split:
    column: int
    cut: float | None = None
    level: int | None = None  # -B: this level against the rest
    n_branches: int = 2
    gain: float = 0.0
    ratio: float = 0.0
    slack: float = SMALL

    def branch(self, columns, row):
        value = columns[self.column].values[row]
        if value is None:
            return None
        if self.cut is not None:
            return 0 if value <= self.cut or value - self.cut < self.slack else 1
        if self.level is not None:
            return 0 if value == self.level else 1
        return int(value)


@dataclass
class Node:
    rows: list  # (row, weight)
    counts: list
    split: Split | None = None
    sons: list = field(default_factory=list)
    shares: list = field(default_factory=list)

    @property
    def weight(self):
        return sum(self.counts)

    @property
    def errors(self):
        return self.weight - max(self.counts)


class C45:
    """Grows and prunes one tree."""

    def __init__(
        self,
        columns,
        labels,
        n_classes,
        *,
        M=2,
        binary=False,
        confidence=0.25,
        raising=True,
        exact=False,
    ):
        self.columns, self.labels, self.n_classes = columns, labels, n_classes
        self.M, self.binary, self.exact = M, binary, exact
        self.root = self.grow([(row, 1.0) for row in range(len(labels))])
        collapse(self.root)
        if confidence is not None:
            self.z, self.confidence, self.raising = (
                NormalDist().inv_cdf(1 - confidence),
                confidence,
                raising,
            )
            self.prune(self.root)

    # ------------------------------------------------------------------ growing

    def count(self, rows):
        counts = [0.0] * self.n_classes
        for row, weight in rows:
            counts[self.labels[row]] += weight
        return counts

    def grow(self, rows):
        node = Node(rows, self.count(rows))
        node.split = self.best_split(node)
        if node.split is not None:
            node.sons = [self.grow(part) for part in self.divide(node, rows)]
        return node

    def divide(self, node, rows):
        """The rows of each branch; sets the branches' shares by these rows."""
        parts = [[] for _ in range(node.split.n_branches)]
        unknown = []
        for row, weight in rows:
            branch = node.split.branch(self.columns, row)
            (unknown if branch is None else parts[branch]).append((row, weight))
        known = [sum(weight for _, weight in part) for part in parts]
        total = sum(known)
        node.shares = [w / total if total > 0 else 1 / len(parts) for w in known]
        for part, share in zip(parts, node.shares, strict=True):
            if share > SMALL:
                part += [(row, weight * share) for row, weight in unknown]
        return parts

    def best_split(self, node):
        if 2 * self.M - node.weight > SMALL or node.weight - max(node.counts) < SMALL:
            return None
        usable = [
            split
            for j in range(len(self.columns))
            if (split := self.of_column(j, node)) is not None
        ]
        many = 0.3 * len(self.labels)
        few = [s for s in usable if many - len(self.columns[s.column].levels) > SMALL]
        if all(many - len(column.levels) <= SMALL for column in self.columns):
            few = usable
        if not few:
            return None
        average = sum(split.gain for split in few) / len(few)
        best, ratio = None, 0.0
        for split in usable:
            if split.gain >= average - 1e-3 and split.ratio - ratio > SMALL:
                best, ratio = split, split.ratio
        if best is not None and best.cut is not None:
            values = [v for v in self.columns[best.column].values if v is not None]
            below = [v for v in values if v - best.cut < SMALL]
            best.cut = max(below) if self.exact else scanned(below)
            best.slack = 0.0 if self.exact else SMALL
        return best

    def of_column(self, j, node):
        column = self.columns[j]
        known = [(row, w) for row, w in node.rows if column.values[row] is not None]
        if not column.levels:
            return self.best_cut(j, known, node.weight)
        bags = [[0.0] * self.n_classes for _ in column.levels]
        for row, w in known:
            bags[int(column.values[row])][self.labels[row]] += w
        if not self.binary:
            if not self.enough(bags):
                return None
            gain = info_gain(bags, node.weight)
            ratio = gain_ratio(gain, bags, node.weight)
            return Split(j, n_branches=len(bags), gain=gain, ratio=ratio)
        best = None
        for level, bag in enumerate(bags):
            rest = [
                sum(c) for c in zip(*(b for k, b in enumerate(bags) if k != level), strict=True)
            ]
            two = [bag, rest]
            if not self.enough(two) or self.M - sum(bag) >= SMALL:
                continue
            gain = info_gain(two, node.weight)
            ratio = gain_ratio(gain, two, node.weight)
            best = best or Split(j, level=level)
            if level == 0 or ratio - best.ratio > SMALL:
                best = Split(j, level=level, gain=gain, ratio=ratio)
        return best

    def enough(self, bags):
        return sum(self.M - sum(bag) < SMALL for bag in bags) > 1

    def best_cut(self, j, known, weight):
        values = self.columns[j].values
        known = sorted(known, key=lambda rw: values[rw[0]])
        total = sum(w for _, w in known)
        least = 0.1 * total / self.n_classes
        least = self.M if least - self.M < SMALL else min(least, 25.0)
        if 2 * least - len(known) > SMALL:
            return None
        left, right = [0.0] * self.n_classes, self.count(known)
        best, cut, n_cuts = 0.0, None, 0
        for (row, w), (after, _) in pairwise(known):
            left[self.labels[row]] += w
            right[self.labels[row]] -= w
            if not values[row] + 1e-5 < values[after]:
                continue
            if least - sum(left) >= SMALL or least - sum(right) >= SMALL:
                continue
            n_cuts += 1
            gain = info_gain([left, right], weight)
            if gain - best > SMALL:
                best, sides = gain, [left[:], right[:]]
                cut = (values[row] + values[after]) / 2
                if cut == values[after]:
                    cut = values[row]
        if n_cuts == 0:
            return None
        best -= log2(n_cuts) / weight
        if best < SMALL or cut is None:
            return None
        return Split(j, cut=cut, gain=best, ratio=gain_ratio(best, sides, weight))

    # ------------------------------------------------------------------ pruning

    def charge(self, counts):
        total = sum(counts)
        if total < SMALL:
            return 0.0
        errors = total - max(counts)
        return errors + added_errors(total, errors, self.confidence, self.z)

    def tree_charge(self, node):
        if not node.sons:
            return self.charge(node.counts)
        return sum(self.tree_charge(son) for son in node.sons)

    def branch_charge(self, node, rows):
        """The charge of a subtree if these were its rows."""
        if not node.sons:
            return self.charge(self.count(rows))
        kept = node.shares
        parts = self.divide(node, rows)
        node.shares = kept
        return sum(
            self.branch_charge(son, part) for son, part in zip(node.sons, parts, strict=True)
        )

    def recount(self, node, rows):
        node.rows, node.counts = rows, self.count(rows)
        if node.sons:
            for son, part in zip(node.sons, self.divide(node, rows), strict=True):
                self.recount(son, part)

    def prune(self, node):
        if not node.sons:
            return
        for son in node.sons:
            self.prune(son)
        largest = node.sons[0]
        for son in node.sons[1:]:
            if largest.weight - son.weight < SMALL:
                largest = son
        raised = self.branch_charge(largest, node.rows) if self.raising else float("inf")
        leaf, tree = self.charge(node.counts), self.tree_charge(node)
        if leaf - (tree + 0.1) < SMALL and leaf - (raised + 0.1) < SMALL:
            node.sons, node.split = [], None
        elif raised - (tree + 0.1) < SMALL:
            node.split, node.sons, node.shares = largest.split, largest.sons, largest.shares
            self.recount(node, node.rows)
            self.prune(node)

    # ------------------------------------------------------------------ reading the tree

    def distribution(self, row, node=None, columns=None):
        """Class probabilities of a row of `columns` (default: the training table)."""
        node, columns = node or self.root, columns or self.columns
        if not node.sons:
            return [c / node.weight for c in node.counts]
        branch = node.split.branch(columns, row)
        if branch is not None:
            if node.sons[branch].weight > 0:
                return self.distribution(row, node.sons[branch], columns)
            return [c / node.weight for c in node.counts]
        result = [0.0] * self.n_classes
        for son, share in zip(node.sons, node.shares, strict=True):
            if son.weight > 0:
                for k, p in enumerate(self.distribution(row, son, columns)):
                    result[k] += share * p
        return result

    def nodes(self):
        waiting = [self.root]
        while waiting:
            node = waiting.pop()
            yield node
            waiting += node.sons


def scanned(values):
    """The value at which Weka ends that wants the largest and goes through them in their order."""
    largest = float("-inf")
    for value in values:
        if value - largest > SMALL:
            largest = value
    return largest


def collapse(node):
    """Subtrees that make no fewer errors on their rows than a leaf become one."""
    if node.sons:
        if training_errors(node) >= node.errors - 1e-3:
            node.sons, node.split = [], None
        for son in node.sons:
            collapse(son)


def training_errors(node):
    return sum(map(training_errors, node.sons)) if node.sons else node.errors


def mass(x):
    return 0.0 if x < SMALL else x * log2(x)


def entropy_mass(bag):
    return mass(sum(bag)) - sum(map(mass, bag))


def info_gain(bags, weight):
    """Share of the known rows times the decrease of entropy among them, in bits."""
    whole = [sum(classes) for classes in zip(*bags, strict=True)]
    known = sum(whole)
    decrease = known / weight * (entropy_mass(whole) - sum(map(entropy_mass, bags)))
    return 0.0 if abs(decrease) < SMALL else decrease / known


def gain_ratio(gain, bags, weight):
    sizes = [sum(bag) for bag in bags]
    split_information = mass(weight) - sum(map(mass, sizes)) - mass(weight - sum(sizes))
    return 0.0 if abs(split_information) < SMALL else gain / (split_information / weight)


def added_errors(n, e, confidence, z):
    """Errors added to e of n: the upper limit of the error rate, less the observed one."""
    if e < 1:
        base = n * (1 - confidence ** (1 / n))
        return base if e == 0 else base + e * (added_errors(n, 1.0, confidence, z) - base)
    if e + 0.5 >= n:
        return max(n - e, 0.0)
    f = (e + 0.5) / n
    root = (f / n - f * f / n + z * z / (4 * n * n)) ** 0.5
    return (f + z * z / (2 * n) + z * root) / (1 + z * z / n) * n - e
