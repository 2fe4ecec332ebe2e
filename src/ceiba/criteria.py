"""Split criteria: their tasks, units, and impurity or gain functions in numpy.

The gain of a split is the impurity of its node minus the weighted mean impurity of its branches.
`ceiba.impurity`, `ceiba.gain` and the tests use these functions. The core grows trees with the same
formulas in C++. p(j) is the share of class j (Breiman et al. 1984, chapters 4, 8 and 11):

    gini            1 - sum p^2
    entropy         - sum p log2 p, in bits; gain_ratio (C4.5) is gain / split information
    error           1 - max p
    squared_error   variance
    absolute_error  mean distance from the median
    quantile(q)     mean of q (y - v) above and (1 - q) (v - y) below the q-quantile v
    poisson         mean(y log(y / mean)), half the mean deviance
    twoing          pL pR / 4 (sum |p(j|L) - p(j|R)|)^2, for a split
    hellinger       mean of 1 - sqrt(p(L|j) p(L|k)) - sqrt(p(R|j) p(R|k)) over class pairs j, k

Survival trees report half the mean exponential deviance of nodes (LeBlanc and Crowley 1992): with d
events in scaled time T, the sum of -log t over scaled event times t, minus d log(d / T), divided by
the weight. The gain of "exponential" is the decrease of this deviance; the gain of "logrank" is
half the log-rank chi-square per unit of weight.
Sources: Koenker and Bassett (1978) for quantiles, Cieslak and Chawla (2008) for hellinger.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from ceiba.errors import OptionError, did_you_mean
from ceiba.task import Task, TaskName

__all__ = ["Criterion", "criterion_named", "criterion_names"]

Array = npt.NDArray[np.float64]
_QUANTILE: Final = re.compile(r"quantile\((0?\.\d+|\d(?:\.\d+)?e-\d+)\)")
#: Quantile levels are rounded to fractions with at most this denominator, so costs are integers.
_MAX_DENOMINATOR: Final = 1_000_000


@dataclass(frozen=True)
class Criterion:
    """A split criterion with its task, its unit and its impurity or gain function.

    Attributes
    ----------
    name : str
    task : {"classification", "regression", "survival"}
    unit : str
        Unit of impurity and gain; empty if they have no unit.
    of_counts : callable or None
        For classification, the impurity of weighted class counts over the last axis.
    of_values : callable or None
        For regression, the impurity of values y with weights w.
    of_split : callable or None
        For criteria that score a split, the gain from class counts of shape (..., 2, n_classes).
        Nodes then report the Gini impurity.

    Examples
    --------
    >>> from ceiba.criteria import criterion_named
    >>> entropy = criterion_named("entropy")
    >>> entropy.unit, float(entropy.of_counts([6, 6]))
    ('bits', 1.0)
    """

    name: str
    task: Task
    unit: str = ""
    of_counts: Callable[[npt.ArrayLike], Array] | None = None
    of_values: Callable[[npt.ArrayLike, npt.ArrayLike | None], float] | None = None
    of_split: Callable[[npt.ArrayLike], Array] | None = None


def _shares(counts: npt.ArrayLike) -> Array:
    """Return counts divided by their sum over the last axis, or zeros if all counts are zero."""
    numbers: Array = np.asarray(counts, dtype=np.float64)
    total = numbers.sum(axis=-1, keepdims=True)
    shares: Array = np.divide(numbers, total, out=np.zeros_like(numbers), where=total > 0)
    return shares


def gini(counts: npt.ArrayLike) -> Array:
    """Return the Gini impurity: 1 minus the sum of the squared class proportions."""
    numbers: Array = np.asarray(counts, dtype=np.float64)
    total = numbers.sum(axis=-1)
    # The sum of c (n - c) avoids cancellation, and is exact for integer counts if n <= 2**26.
    mixed = (numbers * (total[..., None] - numbers)).sum(axis=-1)
    impurity: Array = np.divide(mixed, total * total, out=np.zeros_like(total), where=total > 0)
    return impurity


def entropy(counts: npt.ArrayLike) -> Array:
    """Return the Shannon entropy in bits."""
    p = _shares(counts)
    logarithm = np.log2(p, out=np.zeros_like(p), where=p > 0)
    impurity: Array = np.abs((p * logarithm).sum(axis=-1))  # abs avoids printing -0.0
    return impurity


def error(counts: npt.ArrayLike) -> Array:
    """Return the misclassification rate: 1 minus the largest class proportion."""
    p = _shares(counts)
    impurity: Array = np.where(p.any(axis=-1), 1.0 - p.max(axis=-1), 0.0)
    return impurity


def _values(y: npt.ArrayLike, weight: npt.ArrayLike | None) -> tuple[Array, Array]:
    values = np.asarray(y, dtype=np.float64)
    weights = np.ones(len(values)) if weight is None else np.asarray(weight, dtype=np.float64)
    return values, weights


def squared_error(y: npt.ArrayLike, weight: npt.ArrayLike | None = None) -> float:
    """Return the weighted variance: the mean squared distance from the mean."""
    values, weights = _values(y, weight)
    total = weights.sum()
    if total <= 0:
        return 0.0
    mean = (weights * values).sum() / total
    return float((weights * (values - mean) ** 2).sum() / total)


def quantile_level(criterion: str) -> float | None:
    """Return the quantile level of a criterion (0.5 for "absolute_error"), or None."""
    if criterion == "absolute_error":
        return 0.5
    match = _QUANTILE.fullmatch(criterion)
    return None if match is None else float(match[1])


def quantile_costs(level: float) -> tuple[int, int]:
    """Return integers proportional to the costs of predicting a quantile too low and too high."""
    share = Fraction(float(level)).limit_denominator(_MAX_DENOMINATOR)
    return share.numerator, share.denominator - share.numerator


def quantile_loss(criterion: str, gap: Array) -> Array:
    """Return the loss of each residual: the absolute error or, for a quantile, the pinball loss."""
    level = quantile_level(criterion)
    if criterion == "absolute_error" or level is None:
        return np.abs(gap)
    return np.where(gap > 0, level * gap, (level - 1.0) * gap)


def weighted_quantiles(y: npt.ArrayLike, weight: npt.ArrayLike | None, levels: Any) -> Array:
    """Return weighted quantiles; if a level falls between two values, return their mean."""
    values, weights = _values(y, weight)
    keep = weights > 0
    order = np.argsort(values[keep], kind="stable")
    values, below = values[keep][order], np.cumsum(weights[keep][order])
    costs = np.array([quantile_costs(level) for level in levels], dtype=np.float64)
    target, reached = costs[:, 0] * below[-1], np.multiply.outer(costs.sum(axis=1), below)
    at = (reached < target[:, None]).sum(axis=1)
    above = np.minimum(at + (reached[np.arange(len(at)), at] == target), len(values) - 1)
    with np.errstate(over="ignore"):  # the sum of two large values may overflow to infinity
        return np.asarray(np.where(at == above, values[at], (values[at] + values[above]) / 2))


def _quantile_error(name: str) -> Callable[[npt.ArrayLike, npt.ArrayLike | None], float]:
    """Return the impurity function of a quantile criterion: the mean loss about the quantile."""

    def of_values(y: npt.ArrayLike, weight: npt.ArrayLike | None = None) -> float:
        values, weights = _values(y, weight)
        total = weights.sum()
        if total <= 0:
            return 0.0
        gap = values - weighted_quantiles(values, weights, [quantile_level(name)])
        return float((weights * quantile_loss(name, gap)).sum() / total)

    return of_values


def poisson(y: npt.ArrayLike, weight: npt.ArrayLike | None = None) -> float:
    """Return half the mean Poisson deviance about the mean."""
    values, weights = _values(y, weight)
    total = weights.sum()
    mean = (weights * values).sum() / total if total > 0 else 0.0
    if mean <= 0:
        return 0.0
    ratio = values / mean
    logarithm = np.log(ratio, out=np.zeros_like(ratio), where=ratio > 0)
    return float((weights * values * logarithm).sum() / total)


def twoing_gain(counts: npt.ArrayLike) -> Array:
    """Return the twoing criterion of binary splits from counts of shape (..., 2, n_classes)."""
    branches: Array = np.asarray(counts, dtype=np.float64)
    weight = branches.sum(axis=-1)
    total = weight.sum(axis=-1, keepdims=True)
    share = np.divide(weight, total, out=np.zeros_like(weight), where=total > 0)
    p = _shares(branches)
    distance = np.abs(p[..., 0, :] - p[..., 1, :]).sum(axis=-1)
    value: Array = share[..., 0] * share[..., 1] / 4.0 * distance**2
    return value


def hellinger_gain(counts: npt.ArrayLike) -> Array:
    """Return the squared Hellinger distance of branch proportions, averaged over class pairs."""
    branches: Array = np.asarray(counts, dtype=np.float64)
    total = branches.sum(axis=-2, keepdims=True)
    root = np.sqrt(np.divide(branches, total, out=np.zeros_like(branches), where=total > 0))
    n_present = (total > 0).sum(axis=-1)
    # The variance with ddof=1 is half the mean squared difference over all pairs of classes.
    mean = root.sum(axis=-1) / np.maximum(n_present, 1)
    gap = np.where(total > 0, root - mean[..., None], 0.0)
    value: Array = (gap**2).sum(axis=(-2, -1)) / np.maximum(n_present[..., 0] - 1, 1)
    return value


_ROWS: Final = (
    Criterion("gini", Task.CLASSIFICATION, of_counts=gini),
    Criterion("entropy", Task.CLASSIFICATION, "bits", of_counts=entropy),
    Criterion("error", Task.CLASSIFICATION, of_counts=error),
    Criterion("twoing", Task.CLASSIFICATION, of_split=twoing_gain),
    Criterion("hellinger", Task.CLASSIFICATION, of_split=hellinger_gain),
    Criterion("gain_ratio", Task.CLASSIFICATION, "bits", of_counts=entropy),
    Criterion("squared_error", Task.REGRESSION, "squared units of the target", None, squared_error),
    Criterion(
        "absolute_error",
        Task.REGRESSION,
        "units of the target",
        None,
        _quantile_error("absolute_error"),
    ),
    Criterion("poisson", Task.REGRESSION, "half mean deviance", None, poisson),
    Criterion("logrank", Task.SURVIVAL, "half mean deviance"),
    Criterion("exponential", Task.SURVIVAL, "half mean deviance"),
)

#: Criteria by name, except aliases, quantiles and the tests of CHAID.
CRITERIA: Final = MappingProxyType({row.name: row for row in _ROWS})

#: Criterion names of scikit-learn that are aliases of the criteria in `CRITERIA`.
ALIASES: Final = MappingProxyType({"log_loss": "entropy", "friedman_mse": "squared_error"})

#: Criteria that choose splits by significance tests (CHAID), with their tasks.
TEST_CRITERIA: Final[MappingProxyType[str, Task]] = MappingProxyType(
    {
        "chi2": Task.CLASSIFICATION,
        "likelihood_ratio": Task.CLASSIFICATION,
        "f_test": Task.REGRESSION,
    }
)


#: The default criterion of each task, and the default significance test of CHAID trees.
DEFAULT_CRITERION: Final = MappingProxyType(
    {Task.CLASSIFICATION: "gini", Task.REGRESSION: "squared_error", Task.SURVIVAL: "logrank"}
)
DEFAULT_TEST: Final = MappingProxyType({Task.CLASSIFICATION: "chi2", Task.REGRESSION: "f_test"})


#: Tasks whose criteria have an impurity or gain function in this module.
_OF_LABELS: Final = (Task.CLASSIFICATION, Task.REGRESSION)


def criterion_names(task: Task | TaskName) -> tuple[str, ...]:
    """Return the names and aliases of the criteria of a task, except quantile criteria.

    Examples
    --------
    >>> from ceiba.criteria import criterion_names
    >>> criterion_names("regression")
    ('squared_error', 'absolute_error', 'poisson', 'friedman_mse')
    """
    names = tuple(row.name for row in _ROWS if row.task == task)
    return names + tuple(alias for alias, name in ALIASES.items() if name in names)


def split_gain(name: str | None) -> Callable[[npt.ArrayLike], Array] | None:
    """Return the gain function of a criterion that scores splits, or None for other criteria."""
    row = CRITERIA.get(name or "")
    return None if row is None else row.of_split


def criterion_named(name: Any, task: Task | TaskName | None = None) -> Criterion:
    """Return the criterion with a given name or alias.

    Parameters
    ----------
    name : str
    task : {"classification", "regression", "survival"}, optional
        Accept only criteria for this task. Default: classification and regression.

    Examples
    --------
    >>> from ceiba.criteria import criterion_named
    >>> criterion_named("log_loss").name
    'entropy'
    >>> round(criterion_named("quantile(0.9)").of_values([1, 2, 3, 9], None), 3)
    0.525
    """
    criterion = CRITERIA.get(ALIASES.get(name, name)) if isinstance(name, str) else None
    if criterion is None and isinstance(name, str) and quantile_level(name) is not None:
        unit = "units of the target"
        criterion = Criterion(name, Task.REGRESSION, unit, None, _quantile_error(name))
    if criterion is not None and task in (None, criterion.task):
        if task is None:
            criterion.task.require(_OF_LABELS, f"The impurity with criterion={name!r}")
        return criterion
    allowed = [
        choice for of in (_OF_LABELS if task is None else (task,)) for choice in criterion_names(of)
    ] + ["quantile(LEVEL)"] * (task in (None, Task.REGRESSION))
    raise OptionError(
        f"criterion={name!r} is not supported{f' for {task}' if task else ''}. "
        f"Allowed values: {', '.join(map(repr, allowed))}.{did_you_mean(str(name), allowed)}"
    )
