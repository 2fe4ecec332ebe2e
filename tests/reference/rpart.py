"""rpart's rules by exhaustive search: the improvement, left and right, stand-ins for holes, the cp
stop.

Written from the description of rpart's conventions that comes with the oracle (its sections 3 to 8)
and from the vignette "An Introduction to Recursive Partitioning" (Therneau and Atkinson). Nodes
carry rpart's numbers: the root is 1, the sons of k are 2k (left: the smaller mean response) and 2k
+ 1.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import accumulate, pairwise

from tests.reference.criteria import gain
from tests.reference.data import Data, Exact
from tests.reference.distribution import Distribution, distribution, merge, total
from tests.reference.exact import Number, above, decimal, exact, ln, midpoint, ratio, times
from tests.reference.splits import level_sets
from tests.reference.surrogates import OTHER, Mimic, Side, Surrogate, surrogates


@dataclass(frozen=True)
class Control:
    minsplit: int = 20
    minbucket: int = 7
    cp: Exact = Fraction(1, 100)
    maxcompete: int = 4
    maxsurrogate: int = 5
    usesurrogate: int = 2
    surrogatestyle: int = 0
    maxdepth: int = 30


@dataclass(frozen=True)
class Choice:
    """A split with its merit; the improvement is already divided by the cost of its column."""

    mimic: Mimic
    improve: Number
    n_used: int


@dataclass
class RpartNode:
    number: int
    rows: list[int]
    risk: Number
    complexity: Number = 0
    primary: Choice | None = None
    competitors: list[Choice] = field(default_factory=list)
    surrogates: list[Surrogate] = field(default_factory=list)
    sent_by_surrogate: list[int] = field(default_factory=list)
    default: Side | None = None
    n_missing_primary: int = 0
    sons: tuple[RpartNode, RpartNode] | None = None


class Method:
    """What anova, class and poisson differ in: the distribution searched, the improvement, the
    risk.
    """

    criterion: str

    def __init__(self, data: Data) -> None:
        self.data = data

    def distribution(self, rows: Sequence[int]) -> Distribution:
        return distribution(self.data.targets[0], self.data.weight, rows)

    def improve(self, below: Distribution, above_: Distribution, node_risk: Number) -> Number:
        return times(total(below) + total(above_), gain(self.criterion, [below, above_]))

    def risk(self, rows: Sequence[int]) -> Number:
        raise NotImplementedError


class Anova(Method):
    criterion = "squared_error"

    def improve(self, below: Distribution, above_: Distribution, node_risk: Number) -> Number:
        return super().improve(below, above_, node_risk) / node_risk

    def value(self, rows: Sequence[int]) -> Exact:
        part = self.distribution(rows)
        return ratio(sum(y * w for y, w in part.items()), total(part))

    def risk(self, rows: Sequence[int]) -> Exact:
        part, mean = self.distribution(rows), self.value(rows) if rows else 0
        return sum(w * (y - mean) ** 2 for y, w in part.items())


class Class(Method):
    """`loss[i][j]`: cost of saying j when the truth is i; priors default to the class shares."""

    def __init__(
        self,
        data: Data,
        n_classes: int,
        prior: Sequence[Exact] | None = None,
        loss: Sequence[Sequence[Exact]] | None = None,
        criterion: str = "gini",
    ) -> None:
        super().__init__(data)
        self.criterion, self.classes = criterion, range(n_classes)
        everything = distribution(data.targets[0], data.weight, range(data.n_rows))
        share = [ratio(everything.get(k, 0), total(everything)) for k in self.classes]
        self.loss = loss or [[int(i != j) for j in self.classes] for i in self.classes]
        self.scale = [prior[k] / share[k] if prior else 1 for k in self.classes]
        altered = [(prior[k] if prior else share[k]) * sum(self.loss[k]) for k in self.classes]
        self.altered = [
            a / sum(altered) / s if s else 0 for a, s in zip(altered, share, strict=True)
        ]

    def distribution(self, rows: Sequence[int]) -> Distribution:
        return distribution(self.data.targets[0], self.data.weight, rows, self.altered)

    def improve(self, below: Distribution, above_: Distribution, node_risk: Number) -> Number:
        bits = super().improve(below, above_, node_risk)
        return times(bits, ln(2)) if self.criterion == "entropy" else bits

    def counts(self, rows: Sequence[int]) -> list[Exact]:
        part = distribution(self.data.targets[0], self.data.weight, rows)
        return [part.get(k, 0) for k in self.classes]

    def scaled_counts(self, rows: Sequence[int]) -> list[Exact]:
        return [count * q for count, q in zip(self.counts(rows), self.scale, strict=True)]

    def costs(self, rows: Sequence[int]) -> list[Exact]:
        """Expected cost, not divided by anything, of each answer."""
        scaled = self.scaled_counts(rows)
        return [sum(scaled[k] * self.loss[k][j] for k in self.classes) for j in self.classes]

    def value(self, rows: Sequence[int]) -> int:
        costs = self.costs(rows)
        return costs.index(min(costs))

    def risk(self, rows: Sequence[int]) -> Exact:
        return min(self.costs(rows))


class Poisson(Method):
    """The target is the rate of each row, searched with weight times observation time."""

    criterion = "poisson"

    def __init__(
        self,
        data: Data,
        time: Sequence[Exact],
        shrink: Exact = 1,
        fitted: Sequence[int] | None = None,
    ) -> None:
        super().__init__(data)
        self.time, self.shrink = time, shrink
        self.scaled = [w * t for w, t in zip(data.weight, time, strict=True)]
        rows = range(data.n_rows) if fitted is None else fitted
        self.a = 1 / Fraction(shrink) ** 2 if shrink else 0
        overall = ratio(self.events(rows), sum(self.scaled[row] for row in rows))
        self.b = self.a / overall

    def distribution(self, rows: Sequence[int]) -> Distribution:
        return distribution(self.data.targets[0], self.scaled, rows)

    def improve(self, below: Distribution, above_: Distribution, node_risk: Number) -> Number:
        return times(2, super().improve(below, above_, node_risk))

    def events(self, rows: Sequence[int]) -> Exact:
        return sum(self.data.targets[0][row] * self.scaled[row] for row in rows)

    def value(self, rows: Sequence[int]) -> Exact:
        return ratio(self.events(rows) + self.a, sum(self.scaled[row] for row in rows) + self.b)

    def risk(self, rows: Sequence[int]) -> Number:
        rate, result = self.value(rows), decimal(0)
        for row in rows:
            if self.data.weight[row] == 0:  # in rpart 0 * log(0) spoils the sum
                continue
            time, mu = self.time[row], rate * self.time[row]
            y = self.data.targets[0][row] * time
            log = decimal(y) * (ln(y) - ln(mu)) if y else decimal(0)
            result += decimal(2 * self.data.weight[row]) * (log - decimal(y - mu))
        return result


def mean(part: Distribution) -> Exact:
    return ratio(sum(y * w for y, w in part.items()), total(part))


@dataclass
class Grower:
    method: Method
    control: Control
    cost: Sequence[Exact] | None = None
    largest_improve: Number = 0
    train_node: dict[int, int] = field(default_factory=dict)

    @property
    def data(self) -> Data:
        return self.method.data

    def fit(self, rows: list[int] | None = None, alpha: Number | None = None) -> RpartNode:
        """Grow on the rows (all), with cp in absolute units (cp x risk of the root)."""
        rows = list(range(self.data.n_rows)) if rows is None else rows
        root_risk = self.method.risk(rows)
        self.alpha = times(self.control.cp, root_risk) if alpha is None else alpha
        root = RpartNode(1, rows, root_risk)
        self.partition(root, root_risk)
        cap_complexity(root, root.complexity)
        return root

    # --- growing and the cp stop (oracle sections 5 and 8)

    def partition(self, node: RpartNode, bound: Number) -> tuple[Number, int]:
        """Grow below the node; returns the risk and the number of splits of what is kept."""
        self.train_node.update((row, node.number) for row in node.rows)
        node.complexity, alpha = self.alpha, self.alpha
        limit = min(node.risk, bound)
        too_small = len(node.rows) < self.control.minsplit
        too_deep = node.number > 2**self.control.maxdepth - 1
        if too_small or too_deep or not above(limit, alpha) or not self.choose(node):
            return node.risk, 0
        left, right = node.sons = self.divide(node)
        left_risk, left_splits = self.partition(left, limit - alpha)
        right_bound = max((node.risk - left_risk) / (left_splits + 1), node.risk - left.risk)
        right_risk, right_splits = self.partition(right, min(right_bound, bound) - alpha)
        kept = [[left, left_risk, left_splits], [right, right_risk, right_splits]]
        kept.sort(key=lambda part: part[0].complexity)  # right goes first on a tie, see below
        if kept[0][0].complexity == kept[1][0].complexity:
            kept.reverse()
        for part in kept:
            if not above(link(node, kept), part[0].complexity):
                break
            part[1:] = part[0].risk, 0
        node.complexity = link(node, kept)
        if above(node.complexity, alpha):
            return kept[0][1] + kept[1][1], kept[0][2] + kept[1][2] + 1
        node.primary, node.sons = None, None
        node.competitors, node.surrogates = [], []
        self.train_node.update((row, node.number) for row in node.rows)
        return node.risk, 0

    # --- the split of a node (section 4)

    def choose(self, node: RpartNode) -> bool:
        choices = []
        for column in range(len(self.data.columns)):
            best = self.best_of_column(column, node)
            if best is None:
                continue
            if above(best.improve, self.largest_improve):
                self.largest_improve = best.improve
            if above(best.improve, times(self.largest_improve, Fraction(1, 10**10))):
                price = self.cost[column] if self.cost else 1
                choices.append(
                    Choice(best.mimic, times(best.improve, ratio(1, price)), best.n_used)
                )
        if not choices:
            return False
        ranked: list[Choice] = []
        for choice in choices:  # insertion keeps the earlier column first on ties
            at = sum(1 for other in ranked if not above(choice.improve, other.improve))
            ranked.insert(at, choice)
        node.primary, node.competitors = ranked[0], ranked[1 : self.control.maxcompete + 1]
        return True

    def best_of_column(self, column: int, node: RpartNode) -> Choice | None:
        rows = [r for r in self.data.present(column, node.rows) if self.data.weight[r] > 0]
        categorical = self.data.columns[column].kind == "categorical"
        divisions = self.level_divisions if categorical else self.cut_divisions
        best: Choice | None = None
        for mimic, below, over in divisions(column, rows):
            improve = self.method.improve(below, over, node.risk) if node.risk else 0
            if above(improve, best.improve if best else 0):
                best = Choice(mimic, improve, len(rows))
        return best

    def cut_divisions(
        self, column: int, rows: Sequence[int]
    ) -> Iterator[tuple[Mimic, Distribution, Distribution]]:
        values, bucket = self.data.columns[column].values, self.control.minbucket
        distinct = sorted({values[row] for row in rows})
        members = [[row for row in rows if values[row] == value] for value in distinct]
        parts = [self.method.distribution(group) for group in members]
        under = list(accumulate(parts, lambda a, b: merge([a, b])))
        over = list(accumulate(reversed(parts), lambda a, b: merge([a, b])))[::-1]
        n_under = list(accumulate(len(group) for group in members))
        for i, (low, high) in enumerate(pairwise(distinct)):
            if min(n_under[i], len(rows) - n_under[i]) < bucket:
                continue
            below: Side = "left" if mean(under[i]) < mean(over[i + 1]) else "right"
            yield Mimic(column, midpoint(low, high), below), under[i], over[i + 1]

    def level_divisions(
        self, column: int, rows: Sequence[int]
    ) -> Iterator[tuple[Mimic, Distribution, Distribution]]:
        described, bucket = self.data.columns[column], self.control.minbucket
        levels = sorted({described.values[row] for row in rows})
        members = {level: [r for r in rows if described.values[r] == level] for level in levels}
        parts = {level: self.method.distribution(members[level]) for level in levels}
        for pair in self.level_pairs(column, rows, parts):
            if min(sum(len(members[level]) for level in side) for side in pair) < bucket:
                continue
            a, b = (merge(parts[level] for level in side) for side in pair)
            first: Side = "left" if mean(a) < mean(b) else "right"
            sides = dict.fromkeys(pair[0], first) | dict.fromkeys(pair[1], OTHER[first])
            yield Mimic(column, side_of_level=sides), a, b

    def level_pairs(
        self, column: int, rows: Sequence[int], parts: dict[int, Distribution]
    ) -> Iterator[tuple[Sequence[int], Sequence[int]]]:
        """All pairs of level sets with three or more classes, else only those along the mean
        response.

        Without minbucket both hold the best split (Breiman's theorem); with it, rpart still tries
        the latter only.
        """
        if isinstance(self.method, Class) and len(self.method.classes) > 2:
            for split in level_sets(column, self.data.columns[column], rows):
                yield split.branches
            return
        order = sorted(parts, key=lambda level: mean(parts[level]))
        if isinstance(self.method, Class | Poisson):  # share of the first class; highest rate first
            order = sorted(parts, key=lambda level: -mean(parts[level]))
        for at in range(1, len(order)):
            yield order[:at], order[at:]

    # --- where the rows go (sections 6 and 7, "growing")

    def divide(self, node: RpartNode) -> tuple[RpartNode, RpartNode]:
        data, control, primary = self.data, self.control, node.primary.mimic
        values = data.columns[primary.column].values
        side = {row: primary.side(values[row]) for row in node.rows}
        placed = {row: s for row, s in side.items() if s is not None}
        open_rows = [row for row in node.rows if values[row] is None]
        node.n_missing_primary = len(node.rows) - len(placed)
        if control.maxsurrogate > 0:
            node.surrogates = surrogates(
                data,
                node.rows,
                primary.column,
                placed,
                keep=control.maxsurrogate,
                style=control.surrogatestyle,
            )
            # with maxsurrogate = 0 rpart never computes the heavier side: the rows stay
            node.default = heavier_side(data, placed)
        node.sent_by_surrogate = [0] * len(node.surrogates)
        for row in open_rows:
            if control.usesurrogate > 0:
                side[row] = self.stand_in(node, row)
            if side[row] is None and control.usesurrogate == 2:
                side[row] = node.default
        sons = [[row for row in node.rows if side[row] == s] for s in ("left", "right")]
        return tuple(
            RpartNode(2 * node.number + i, rows, self.method.risk(rows))
            for i, rows in enumerate(sons)
        )

    def stand_in(self, node: RpartNode, row: int) -> Side | None:
        for at, surrogate in enumerate(node.surrogates):
            mimic = surrogate.mimic
            side = mimic.side(self.data.columns[mimic.column].values[row])
            if side is not None:
                node.sent_by_surrogate[at] += 1
                return side
        return None


def heavier_side(data: Data, placed: dict[int, Side]) -> Side | None:
    left, right = (
        sum(data.weight[row] for row, s in placed.items() if s == side)
        for side in ("left", "right")
    )
    if left == right:
        return None
    return "left" if left > right else "right"


def link(node: RpartNode, kept: Sequence[Sequence[object]]) -> Number:
    splits = kept[0][2] + kept[1][2] + 1
    difference = node.risk - (kept[0][1] + kept[1][1])
    return times(ratio(1, splits), difference)


def cap_complexity(root: RpartNode, limit: Number) -> None:
    """No son outlives its father."""
    stack = [(root, limit)]
    while stack:
        node, bound = stack.pop()
        node.complexity = min(node.complexity, bound)
        stack.extend((son, node.complexity) for son in node.sons or ())


def exact_control(control: dict[str, float]) -> Control:
    return Control(**{k: exact(v) for k, v in control.items()})
