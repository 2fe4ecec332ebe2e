"""Impurity of a weighted distribution, and gain of a partition (decrease per unit of node weight).

gini 1 - sum p^2; entropy in bits; error 1 - max p; squared_error the variance; absolute_error the
mean distance from the weighted median; quantile(q) the mean pinball loss; poisson half the mean
deviance (as scikit-learn). Two have a gain only: twoing, pL pR / 4 (sum |p(j|L) - p(j|R)|)^2
(Breiman et al. 1984, section 4.3); and hellinger, the mean over pairs of classes j, k of
1 - sqrt(p(L|j) p(L|k)) - sqrt(p(R|j) p(R|k)) (Cieslak and Chawla 2008).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import partial
from itertools import combinations

from tests.reference.distribution import Distribution, Exact, merge, total
from tests.reference.exact import Number, decimal, exact, ln, log2, minus, precise, ratio, times

CLASSIFICATION = ("gini", "entropy", "error", "twoing", "hellinger")
QUANTILES = ("quantile(0.9)", "quantile(0.25)", "quantile(0.333)")
REGRESSION = ("squared_error", "absolute_error", *QUANTILES, "poisson")
# Those whose gain is a rational number of the data: here ties are ties, whatever the machine.
RATIONAL = ("gini", "error", "twoing", "squared_error", "absolute_error", *QUANTILES)


def gini(part: Mapping[Exact, Exact]) -> Number:
    weight = total(part)
    return 1 - ratio(sum(w * w for w in part.values()), weight * weight)


@precise
def entropy(part: Mapping[Exact, Exact]) -> Number:
    weight = total(part)
    shares = [ratio(w, weight) for w in part.values() if w]
    return -sum((decimal(p) * log2(p) for p in shares), decimal(0))


def error(part: Mapping[Exact, Exact]) -> Number:
    return 1 - ratio(max(part.values()), total(part))


def squared_error(part: Mapping[Exact, Exact]) -> Number:
    weight = total(part)
    mean = ratio(sum(w * y for y, w in part.items()), weight)
    return ratio(sum(w * y * y for y, w in part.items()), weight) - mean * mean


def weighted_quantile(part: Mapping[Exact, Exact], level: Fraction) -> Exact:
    """The smallest value with at least this share of the weight at or below it."""
    share, below = level * exact(total(part)), Fraction(0)
    for value in sorted(part):
        below += part[value]
        if below >= share:
            return value
    raise ValueError("a distribution without weight has no quantile")


def pinball(part: Mapping[Exact, Exact], level: Fraction) -> Number:
    """The mean loss: level times the distance of values above the quantile, 1 - level below."""
    at = weighted_quantile(part, level)
    losses = (w * ((y - at) * level if y > at else (at - y) * (1 - level)) for y, w in part.items())
    return ratio(sum(losses, Fraction(0)), total(part))


def absolute_error(part: Mapping[Exact, Exact]) -> Number:
    return 2 * pinball(part, Fraction(1, 2))


@precise
def poisson(part: Mapping[Exact, Exact]) -> Number:
    weight = total(part)
    mean = ratio(sum(w * y for y, w in part.items()), weight)
    terms = [decimal(w * y) * (ln(exact(y)) - ln(mean)) for y, w in part.items() if y > 0]
    return sum(terms, decimal(0)) / decimal(weight)


IMPURITY: dict[str, Callable[[Mapping[Exact, Exact]], Number]] = {
    "gini": gini,
    "entropy": entropy,
    "error": error,
    "squared_error": squared_error,
    "absolute_error": absolute_error,
    **{name: partial(pinball, level=Fraction(name[9:-1])) for name in QUANTILES},
    "poisson": poisson,
}


def twoing_gain(left: Mapping[Exact, Exact], right: Mapping[Exact, Exact]) -> Number:
    a, b = total(left), total(right)
    distance = sum(
        abs(ratio(left.get(k, 0), a) - ratio(right.get(k, 0), b)) for k in {*left, *right}
    )
    return ratio(a * b, (a + b) ** 2) * distance**2 / 4


@precise
def hellinger_gain(left: Mapping[Exact, Exact], right: Mapping[Exact, Exact]) -> Number:
    whole = merge([left, right])
    pairs = list(combinations([k for k, w in whole.items() if w], 2))
    alike = sum(
        (
            decimal(ratio(side.get(j, 0) * side.get(k, 0), whole[j] * whole[k])).sqrt()
            for j, k in pairs
            for side in (left, right)
        ),
        decimal(0),
    )
    return 1 - alike / len(pairs) if pairs else decimal(0)


#: Criteria that value a split; nodes show gini.
OF_SPLIT = {"twoing": twoing_gain, "hellinger": hellinger_gain}


def gain(criterion: str, branches: Sequence[Distribution]) -> Number:
    """Impurity of the whole minus the weighted impurities of the branches."""
    if criterion in OF_SPLIT:
        left, right = branches
        return OF_SPLIT[criterion](left, right)
    impurity, whole = IMPURITY[criterion], merge(branches)
    result = impurity(whole)
    for branch in branches:
        if branch:
            share = ratio(total(branch), total(whole))
            result = minus(result, times(share, impurity(branch)))
    return result
