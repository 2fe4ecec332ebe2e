"""Does the tree still fit: traffic through every branch, and rates in every leaf, then and now.

*Then* are the counts that the tree keeps of its training rows; no rows are needed. At each node the
rows that reach it are compared branch by branch (chi-square of two samples; Fisher's exact test
where a fork of two expects fewer than 5), so a change shows where it starts and not in every node
below. p-values are corrected for the number of nodes (Holm 1979). The population stability index
sums (now - then) log(now / then) over the leaves, with half a row added to each count.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ceiba.errors import DataError
from ceiba.inspection.intervals import mean_interval, wilson
from ceiba.listing import Listing
from ceiba.table import Table, read_target, split_target
from ceiba.tree import Tree
from ceiba.tree.routing import route
from ceiba.tree.shape import sum_up

Array = npt.NDArray[Any]
LEVEL = 0.05


@dataclass(frozen=True, eq=False, repr=False)
class Drift:
    """Training rows and new rows in the same tree, side by side; prints.

    Attributes
    ----------
    tree : Tree
    n_then, n_now : int
        Rows.
    psi : float
        Population stability index over the leaves. Below 0.1 is usually called stable, above 0.25
        a change; `psi_by_chance` is what rows of the same population give on average.
    p_value : float
        The least p-value of any node, corrected for the number of nodes.
    start : int or None
        The node nearest to the root whose branches are taken otherwise than before (corrected p
        below 0.05); None: nowhere.
    branches : Listing
        Per branch: rows and shares then and now, the branch's part of its node's PSI, the node's
        p-value.
    leaves : Listing
        Per leaf: rows, shares and PSI; with a target also the rate (of the leaf's class) or mean.
    columns : Listing
        Per column that the tree asks about: missing and unseen values then and now.
    """

    tree: Tree
    n_then: int
    n_now: int
    psi: float
    psi_by_chance: float
    p_value: float
    start: int | None
    branches: Listing
    leaves: Listing
    columns: Listing

    @property
    def flagged(self) -> bool:
        """Whether some node's branches are taken otherwise than before (corrected p < 0.05)."""
        return self.start is not None

    def __str__(self) -> str:
        lines = [
            f"{self.n_now} new rows against {self.n_then} training rows",
            f"PSI over the leaves {self.psi:.3g} (by chance about {self.psi_by_chance:.2g})",
        ]
        if self.start is None:
            lines.append(f"no node's traffic has changed (corrected p {self.p_value:.2g})")
        else:
            split = self.tree.node(self.start).split
            assert split is not None
            lines.append(
                f"the change starts at node {self.start} ({split.sentence(0, self.tree.schema)}): "
                f"corrected p {self.p_value:.2g}"
            )
        tables = [str(_rounded(listing)) for listing in (self.branches, self.leaves)]
        return "\n\n".join(["\n".join(lines), *tables])

    __repr__ = __str__

    def to_html(self, path: Any = None) -> str:
        """Give a page that shows both side by side, and write it to `path` if one is given."""
        from ceiba.trust.drift_page import drift_page

        return drift_page(self, path)

    def to_dict(self) -> dict[str, Any]:
        """Give the figures as plain data."""
        return {
            "n_then": self.n_then,
            "n_now": self.n_now,
            "psi": self.psi,
            "psi_by_chance": self.psi_by_chance,
            "p_value": self.p_value,
            "start": self.start,
            "optimistic": not self.tree.honest,  # what the leaves were like then
            "branches": self.branches.to_dict(),
            "leaves": self.leaves.to_dict(),
            "columns": self.columns.to_dict(),
        }


def drift(tree: Tree, X: Any, y: Any = None) -> Drift:
    """Compare new rows with the rows the tree was grown on.

    Parameters
    ----------
    tree : Tree
        With its training counts; a loaded model file has them.
    X : table
        New rows.
    y : array-like or str, optional
        Their target; with it the rates in the leaves are compared too.

    Returns
    -------
    Drift

    Examples
    --------
    >>> import ceiba
    >>> data = ceiba.datasets.load_iris()
    >>> tree = ceiba.DecisionTreeClassifier(max_depth=2).fit(data.X, data.y).tree_
    >>> wide = {name: [value + 1 for value in data.X[name]] for name in data.X}
    >>> found = ceiba.trust.drift(tree, wide)
    >>> found.start, found.flagged
    (0, True)
    """
    if isinstance(y, str):
        X, y = split_target(X, y)
    if not tree.n_rows[0]:
        raise DataError("The tree has no training counts to compare with. Fit it, or recount it.")
    if y is not None and tree.n_outputs > 1:
        raise DataError("Rates are compared for one output; leave y out.")
    table = route.read(tree, X)
    if not table.n_rows:
        raise DataError("There are no new rows.")
    end = route.apply(tree, table)
    own = np.bincount(end, minlength=tree.n_nodes)
    now = sum_up(tree, own)
    then = np.asarray(tree.n_rows, np.float64)
    p_node = _corrected(_node_tests(tree, then, now))
    hit = np.flatnonzero(p_node < LEVEL)
    start = int(hit[np.lexsort((p_node[hit], tree.node_depth[hit]))[0]]) if len(hit) else None
    ends = np.flatnonzero(tree.is_leaf | (own > 0))
    ended = _ending(tree, then)
    parts = _psi_parts(ended[ends], own[ends])
    k = len(ends)
    return Drift(
        tree=tree,
        n_then=int(then[0]),
        n_now=table.n_rows,
        psi=float(parts.sum()),
        psi_by_chance=(k - 1) * (1 / then[0] + 1 / table.n_rows),
        p_value=float(np.nanmin(p_node, initial=1.0)),
        start=start,
        branches=_branch_listing(tree, then, now, p_node),
        leaves=_leaf_listing(tree, ends, ended, own, parts, _rates(tree, end, y, table.n_rows)),
        columns=_column_listing(tree, table),
    )


def psi(then: Iterable[float], now: Iterable[float]) -> float:
    """Give the population stability index of two lists of counts.

    Half a row is added to each count, so that an empty place does not make it infinite.

    Examples
    --------
    >>> from ceiba.trust import psi
    >>> round(psi([50, 50], [90, 10]), 2)
    0.85
    """
    parts = _psi_parts(np.asarray(list(then), np.float64), np.asarray(list(now), np.float64))
    return float(parts.sum())


def _psi_parts(then: Array, now: Array) -> Array:
    a, b = then + 0.5, now + 0.5
    a, b = a / a.sum(), b / b.sum()
    return np.asarray((b - a) * np.log(b / a))


def _ending(tree: Tree, rows: Array) -> Array:
    """Give the rows that end in each node: all of a leaf's, those that stayed in inner ones."""
    passed = np.zeros(tree.n_nodes)
    np.add.at(passed, tree.parent[1:], rows[1:])
    return np.maximum(np.where(tree.is_leaf, rows, rows - passed), 0.0)


def _node_tests(tree: Tree, then: Array, now: Array) -> Array:
    """Give the p-value of each node's branches then against now; NaN where nothing can be said."""
    p = np.full(tree.n_nodes, np.nan)
    for i in np.flatnonzero(~tree.is_leaf).tolist():
        branches = tree.branch_node[tree.branch_start[i] : tree.branch_start[i + 1]]
        p[i] = two_samples(then[branches], now[branches])
    return p


def two_samples(then: Array, now: Array) -> float:
    """Give the p-value of two rows of counts; NaN if one is empty or the counts are too small."""
    table = np.array([then, now], np.float64)
    table = table[:, table.sum(axis=0) > 0]
    if table.shape[1] < 2 or np.any(table.sum(axis=1) == 0):
        return float("nan")
    expected = np.outer(table.sum(axis=1), table.sum(axis=0)) / table.sum()
    if expected.min() < 5 and table.shape[1] == 2:
        from scipy.stats import fisher_exact

        return float(fisher_exact(np.rint(table)).pvalue)
    if expected.min() < 1:
        return float("nan")
    from scipy.special import chdtrc

    return float(chdtrc(table.shape[1] - 1, ((table - expected) ** 2 / expected).sum()))


def _corrected(p: Array) -> Array:
    """Correct p-values for their number (Holm 1979); NaN stays."""
    out = np.array(p)
    tested = np.flatnonzero(~np.isnan(p))
    order = tested[np.argsort(p[tested], kind="stable")]
    factor = len(order) - np.arange(len(order))
    out[order] = np.minimum(np.maximum.accumulate(p[order] * factor), 1.0)
    return out


# ---------------------------------------------------------------------- tables


def _branch_listing(tree: Tree, then: Array, now: Array, p_node: Array) -> Listing:
    rows: dict[str, list[Any]] = {
        name: []
        for name in (
            "node", "branch", "condition", "then", "now", "share then", "share now", "PSI", "p",
        )
    }  # fmt: skip
    for i in np.flatnonzero(~tree.is_leaf).tolist():
        branches = tree.branch_node[tree.branch_start[i] : tree.branch_start[i + 1]]
        before, after = then[branches], now[branches]
        parts = _psi_parts(before, after)
        split = tree.node(i).split
        assert split is not None
        for b, child in enumerate(branches.tolist()):
            rows["node"].append(i)
            rows["branch"].append(child)
            rows["condition"].append(split.sentence(b, tree.schema, max_levels=4))
            rows["then"].append(int(before[b]))
            rows["now"].append(int(after[b]))
            rows["share then"].append(_share(before[b], before.sum()))
            rows["share now"].append(_share(after[b], after.sum()))
            rows["PSI"].append(float(parts[b]))
            rows["p"].append(float(p_node[i]))
    legend = "shares: of the rows in the node; PSI: the branch's part; p: corrected for all nodes"
    return Listing(rows, title="branches", legend=legend)


def _rounded(listing: Listing) -> Listing:
    """Give a listing with the digits that a reader needs."""
    columns = {
        name: np.array([float(f"{value:.3g}") for value in listing[name]])
        if listing[name].dtype.kind == "f"
        else listing[name]
        for name in listing.columns
    }
    return Listing(columns, title=listing.title, legend=listing.legend)


def _share(part: float, whole: float) -> float:
    return float(part / whole) if whole else float("nan")


@dataclass(frozen=True)
class _Rates:
    """Rate of the leaf's class, or mean, with intervals, then and now; by node."""

    name: str
    figures: dict[str, Array]


def _rates(tree: Tree, end: Array, y: Any, n_rows: int) -> _Rates | None:
    if y is None:
        return None
    truth = read_target(y, task=tree.task, n_rows=n_rows)
    n = tree.n_nodes
    names = ("then", "then low", "then high", "now", "now low", "now high", "p")
    found = {name: np.full(n, np.nan) for name in names}
    now_n = np.bincount(end, minlength=n)
    classes = tree.task == "classification"
    if classes:
        labels = truth.info.classes[0][truth.values[:, 0]]
        right = labels == tree.target.classes[0][tree.answer[end]]
        hits = np.bincount(end, weights=right, minlength=n)
        before = np.take_along_axis(tree.class_probability, tree.answer[:, None], axis=1)[:, 0]
    then: tuple[float, ...]
    now: tuple[float, ...]
    for i in np.flatnonzero(tree.is_leaf | (now_n > 0)).tolist():
        m, k = int(tree.n_rows[i]), int(now_n[i])
        if classes:
            then = (float(before[i]), *wilson(float(before[i]), m))
            share = hits[i] / k if k else np.nan
            now = (share, *wilson(share, k)) if k else (np.nan,) * 3
            kept = before[i] * m
            p = two_samples(np.array([kept, m - kept]), np.array([hits[i], k - hits[i]]))
        else:
            then, now, p = _means(tree, i, truth.values[end == i, 0])
        for name, value in zip(names, (*then, *now, p), strict=True):
            found[name][i] = value
    found["p"] = _corrected(found["p"])
    return _Rates("rate" if classes else "mean", found)


def _means(tree: Tree, i: int, y: Array) -> tuple[tuple[float, ...], tuple[float, ...], float]:
    """Give mean and interval of a leaf then and now, and Welch's p-value."""
    from scipy.special import stdtr

    m, k = int(tree.n_rows[i]), len(y)
    mean, spread = float(tree.value[i, 0, 0]), float(tree.impurity[i])
    squared = tree.criterion in ("squared_error", "friedman_mse", "f_test")
    if squared and m > 1:
        # Two values with the leaf's mean and variance have its interval.
        ends = mean + np.sqrt(spread) * np.array([-1.0, 1.0])
        then = (mean, *mean_interval(ends, np.ones(2), m))
    else:
        then = (mean, np.nan, np.nan)
    if k == 0:
        return then, (np.nan,) * 3, np.nan
    now = (float(y.mean()), *mean_interval(y, np.ones(k), k))
    if not squared or m < 2 or k < 2:
        return then, now, np.nan
    a, b = spread * m / (m - 1) / m, float(y.var(ddof=1)) / k
    if a + b == 0:
        return then, now, np.nan
    df = (a + b) ** 2 / (a * a / (m - 1) + b * b / (k - 1))
    return then, now, float(2 * stdtr(df, -abs(now[0] - mean) / np.sqrt(a + b)))


def _leaf_listing(
    tree: Tree, ends: Array, then: Array, now: Array, parts: Array, rates: _Rates | None
) -> Listing:
    said = route.label_table(tree, tree.value)
    rows: dict[str, Any] = {
        "leaf": ends,
        "says": [said[i] if said.ndim == 1 else tuple(said[i].tolist()) for i in ends],
        "then": then[ends].astype(int),
        "now": now[ends],
        "share then": then[ends] / then.sum(),
        "share now": now[ends] / now.sum(),
        "PSI": parts,
    }
    legend = "shares: of all rows; PSI: the leaf's part"
    if rates is not None:
        rows |= {f"{rates.name} {name}": figures[ends] for name, figures in rates.figures.items()}
        what = "share of the leaf's class" if rates.name == "rate" else "mean of the target"
        legend += f"; {rates.name}: {what}, 95 % interval, p corrected for all leaves"
        if not tree.honest:
            legend += "; then is of the rows that the tree was fitted to, so it is optimistic"
    return Listing(rows, title="leaves", legend=legend)


def _column_listing(tree: Tree, table: Table) -> Listing:
    used, n = tree.used_columns.tolist(), table.n_rows
    columns = [table.columns[j] for j in used]
    then = np.array([column.info.n_missing for column in columns], float)
    missing = np.array([np.count_nonzero(column.missing) for column in columns], float)
    unseen = np.array([np.count_nonzero(column.unseen) for column in columns], float)
    total = float(tree.n_rows[0])
    p = np.array(
        [
            two_samples(np.array([t, total - t]), np.array([m, n - m]))
            for t, m in zip(then, missing, strict=True)
        ]
    )
    return Listing(
        {
            "column": [column.name for column in columns],
            "missing then": then / total,
            "missing now": missing / n,
            "p": _corrected(p),
            "unseen now": unseen / n,
        },
        title="columns",
        legend="shares of rows whose value is missing, or a level not seen when fitting",
    )
