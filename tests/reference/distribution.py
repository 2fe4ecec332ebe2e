"""The weighted distribution of a target in a set of rows: `{value: weight}`, nothing else.

Class counts, means, variances and medians are all functions of it, and two disjoint sets of rows
add up.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction

Exact = int | Fraction
Distribution = dict[Exact, Exact]


def distribution(
    target: Sequence[Exact],
    weight: Sequence[Exact],
    rows: Iterable[int],
    scale: Sequence[Exact] | None = None,
) -> Distribution:
    """Weight of each target value among the rows; `scale[k]` multiplies class k (priors)."""
    result: Distribution = {}
    for row in rows:
        value = target[row]
        amount = weight[row] if scale is None else weight[row] * scale[int(value)]
        if amount:
            result[value] = result.get(value, 0) + amount
    return result


def merge(parts: Iterable[Mapping[Exact, Exact]]) -> Distribution:
    result: Distribution = {}
    for part in parts:
        for value, amount in part.items():
            result[value] = result.get(value, 0) + amount
    return result


def total(part: Mapping[Exact, Exact]) -> Exact:
    return sum(part.values())


def is_pure(part: Mapping[Exact, Exact]) -> bool:
    return len(part) <= 1
