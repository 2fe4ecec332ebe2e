"""Significance tests of splits, stored as arrays over the nodes of a tree.

One entry per node, NaN without a test. The p-value is not corrected. The Bonferroni factor of
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

#: Names of the numeric arrays of `SplitTests`.
TEST_FIGURES = ("statistic", "df", "df2", "p_value", "log_factor")


@dataclass(frozen=True)
class NodeTest:
    """The significance test of a split: statistic, p-value and Bonferroni factor.

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
        """Bonferroni factor of the split search, or inf if it exceeds float64."""
        return exp(self.log_factor) if self.log_factor < 709 else float("inf")

    @property
    def log_p_value(self) -> float:
        """Logarithm of the p-value; finite even if p underflows, except for the "search" test."""
        if self.p_value > 0:
            return log(self.p_value)
        if self.name == "f_test":
            return _core.log_f_tail(self.statistic, *self.df)
        if self.name == "search":
            return -inf
        return _core.log_chi_square_tail(self.statistic, int(self.df[0]))

    @property
    def log_adjusted_p_value(self) -> float:
        """Logarithm of the Bonferroni-adjusted p-value, at most 0."""
        return min(self.log_p_value + self.log_factor, 0.0)

    @property
    def adjusted_p_value(self) -> float:
        """Bonferroni-adjusted p-value, at most 1."""
        return exp(self.log_adjusted_p_value)


@dataclass(frozen=True, eq=False)
class SplitTests(ArrayRecord):
    """Significance tests of all nodes as arrays, with NaN for nodes without a test."""

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
        """Return the test of one node, or None if it was not tested."""
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
        """Return the tests of the given nodes, with NaN where `leaf` is True."""
        figures: dict[str, Any] = {
            name: np.where(leaf, np.nan, getattr(self, name)[nodes]) for name in TEST_FIGURES
        }
        return SplitTests(self.name, **figures)

    @classmethod
    def none(cls, name: str, n: int) -> SplitTests:
        """Return a table of `n` nodes of which none was tested."""
        return cls(name, *(np.full(n, np.nan) for _ in TEST_FIGURES))

    @classmethod
    def of_nodes(cls, n: int, tests: dict[int, NodeTest]) -> SplitTests:
        """Build a table of `n` nodes from a dict that maps nodes to their tests."""
        figures: dict[str, Any] = {figure: np.full(n, np.nan) for figure in TEST_FIGURES}
        for node, test in tests.items():
            figures["statistic"][node] = min(test.statistic, np.finfo(np.float64).max)
            figures["p_value"][node] = test.p_value
            figures["log_factor"][node] = test.log_factor
            for name, degrees in zip(("df", "df2"), test.df, strict=False):
                figures[name][node] = degrees
        name = next((test.name for test in tests.values()), "")
        return cls(name, **figures)
