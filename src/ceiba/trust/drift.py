"""Compare new rows with the training rows, at every branch and in every leaf.

*Then* denotes the training counts, which the tree stores; the rows themselves are not needed.
At each node the rows that reach it are compared branch by branch (two-sample chi-square; Fisher's
exact test for two branches if an expected count is below 5), so a change is found at the node where
it starts and not in every node below. p-values are corrected for the number of nodes (Holm 1979).
The population stability index sums (now - then) log(now / then) over the leaves, with half a row
added to each count.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ceiba.errors import DataError
from ceiba.inspection import correct_holm, is_weighted, mean_interval, predicts_mean, wilson
from ceiba.listing import Block, Listing, Printed, rows_to_columns
from ceiba.table import Table, read_target
from ceiba.table.targets import pop_target
from ceiba.tree import Tree, rows_by_weight, sum_over_subtrees
from ceiba.tree.routing import RowEnds, find_row_ends, route

Array = npt.NDArray[Any]
SIGNIFICANCE = 0.05
_FEW = 30  # number of expected rows above which counts are almost normal


@dataclass(frozen=True, eq=False, repr=False)
class Drift(Printed):
    """Comparison of new rows with the training rows of a tree.

    Attributes
    ----------
    tree : Tree
    n_then, n_now : int
        Rows.
    psi : float
        Population stability index over the leaves. Below 0.1 is usually called stable, above 0.25
        a change; `psi_by_chance` is its expected value for rows of the same population.
    p_value : float
        The least p-value of any node, corrected for the number of nodes.
    start : int or None
        The node nearest to the root whose branch shares changed (corrected p below 0.05), or None.
    start_p_value : float
        The corrected p-value of that node, or NaN.
    branches : Listing
        Per branch: rows and shares then and now, its term of the node's PSI, the node's p-value.
    leaves : Listing
        Per leaf: rows, shares and PSI; with a target also the rate (of the leaf's class) or mean.
    columns : Listing
        Per column that the tree uses: missing values then and now, and unseen levels now.
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
    def start_p_value(self) -> float:
        """Corrected p-value of the node where the change starts, or NaN without a change."""
        return float(next((row["p"] for row in self.branches if row["node"] == self.start), np.nan))

    @property
    def flagged(self) -> bool:
        """Whether the branch shares of some node changed (corrected p < 0.05)."""
        return self.start is not None

    def blocks(self) -> list[Block]:
        """Return the lines of text and the tables to print."""
        lines = [
            f"{self.n_now} new rows against {self.n_then} training rows",
            f"PSI over the leaves {self.psi:.3g} (by chance about {self.psi_by_chance:.2g})",
        ]
        if self.start is None:
            lines.append(f"no branch shares changed (corrected p {self.p_value:.2g})")
        else:
            split = self.tree.node(self.start).split
            assert split is not None
            lines.append(
                f"the change starts at node {self.start} ({split.sentence(0, self.tree.schema)}): "
                f"corrected p {self.start_p_value:.2g}"
            )
        tables = [_round_figures(listing).blocks() for listing in (self.branches, self.leaves)]
        return [*lines, "", *tables[0], "", *tables[1]]

    def to_dict(self) -> dict[str, Any]:
        """Return the results as a dict of lists and plain Python values."""
        return {
            "n_then": self.n_then,
            "n_now": self.n_now,
            "psi": self.psi,
            "psi_by_chance": self.psi_by_chance,
            "p_value": self.p_value,
            "start": self.start,
            "start_p_value": None if self.start is None else self.start_p_value,
            "optimistic": not self.tree.honest,  # the training rows also chose the splits
            "branches": self.branches.to_dict(),
            "leaves": self.leaves.to_dict(),
            "columns": self.columns.to_dict(),
        }


def drift(tree: Tree, X: Any, y: Any = None) -> Drift:
    """Compare new rows with the training rows of a tree.

    Parameters
    ----------
    tree : Tree
        With its training counts; a loaded model file has them.
    X : table
        New rows.
    y : array-like or str, optional
        Their target, with which the rates of the leaves are compared as well.

    Returns
    -------
    Drift

    Examples
    --------
    >>> import ceiba
    >>> data = ceiba.datasets.load_iris()
    >>> tree = ceiba.DecisionTreeClassifier(max_depth=2).fit(data.X, data.y).tree_
    >>> wide = {name: [value + 1 for value in data.X[name]] for name in data.X}
    >>> result = ceiba.trust.drift(tree, wide)
    >>> result.start, result.flagged
    (0, True)
    """
    X, y = pop_target(X, y, tree.task)
    if not tree.n_rows[0]:
        raise DataError("The tree has no training counts. Fit it, or call refit_leaves(X, y).")
    if y is not None and tree.n_outputs > 1:
        raise DataError("y is not supported for trees with several outputs. Omit it.")
    table = route.read(tree, X)
    if not table.n_rows:
        raise DataError("X must have at least one row.")
    ended_now = find_row_ends(tree, table, np.ones(table.n_rows))
    end_weight = np.bincount(ended_now.node, ended_now.weight, tree.n_nodes)
    now = sum_over_subtrees(tree, end_weight)
    then = _training_rows(tree)
    p_node = np.full(tree.n_nodes, np.nan)
    for i in np.flatnonzero(~tree.is_leaf).tolist():
        branches = tree.branch_node[tree.branch_start[i] : tree.branch_start[i + 1]]
        p_node[i] = two_sample_test(then[branches], now[branches])
    p_node = correct_holm(p_node)
    # The change starts at the significant node nearest to the root; ties are broken by p-value.
    hit = np.flatnonzero(p_node < SIGNIFICANCE)
    start = int(hit[np.lexsort((p_node[hit], tree.node_depth[hit]))[0]]) if len(hit) else None
    ends = np.flatnonzero(tree.is_leaf | (end_weight > 0))
    # Rows end in leaves, or in inner nodes that have no branch for their missing values.
    passed_on = np.bincount(tree.parent[1:], then[1:], tree.n_nodes)
    ended = np.maximum(np.where(tree.is_leaf, then, then - passed_on), 0.0)
    parts = _psi_parts(ended[ends], end_weight[ends])
    rates = _compare_leaves(tree, ended_now, y, table.n_rows)
    return Drift(
        tree=tree,
        n_then=int(then[0]),
        n_now=table.n_rows,
        psi=float(parts.sum()),
        psi_by_chance=psi_by_chance(ended[ends], end_weight[ends]),
        p_value=float(np.nanmin(p_node, initial=1.0)),
        start=start,
        branches=_branch_listing(tree, then, now, p_node),
        leaves=_leaf_listing(tree, ends, ended, end_weight, parts, rates),
        columns=_column_listing(tree, table),
    )


def psi(then: Iterable[float], now: Iterable[float]) -> float:
    """Return the population stability index of two lists of counts.

    Half a row is added to each count, so that an empty bin does not make it infinite.

    Examples
    --------
    >>> from ceiba.trust import psi
    >>> round(psi([50, 50], [90, 10]), 2)
    0.85
    """
    parts = _psi_parts(np.asarray(list(then), np.float64), np.asarray(list(now), np.float64))
    return float(parts.sum())


def psi_by_chance(then: Array, now: Array) -> float:
    """Return the expected PSI of two samples of these sizes from the same population."""
    # For independent samples with shares a and b (plus half a row), E[(b - a) log(b / a)] is
    # E[a log a] + E[b log b] - E[a] E[log b] - E[b] E[log a]. The large-sample approximation
    # (k - 1) (1 / n + 1 / m) for k bins, n and m rows is far too large if bins have few rows.
    both = then + now + 0.5
    p = both / both.sum()
    a, log_a, a_log_a = _share_moments(p, round(float(then.sum())))
    b, log_b, b_log_b = _share_moments(p, round(float(now.sum())))
    return float((a_log_a + b_log_b - a * log_b - b * log_a).sum())


def _share_moments(p: Array, n: int) -> tuple[Array, Array, Array]:
    """Return the means of f, log f and f log f for shares f of n rows with probabilities p."""
    from scipy.special import gammaln, xlog1py, xlogy

    total = n + 0.5 * len(p)
    mean, variance = (n * p + 0.5) / total, n * p * (1 - p) / total**2
    log = np.log(mean)
    moments = np.array([mean, log - variance / (2 * mean**2), mean * log + variance / (2 * mean)])
    # For rare leaves, second-order expansions about the mean are too inaccurate. Compute the exact
    # sum over the binomial distribution, whose mass beyond 4 * _FEW rows is negligible.
    few = n * p < _FEW
    x = np.arange(min(n, 4 * _FEW) + 1)
    log_choose = gammaln(n + 1) - gammaln(x + 1) - gammaln(n - x + 1)
    density = np.exp(log_choose + xlogy(x, p[few, None]) + xlog1py(n - x, -p[few, None]))
    f = (x + 0.5) / total
    moments[:, few] = density @ f, density @ np.log(f), density @ (f * np.log(f))
    return moments[0], moments[1], moments[2]


def _psi_parts(then: Array, now: Array) -> Array:
    a, b = then + 0.5, now + 0.5
    a, b = a / a.sum(), b / b.sum()
    return np.asarray((b - a) * np.log(b / a))


def _training_rows(tree: Tree) -> Array:
    """Return the number of training rows in each node, counting divided rows by their share."""
    if tree.missing == "fractional":
        return rows_by_weight(tree)
    return np.asarray(tree.n_rows, np.float64)


def two_sample_test(then: Array, now: Array) -> float:
    """Return the p-value for equal shares in two lists of counts, or NaN if no test is possible."""
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


# ---------------------------------------------------------------------- tables


def _branch_listing(tree: Tree, then: Array, now: Array, p_node: Array) -> Listing:
    names = ("node", "branch", "condition", "then", "now", "share then", "share now", "PSI", "p")
    rows: list[tuple[Any, ...]] = []
    for i in np.flatnonzero(~tree.is_leaf).tolist():
        branches = tree.branch_node[tree.branch_start[i] : tree.branch_start[i + 1]]
        before, after = then[branches], now[branches]
        parts = _psi_parts(before, after)
        split = tree.node(i).split
        assert split is not None
        for b, child in enumerate(branches.tolist()):
            condition = split.sentence(b, tree.schema, max_levels=4)
            counts = round(float(before[b])), round(float(after[b]))
            shares = _share(before[b], before.sum()), _share(after[b], after.sum())
            rows.append((i, child, condition, *counts, *shares, float(parts[b]), float(p_node[i])))
    legend = "shares: of the rows in the node; PSI: the branch's part; p: corrected for all nodes"
    return Listing(rows_to_columns(names, rows), title="branches", legend=legend)


def _round_figures(listing: Listing) -> Listing:
    """Return a copy of a listing with its floats rounded to three significant digits."""
    columns = {
        name: np.array([float(f"{value:.3g}") for value in listing[name]])
        if listing[name].dtype.kind == "f"
        else listing[name]
        for name in listing.columns
    }
    return Listing(columns, title=listing.title, legend=listing.legend)


def _share(amount: float, total: float) -> float:
    return float(amount / total) if total else float("nan")


def _compare_leaves(tree: Tree, ends: RowEnds, y: Any, n_rows: int) -> dict[str, Array] | None:
    """Compare the class proportion or mean of each leaf in training and new rows, if y is given."""
    if y is None:
        return None
    truth = read_target(y, task=tree.task, n_rows=n_rows)
    names = ("then", "then low", "then high", "now", "now low", "now high", "p")
    figures = {name: np.full(tree.n_nodes, np.nan) for name in names}
    now_n = np.bincount(ends.node, ends.weight, tree.n_nodes)
    classes = tree.task.is_classification("Drift of leaves")
    if classes:
        labels = truth.info.classes[0][truth.values[ends.row, 0]]
        right = labels == tree.target.classes[0][tree.answer[ends.node]]
        hits = np.bincount(ends.node, ends.weight * right, tree.n_nodes)
    weighted, rows_then = is_weighted(tree), _training_rows(tree)
    for i in np.flatnonzero(tree.is_leaf | (now_n > 0)).tolist():
        if classes:
            then, now, p = _compare_shares(tree, i, rows_then[i], hits[i], now_n[i])
        else:
            in_leaf = ends.node == i
            then, now, p = _compare_means(
                tree, i, rows_then[i], truth.values[ends.row[in_leaf], 0], ends.weight[in_leaf]
            )
        if weighted:  # the effective number of training rows is unknown
            then, p = (then[0], np.nan, np.nan), np.nan
        for name, value in zip(names, (*then, *now, p), strict=True):
            figures[name][i] = value
    figures["p"] = correct_holm(figures["p"])
    return figures


_Estimate = tuple[float, float, float]  # value, low, high
_UNKNOWN: _Estimate = (np.nan, np.nan, np.nan)


def _compare_shares(
    tree: Tree, i: int, m: float, hits: float, k: float
) -> tuple[_Estimate, _Estimate, float]:
    """Return the share of a leaf's class in old and new rows with intervals, and the p-value."""
    # Use counts, because priors and smoothing change the leaf's value but not its counts.
    counts = tree.class_probability[i] if tree.counts is None else tree.counts[i, 0]
    share = float(counts[tree.answer[i]] / counts.sum()) if counts.sum() > 0 else np.nan
    then = (share, *wilson(share, m)) if m > 0 else _UNKNOWN
    now = (hits / k, *wilson(hits / k, k)) if k > 0 else _UNKNOWN
    if not m > 0:
        return then, now, np.nan
    p = two_sample_test(np.array([share * m, m - share * m]), np.array([hits, k - hits]))
    return then, now, p


def _compare_means(
    tree: Tree, i: int, m: float, y: Array, weight: Array
) -> tuple[_Estimate, _Estimate, float]:
    """Return the mean of a leaf in old and new rows with intervals, and Welch's p-value."""
    from scipy.special import stdtr

    mean, spread, k = float(tree.value[i, 0, 0]), float(tree.impurity[i]), float(weight.sum())
    squared = tree.criterion in ("squared_error", "friedman_mse", "f_test")
    then: _Estimate = _UNKNOWN
    if m > 0 and predicts_mean(tree, i):
        # Trees do not store rows: use two values with the mean and variance of the leaf instead.
        halves, half = mean + np.sqrt(spread) * np.array([-1.0, 1.0]), np.full(2, 0.5 * m)
        then = (mean, np.nan, np.nan)
        if squared and m > 1:
            then = (mean, *mean_interval(halves, half, m, frequency_weights=True))
    if not k > 0:
        return then, _UNKNOWN, np.nan
    now = (float(weight @ y / k), *mean_interval(y, weight, k, frequency_weights=True))
    if np.isnan(then[1]) or k <= 1:
        return then, now, np.nan
    a, b = spread / (m - 1), float(weight @ (y - now[0]) ** 2) / k / (k - 1)
    if a + b == 0:
        return then, now, np.nan
    df = (a + b) ** 2 / (a * a / (m - 1) + b * b / (k - 1))
    return then, now, float(2 * stdtr(df, -abs(now[0] - mean) / np.sqrt(a + b)))


def _leaf_listing(
    tree: Tree, ends: Array, then: Array, now: Array, parts: Array, rates: dict[str, Array] | None
) -> Listing:
    labels = route.label_table(tree, tree.value)
    rows: dict[str, Any] = {
        "leaf": ends,
        "says": [labels[i] if labels.ndim == 1 else tuple(labels[i].tolist()) for i in ends],
        "then": np.rint(then[ends]).astype(int),
        "now": np.rint(now[ends]).astype(int),
        "share then": then[ends] / then.sum(),
        "share now": now[ends] / now.sum(),
        "PSI": parts,
    }
    legend = "shares: of all rows; PSI: the leaf's part"
    if rates is not None:
        rate, description = "rate", "share of the leaf's class"
        if not tree.task.has_classes:
            rate, description = "mean", "mean of the target"
        rows |= {f"{rate} {name}": figures[ends] for name, figures in rates.items()}
        if tree.class_prior is not None:
            description += " in the rows, without priors"
        legend += f"; {rate}: {description}, 95 % interval, p corrected for all leaves"
        if is_weighted(tree):
            legend += "; then is weighted, so it has no interval and is not compared"
        elif not tree.task.has_classes and np.isnan(rows["mean then"]).all():
            legend += "; then is not known: the values of the leaves are not means of their rows"
        elif not tree.honest:
            legend += "; then is of the rows that the tree was fitted to, so it is optimistic"
    return Listing(rows, title="leaves", legend=legend)


def _column_listing(tree: Tree, table: Table) -> Listing:
    used, n = tree.used_features.tolist(), table.n_rows
    columns = [table.columns[j] for j in used]
    then = np.array([column.info.n_missing for column in columns], float)
    missing = np.array([np.count_nonzero(column.missing) for column in columns], float)
    unseen = np.array([np.count_nonzero(column.unseen) for column in columns], float)
    total = float(tree.n_rows[0])
    p = np.array(
        [
            two_sample_test(np.array([t, total - t]), np.array([m, n - m]))
            for t, m in zip(then, missing, strict=True)
        ]
    )
    return Listing(
        {
            "column": [column.name for column in columns],
            "missing then": then / total,
            "missing now": missing / n,
            "p": correct_holm(p),
            "unseen now": unseen / n,
        },
        title="columns",
        legend="shares of rows whose value is missing, or a level not seen when fitting",
    )
