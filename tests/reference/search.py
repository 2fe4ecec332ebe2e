"""The best split of a node, by trying every candidate of every column, and the rules that stop a
node.

Gain is per unit of node weight. Under "majority" and "surrogate" it is computed on the rows the
split can place and multiplied by their share of the node's weight. `min_gain` is scikit-learn's
`min_impurity_decrease`: the gain times the node's share of the whole weight must reach it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce

from tests.reference.criteria import gain
from tests.reference.data import Data, Exact
from tests.reference.distribution import Distribution, distribution, is_pure, total
from tests.reference.exact import Number, above, decimal, exact, minus, plus, ratio, times
from tests.reference.splits import Split, candidates


@dataclass(frozen=True)
class Rules:
    criterion: str = "gini"
    missing: str = "learn"
    multiway: bool = False
    max_depth: int | None = None
    min_samples_split: int = 2
    min_samples_leaf: int = 1
    min_weight_leaf: Exact = 0
    min_gain: float = 0.0
    class_scale: tuple[Exact, ...] | None = None


@dataclass(frozen=True)
class Found:
    split: Split
    gain: Number


def distributions(data: Data, rows: Sequence[int], rules: Rules) -> list[Distribution]:
    """One weighted distribution for each output."""
    return [distribution(t, data.weight, rows, rules.class_scale) for t in data.targets]


def branches_of(data: Data, split: Split, rows: Sequence[int]) -> list[list[int]]:
    """The rows of each branch; rows that the split cannot place are in none."""
    values, result = data.columns[split.column].values, [[] for _ in range(split.n_branches)]
    for row in rows:
        branch = split.branch(values[row])
        if branch is not None:
            result[branch].append(row)
    return result


def is_admissible(data: Data, parts: Sequence[Sequence[int]], rules: Rules) -> bool:
    """Each branch is large enough; a poisson branch has a positive mean (as scikit-learn asks)."""
    for rows in parts:
        if len(rows) < max(1, rules.min_samples_leaf):
            return False
        if data.total_weight(rows) < rules.min_weight_leaf:
            return False
        if rules.criterion == "poisson" and any(
            sum(target[row] * data.weight[row] for row in rows) <= 0 for target in data.targets
        ):
            return False
    return True


def gain_of(
    data: Data, parts: Sequence[Sequence[int]], rows: Sequence[int], rules: Rules
) -> Number:
    """Mean over the outputs of the gain on the placed rows, times their share of the node."""
    per_branch = [distributions(data, part, rules) for part in parts]
    gains = [gain(rules.criterion, list(output)) for output in zip(*per_branch, strict=True)]
    mean = times(ratio(1, len(gains)), reduce(plus, gains))
    whole = total(distributions(data, rows, rules)[0])
    placed = sum(total(branch[0]) for branch in per_branch)
    return times(ratio(placed, whole), mean)


def all_splits(data: Data, rows: Sequence[int], rules: Rules) -> list[Found]:
    """Every admissible split with its gain, in tie order."""
    result = []
    for index, column in enumerate(data.columns):
        for split in candidates(
            index, column, rows, missing=rules.missing, multiway=rules.multiway
        ):
            parts = branches_of(data, split, rows)
            if is_admissible(data, parts, rules):
                result.append(Found(split, gain_of(data, parts, rows, rules)))
    return result


def best_of(found: Sequence[Found]) -> Found | None:
    """The first of the best."""
    best: Found | None = None
    for candidate in found:
        if best is None or above(candidate.gain, best.gain):
            best = candidate
    return best


def stops_before_search(data: Data, rows: Sequence[int], depth: int, rules: Rules) -> bool:
    return (
        (rules.max_depth is not None and depth >= rules.max_depth)
        or len(rows) < rules.min_samples_split
        or len(rows) < 2 * rules.min_samples_leaf
        or data.total_weight(rows) < 2 * rules.min_weight_leaf
        or all(is_pure(part) for part in distributions(data, rows, rules))
    )


def reaches_min_gain(data: Data, rows: Sequence[int], value: Number, rules: Rules) -> bool:
    """scikit-learn's definition, with its allowance of one machine epsilon."""
    if rules.min_gain <= 0:
        return True
    everything = range(data.n_rows)
    share = ratio(
        total(distributions(data, rows, rules)[0]),
        total(distributions(data, everything, rules)[0]),
    )
    decrease = decimal(times(share, value))
    return minus(decrease, decimal(exact(rules.min_gain))) >= -decimal(exact(2.0**-52))


def best_split(data: Data, rows: Sequence[int], depth: int, rules: Rules) -> Found | None:
    """The split of the node, or None when it is a leaf."""
    if stops_before_search(data, rows, depth, rules):
        return None
    best = best_of(all_splits(data, rows, rules))
    if best is None or not reaches_min_gain(data, rows, best.gain, rules):
        return None
    return best
