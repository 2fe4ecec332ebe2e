"""CHAID's merging of categories (Kass 1980) in plain numpy: what the compiled core must equal.

The most similar pair of categories (largest p-value) is merged as long as that p-value is above
alpha_merge and more than two groups are left; groups with too few rows are merged in any case. Any
two categories of a nominal column may be merged, of an ordered one only neighbours; missing values
of an ordered column are a floating category that may join any other. The p-value of the merged
table is multiplied by the number of ways in which c categories can become r groups
(`ceiba.grow.chaid_grower.count_groupings`, which is tested by listing them).
"""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, lgamma, log
from typing import Final, Literal

import numpy as np
import numpy.typing as npt
from scipy.special import chdtrc, fdtrc

from ceiba.grow.chaid_grower import count_groupings

__all__ = ["Merged", "Test", "merge"]

Array = npt.NDArray[np.float64]
Kind = Literal["nominal", "ordered", "floating"]
Statistic = Literal["pearson", "likelihood_ratio", "f"]

_NEVER: Final = -1.0
_PAIRS: Final = 100_000  # tested in one call


@dataclass(frozen=True)
class Test:
    """A test of groups against the target."""

    statistic: float
    df: tuple[int, ...]
    p_value: float


@dataclass(frozen=True)
class Merged:
    """A column after merging.

    Attributes
    ----------
    groups : list of list of int
        Positions of the categories, in order.
    test : Test
        Of the groups.
    log_p : float
        Logarithm of the p-value times the multiplier, at most 0.
    multiplier : float
        May be inf where it is beyond float64.
    steps : list of (pair, p-value)
        What was merged, in order.
    """

    groups: list[list[int]]
    test: Test
    log_p: float
    multiplier: float
    steps: list[tuple[tuple[tuple[int, ...], tuple[int, ...]], float]]

    @property
    def p_value(self) -> float:
        """The adjusted p-value."""
        return exp(self.log_p) if self.log_p > -745 else 0.0


def merge(
    cells: Array,
    kind: Kind,
    statistic: Statistic,
    *,
    alpha_merge: float = 0.05,
    min_rows: int = 1,
) -> Merged:
    """Merge the categories of a column.

    Parameters
    ----------
    cells : array of shape (categories, n)
        Class counts; or rows, sum and sum of squares of the (centred) target for "f". All
        categories have rows; a floating one is the last.
    """
    work = _Merging(cells, kind, statistic)
    while len(work.groups) > 2:
        a, b, p = work.most_similar()
        if p <= alpha_merge:
            break
        work.join(a, b, p)
    while len(work.groups) > 1:
        small = [g for g in range(len(work.groups)) if work.size(g) < min_rows]
        if not small:
            break
        a = min(small, key=work.size)
        b, p = work.best_partner(a)
        work.join(a, b, p)
    test = tests(work.cells[None], statistic)[0]
    c, r = len(cells), len(work.groups)
    ways = count_groupings(c, r, kind)
    cost = log(ways) if ways > 0 else 0.0
    order = sorted(range(r), key=lambda g: min(work.groups[g]))
    return Merged(
        [sorted(work.groups[g]) for g in order],
        test,
        min(0.0, _log_p(test, statistic) + cost),
        float(ways) if cost < 700 else float("inf"),
        work.steps,
    )


