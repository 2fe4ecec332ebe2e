"""CHAID's merging of categories (Kass 1980), and the Bonferroni multipliers that pay for it.

The most similar pair of categories (largest p-value) is merged as long as that p-value is above
alpha_merge and more than two groups are left; groups with too few rows are merged in any case. Any
two categories of a nominal column may be merged, of an ordered one only neighbours; missing values
of an ordered column are a floating category that may join any other. The core does this
(`cpp/core/split/levels`). The p-value of the merged table is multiplied by the number of
ways in which c categories can become r groups:

    ordered    C(c - 1, r - 1)
    floating   C(c - 2, r - 2) + r C(c - 2, r - 1)
    nominal    sum over i < r of (-1)^i (r - i)^c / (i! (r - i)!)
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from math import comb, factorial, log
from typing import Literal

import numpy as np
import numpy.typing as npt

from ceiba import _core
from ceiba.tree import NodeTest

Array = npt.NDArray[np.float64]
Kind = Literal["nominal", "ordered", "floating"]
Statistic = Literal["chi2", "likelihood_ratio", "f_test"]

_CORE_NAME = {"chi2": "pearson", "likelihood_ratio": "likelihood_ratio", "f_test": "f"}


@dataclass(frozen=True)
class Merged:
    """A column after merging."""

    group: npt.NDArray[np.intp]
    test: NodeTest
    steps: list[tuple[int, int, float]]

    @property
    def n_groups(self) -> int:
        """How many groups are left."""
        return int(self.group.max()) + 1

    @property
    def groups(self) -> list[list[int]]:
        """Positions of the categories of each group, in order."""
        order = np.argsort(self.group, kind="stable")
        parts = np.split(order, np.flatnonzero(np.diff(self.group[order])) + 1)
        return [part.tolist() for part in parts]


@lru_cache(maxsize=4096)
def multiplier(c: int, r: int, kind: Kind) -> int:
    """Return the number of ways in which c categories can become r groups."""
    if kind == "ordered":
        return comb(c - 1, r - 1)
    if kind == "floating":
        return (comb(c - 2, r - 2) if r >= 2 else 0) + r * comb(c - 2, r - 1)
    signed: list[int] = [comb(r, i) * (r - i) ** c * (-1 if i % 2 else 1) for i in range(r)]
    return sum(signed) // factorial(r)


def merge(
    cells: Array,
    kind: Kind,
    statistic: Statistic,
    *,
    alpha_merge: float = 0.05,
    min_rows: float = 1,
) -> Merged:
    """Merge the categories of a column."""
    cells = np.ascontiguousarray(cells, np.float64)
    home, steps = _core.merge_levels(cells, kind, _CORE_NAME[statistic], alpha_merge, min_rows)
    first = np.zeros(len(cells), bool)  # of its group; `home` names a group by its first category
    first[home] = True
    group = (np.cumsum(first) - 1)[home]
    n_groups = int(group.max()) + 1
    if n_groups == 1:  # nothing is separated, so there is nothing to test
        dof = (0.0, float(cells[:, 0].sum()) - 1.0) if statistic == "f_test" else (0.0,)
        return Merged(group, NodeTest(statistic, 0.0, dof, 1.0, 0.0), list(steps))
    merged = np.zeros((n_groups, cells.shape[1]))
    np.add.at(merged, group, cells)
    ways = multiplier(len(cells), n_groups, kind)
    test = _test(merged, statistic, log(ways) if ways > 0 else 0.0)
    return Merged(group, test, list(steps))


def hopeless(cells: Array, statistic: Statistic, log_limit: float, min_rows: float = 1) -> bool:
    """Say if no merging of nominal categories can have such a small adjusted p-value."""
    cells = np.ascontiguousarray(cells, np.float64)
    return _core.merging_is_hopeless(cells, _CORE_NAME[statistic], log_limit, min_rows)


def _test(cells: Array, statistic: Statistic, log_factor: float) -> NodeTest:
    """Test groups against the target."""
    from scipy.special import chdtrc, fdtrc  # here: other growers should not wait for scipy

    if statistic == "f_test":
        value, df1, df2 = _f(cells)
        p = 1.0
        if df1 > 0 and df2 > 0:
            p = 0.0 if np.isinf(value) else float(fdtrc(df1, df2, value))
        return NodeTest(statistic, value, (df1, df2), p, log_factor)
    value, df = _chi(cells, statistic)
    p = float(chdtrc(df, value)) if df > 0 else 1.0
    return NodeTest(statistic, value, (float(df),), p, log_factor)


def _chi(cells: Array, statistic: Statistic) -> tuple[float, int]:
    rows, columns = cells.sum(axis=1), cells.sum(axis=0)
    expected = rows[:, None] * columns / max(float(rows.sum()), 1e-300)
    seen = expected > 0
    counts, expected = cells[seen], expected[seen]
    if statistic == "chi2":
        value = float(((counts - expected) ** 2 / expected).sum())
    else:
        there = counts > 0
        value = float(2.0 * (counts[there] * np.log(counts[there] / expected[there])).sum())
    df = (np.count_nonzero(rows) - 1) * (np.count_nonzero(columns) - 1)
    return max(value, 0.0), int(df)


def _f(cells: Array) -> tuple[float, float, float]:
    """One-way analysis of variance from rows, sums and sums of squares of the groups."""
    n, total, squares = cells[cells[:, 0] > 0].T
    share = total**2 / n
    between = float(share.sum() - total.sum() ** 2 / n.sum())
    within = max(float((squares - share).sum()), 0.0)
    df1, df2 = len(n) - 1.0, float(n.sum()) - len(n)
    if df1 <= 0 or df2 <= 0 or between <= 0:
        return 0.0, df1, df2
    return (between / df1) / (within / df2) if within > 0 else float("inf"), df1, df2
