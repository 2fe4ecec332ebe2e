"""The statistical test of each split, for trees grown by tests.

One entry per node, NaN at leaves. The p-value is not corrected. The Bonferroni factor of
the search is stored as a logarithm, because the number of groupings of 4,000 levels exceeds
float64.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, inf, log
from typing import Any, ClassVar

import numpy as np

from ceiba import _core
from ceiba.tree.arrays import Array, ArrayRecord

#: Fields of a node's test, named like the arrays of all nodes.
TEST_FIGURES = ("statistic", "df", "df2", "p_value", "log_factor")


@dataclass(frozen=True)
class NodeTest:
    """The test of one split.

    Attributes
    ----------
    name : str
        "chi2", "likelihood_ratio", "f_test", or "search" (the best of all splits of a column).
    statistic : float
        NaN where the p-value comes from bounds or permutations only.
    df : tuple of float
        Degrees of freedom: one, or two for F.
    p_value : float
        Of the test, before correction.
    log_factor : float
        Logarithm of the Bonferroni factor of the search.

    Examples
    --------
    >>> from ceiba.tree import NodeTest
    >>> test = NodeTest("chi2", 10.83, (1.0,), 0.001, 0.6931471805599453)
    >>> round(test.adjusted_p_value, 6), round(test.factor, 6)
    (0.002, 2.0)
    """

    name: str
    statistic: float
    df: tuple[float, ...]
    p_value: float
    log_factor: float

    @property
    def factor(self) -> float:
        """Bonferroni factor of the search; inf beyond float64."""
        return exp(self.log_factor) if self.log_factor < 709 else float("inf")

    @property
    def log_p_value(self) -> float:
        """Logarithm of the p-value, also if that underflows float64."""
        if self.p_value > 0:
            return log(self.p_value)
        if self.name == "f_test":
            return _core.log_f_tail(self.statistic, *self.df)
        if self.name == "search":
            return -inf
        return _core.log_chi_square_tail(self.statistic, int(self.df[0]))

    @property
    def log_adjusted_p_value(self) -> float:
        """Logarithm of the p-value times the factor, at most 0."""
        return min(self.log_p_value + self.log_factor, 0.0)

    @property
    def adjusted_p_value(self) -> float:
        """The p-value times the factor, at most 1."""
        return exp(self.log_adjusted_p_value)


@dataclass(frozen=True, eq=False)
class SplitTests(ArrayRecord):
    """Tests of all nodes as arrays; NaN without a test, and in `df2` unless it is an F test."""

    name: str
    statistic: Array
    df: Array
    df2: Array
    p_value: Array
    log_factor: Array

    _DTYPES: ClassVar = dict.fromkeys(TEST_FIGURES, np.float64)

    def __len__(self) -> int:
        return len(self.p_value)

    def of(self, node: int) -> NodeTest | None:
        """Return the test of one node; None if it has none."""
        if np.isnan(self.p_value[node]):
            return None
        degrees = (float(self.df[node]), float(self.df2[node]))
        return NodeTest(
            self.name,
            float(self.statistic[node]),
            tuple(d for d in degrees if not np.isnan(d)),
            float(self.p_value[node]),
            float(self.log_factor[node]),
        )

    def take(self, nodes: Array, leaf: Array) -> SplitTests:
        """Return the tests of `nodes`, with NaN for each node that `leaf` marks as a leaf."""
        figures: dict[str, Any] = {
            name: np.where(leaf, np.nan, getattr(self, name)[nodes]) for name in TEST_FIGURES
        }
        return SplitTests(self.name, **figures)

    @classmethod
    def none(cls, name: str, n: int) -> SplitTests:
        """Return the arrays of n nodes without a test."""
        return cls(name, *(np.full(n, np.nan) for _ in TEST_FIGURES))

    @classmethod
    def of_nodes(cls, n: int, tests: dict[int, NodeTest]) -> SplitTests:
        """Build the arrays of n nodes from tests of single nodes."""
        figures: dict[str, Any] = {figure: np.full(n, np.nan) for figure in TEST_FIGURES}
        for node, test in tests.items():
            figures["statistic"][node] = min(test.statistic, np.finfo(np.float64).max)
            figures["p_value"][node] = test.p_value
            figures["log_factor"][node] = test.log_factor
            for name, degrees in zip(("df", "df2"), test.df, strict=False):
                figures[name][node] = degrees
        name = next((test.name for test in tests.values()), "")
        return cls(name, **figures)