class _Merging:
    """Groups of categories that are being merged."""

    def __init__(self, cells: Array, kind: Kind, statistic: Statistic) -> None:
        self.cells, self.kind, self.statistic = cells.astype(np.float64), kind, statistic
        self.groups = [[c] for c in range(len(cells))]
        self.floating = len(cells) - 1 if kind == "floating" else -1
        self.steps: list[tuple[tuple[tuple[int, ...], tuple[int, ...]], float]] = []
        # Nominal: the best partner of each group, kept up to date; else few pairs are possible.
        self._best: list[tuple[float, int]] = self._all_rows() if kind == "nominal" else []

    def size(self, g: int) -> float:
        return float(self.cells[g].sum() if self.statistic != "f" else self.cells[g, 0])

    def _allowed(self, g: int) -> npt.NDArray[np.bool_]:
        """Which groups a group may be merged with."""
        n = len(self.groups)
        allowed = np.ones(n, bool)
        allowed[g] = False
        alone = [self.groups[k] == [self.floating] for k in range(n)]
        if self.kind == "nominal" or alone[g]:
            return allowed

        # Neighbours along the order, over which the floating category does not count.
        def first(k: int) -> int:
            return min(c for c in self.groups[k] if c != self.floating)

        order = sorted((k for k in range(n) if not alone[k]), key=first)
        at = order.index(g)
        near = set(order[max(at - 1, 0) : at + 2])
        return np.array([k != g and (alone[k] or k in near) for k in range(n)])

    def _row(self, g: int) -> tuple[float, int]:
        """Return the largest p-value of a group with an allowed one, and which that is."""
        allowed = self._allowed(g)
        if not allowed.any():
            return _NEVER, g
        others = np.flatnonzero(allowed)
        pairs = np.stack(
            [
                np.broadcast_to(self.cells[g], (len(others), self.cells.shape[1])),
                self.cells[others],
            ],
            axis=1,
        )
        p = p_values(pairs, self.statistic)
        best = int(np.argmax(p))
        return float(p[best]), int(others[best])

    def _all_rows(self) -> list[tuple[float, int]]:
        """Return the best partners of all groups of a nominal column, by few large calls."""
        n = len(self.groups)
        partners = []
        for g in range(0, n, max(1, _PAIRS // n)):
            some = np.arange(g, min(n, g + max(1, _PAIRS // n)))
            left = np.repeat(some, n)
            right = np.tile(np.arange(n), len(some))
            pairs = np.stack([self.cells[left], self.cells[right]], axis=1)
            p = p_values(pairs, self.statistic).reshape(len(some), n)
            p[np.arange(len(some)), some] = _NEVER
            best = p.argmax(axis=1)
            partners += list(
                zip(p[np.arange(len(some)), best].tolist(), best.tolist(), strict=True)
            )
        return partners

    def best_partner(self, g: int) -> tuple[int, float]:
        p, other = self._row(g)
        return other, p

    def most_similar(self) -> tuple[int, int, float]:
        if self.kind != "nominal":
            return self._nearest_neighbours()
        g = max(range(len(self._best)), key=lambda k: self._best[k][0])
        return g, self._best[g][1], self._best[g][0]

    def _nearest_neighbours(self) -> tuple[int, int, float]:
        """Return the most similar of the pairs that the order allows."""
        pairs = [
            (g, int(other))
            for g in range(len(self.groups))
            for other in np.flatnonzero(self._allowed(g))
            if g < other
        ]
        left, right = np.array(pairs).T
        tables = np.stack([self.cells[left], self.cells[right]], axis=1)
        p = p_values(tables, self.statistic)
        best = int(np.argmax(p))
        return (*pairs[best], float(p[best]))

    def join(self, a: int, b: int, p: float) -> None:
        a, b = sorted((a, b))
        self.steps.append(((tuple(sorted(self.groups[a])), tuple(sorted(self.groups[b]))), p))
        self.groups[a] += self.groups.pop(b)
        self.cells[a] += self.cells[b]
        self.cells = np.delete(self.cells, b, axis=0)
        if self.kind != "nominal":
            return
        old = self._best
        del old[b]
        for g in range(len(self.groups)):
            if g == a or old[g][1] in (a, b):
                old[g] = self._row(g)
            else:
                partner = old[g][1] - (old[g][1] > b)
                old[g] = (old[g][0], partner)
        # The merged group may now be closer to one that had another partner.
        if len(self.groups) > 1:
            self._offer(a)

    def _offer(self, a: int) -> None:
        others = [g for g in range(len(self.groups)) if g != a]
        pairs = np.stack(
            [
                np.broadcast_to(self.cells[a], (len(others), self.cells.shape[1])),
                self.cells[others],
            ],
            axis=1,
        )
        for g, p in zip(others, p_values(pairs, self.statistic).tolist(), strict=True):
            if p > self._best[g][0]:
                self._best[g] = (p, a)


def tests(tables: Array, statistic: Statistic) -> list[Test]:
    """Test tables of shape (m, groups, n)."""
    if statistic == "f":
        value, df1, df2 = _f(tables)
        p = _f_tail(value, df1, df2)
        return [
            Test(*t)
            for t in zip(
                value.tolist(),
                [(int(a), int(b)) for a, b in zip(df1.tolist(), df2.tolist(), strict=True)],
                p.tolist(),
                strict=True,
            )
        ]
    value, df = _chi(tables, statistic)
    p = np.where(df > 0, chdtrc(np.maximum(df, 1), value), 1.0)
    degrees = [(int(d),) for d in df.tolist()]
    return [Test(*t) for t in zip(value.tolist(), degrees, p.tolist(), strict=True)]


def p_values(tables: Array, statistic: Statistic) -> Array:
    """Return the p-values of tables of shape (m, groups, n)."""
    if statistic == "f":
        return _f_tail(*_f(tables))
    value, df = _chi(tables, statistic)
    return np.asarray(np.where(df > 0, chdtrc(np.maximum(df, 1), value), 1.0))


def _chi(tables: Array, statistic: Statistic) -> tuple[Array, Array]:
    rows, columns = tables.sum(axis=2), tables.sum(axis=1)
    total = rows.sum(axis=1)
    expected = rows[:, :, None] * columns[:, None, :] / np.maximum(total, 1e-300)[:, None, None]
    seen = expected > 0
    if statistic == "pearson":
        parts = np.divide(
            (tables - expected) ** 2, expected, out=np.zeros_like(expected), where=seen
        )
    else:
        ratio = np.divide(tables, expected, out=np.ones_like(expected), where=seen & (tables > 0))
        parts = 2.0 * tables * np.log(ratio)
    df = ((rows > 0).sum(axis=1) - 1) * ((columns > 0).sum(axis=1) - 1)
    return np.maximum(parts.sum(axis=(1, 2)), 0.0), df.astype(np.float64)


def _f(tables: Array) -> tuple[Array, Array, Array]:
    """One-way analysis of variance from rows, sums and sums of squares of the groups."""
    n, total, squares = tables[:, :, 0], tables[:, :, 1], tables[:, :, 2]
    groups = (n > 0).sum(axis=1)
    share = np.divide(total**2, n, out=np.zeros_like(n), where=n > 0)
    between = share.sum(axis=1) - total.sum(axis=1) ** 2 / n.sum(axis=1)
    within = np.maximum((squares - share).sum(axis=1), 0.0)
    df1, df2 = (groups - 1).astype(np.float64), n.sum(axis=1) - groups
    with np.errstate(divide="ignore", invalid="ignore"):
        value = (between / df1) / (within / df2)
    value = np.where((df1 > 0) & (df2 > 0) & (between > 0), value, 0.0)
    return np.nan_to_num(value, posinf=np.inf), df1, df2


def _f_tail(value: Array, df1: Array, df2: Array) -> Array:
    safe = fdtrc(np.maximum(df1, 1), np.maximum(df2, 1), np.where(np.isfinite(value), value, 1.0))
    p = np.where((df1 > 0) & (df2 > 0), safe, 1.0)
    return np.asarray(np.where(np.isinf(value), 0.0, p))


def _log_p(test: Test, statistic: Statistic) -> float:
    """Return log p also where p itself is too small for a float."""
    if test.p_value > 0:
        return log(test.p_value)
    if statistic == "f":
        return -1e6 - min(test.statistic, 1e300) / 1e300  # beyond all; the larger F, the smaller
    # The tail of the gamma distribution far out.
    half, shape = test.statistic / 2, test.df[0] / 2
    return (shape - 1) * log(half) - half - lgamma(shape)
