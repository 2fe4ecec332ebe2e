"""Measure the stability of a tree under resampling, and the risk of other splits of a node.

A resample is a share of the rows drawn without replacement, by default one half: half samples vary
like bootstrap samples (Efron 1982), but without duplicate rows. All trees grow on one table, so its
preparation (sorted columns, bins) is shared. They grow in parallel and are counted in a fixed
order, so the result does not depend on the number of threads. A resampled tree *reaches* a node of
the fitted tree if it splits on the same columns along the same branches above it. Philipp et al.
(2018), Journal of Computational and Graphical Statistics 27.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from ceiba.edit import select_columns, set_split_in
from ceiba.errors import OptionError, TreeError
from ceiba.formatting import format_number
from ceiba.grow import Problem, allowed_columns
from ceiba.listing import Block, Listing, Printed, rows_to_columns
from ceiba.prune.cross_validation import read_folds
from ceiba.table import Table
from ceiba.tree import SplitKind, Tree
from ceiba.tree.routing import route
from ceiba.tree.splits import Split

Array = npt.NDArray[Any]
Fit = Callable[[npt.NDArray[np.uint32]], "Tree"]
MAX_DEPTH = 8  # largest depth in the tables; deeper nodes are counted at this depth


@dataclass(frozen=True, eq=False, repr=False)
class Stability(Printed):
    """Variation of trees fitted to resamples of the rows.

    Attributes
    ----------
    tree : Tree
        The fitted tree.
    resamples : int
    nodes : Listing
        Per split of the tree: the share of resampled trees that reach it (same columns above),
        the share that choose its column there, the middle 90 % of their cuts, and the most
        frequent other column.
    columns : Listing
        Per column: the share of resampled trees that use it, in all and at each depth.
    leaves : Listing
        Per leaf of the tree: rows, and the share of resampled trees with the same prediction for
        them (regression: the standard deviation of their predictions).
    rows : float64 array of shape (n_rows,)
        The share or standard deviation per row; (n_rows, n_outputs) for several outputs.
    agreement : float
        Probability that two resampled trees predict the same class for a row; regression: the
        root mean square difference of their predictions. A tuple for several outputs.
    n_leaves : int64 array of shape (resamples,)
        Number of leaves of each resampled tree.
    """

    tree: Tree
    resamples: int
    nodes: Listing
    columns: Listing
    leaves: Listing
    rows: Array
    agreement: float | tuple[float, ...]
    n_leaves: Array

    def blocks(self) -> list[Block]:
        """Return the lines of text and the tables to print."""
        low, middle, high = np.quantile(self.n_leaves, (0.05, 0.5, 0.95))
        each = np.atleast_1d(self.agreement)
        if self.tree.task.has_classes:
            shares = ", ".join(f"{share:.1%}".replace("%", " %") for share in each)
            spread = f"two of them predict the same class for {shares} of the rows"
        else:
            differences = ", ".join(format_number(float(value), 4) for value in each)
            spread = f"two of them differ by {differences} (root mean square)"
        if len(each) > 1:
            spread += ", by output"
        lines = [
            f"{self.resamples} resampled trees: {spread}",
            f"leaves: {self.tree.n_leaves} in this tree, {middle:.0f} in the median resampled tree "
            f"(90 % of them: {low:.0f} to {high:.0f})",
        ]
        columns = {name: self.nodes[name] for name in self.nodes.columns}
        for name in ("cut low", "cut high"):
            columns[name] = np.array([float(f"{cut:.5g}") for cut in self.nodes[name]])
        nodes = Listing(columns, title=self.nodes.title, legend=self.nodes.legend)
        return [*lines, "", *nodes.blocks(), "", *self.leaves.blocks()]

    def plot(self, ax: Any = None, *, lang: str = "en") -> Any:
        """Draw the column frequencies by depth; see `ceiba.plot.plot_stability`."""
        from importlib import import_module  # static imports of plots are not allowed here

        return import_module("ceiba.plot").plot_stability(self, ax=ax, lang=lang)


def stability(
    tree: Tree,
    table: Table,
    fit: Fit,
    *,
    resamples: int = 200,
    share: float = 0.5,
    seed: int = 0,
    n_threads: int = 1,
) -> Stability:
    """Compare a tree with trees fitted to resamples; called by `model.stability(X, y)`."""
    if resamples < 2:
        raise OptionError(f"resamples must be at least 2, got {resamples}.")
    if not 0 < share < 1:
        raise OptionError(f"share must be greater than 0 and less than 1, got {share}.")
    n = table.n_rows
    size = max(1, round(share * n))

    def fit_resample(index: int) -> tuple[Tree, Array]:
        rng = np.random.default_rng([seed, index])
        sample = np.zeros(n, bool)
        sample[rng.permutation(n)[:size]] = True
        grown = fit(np.flatnonzero(sample).astype(np.uint32))
        return grown, _predict(grown, table)

    tally = _Tally(tree, _predict(tree, table), n)
    for grown, answers in _map_in_order(fit_resample, resamples, n_threads):
        tally.add(grown, answers)
    return tally.result(table)


def _map_in_order(work: Callable[[int], Any], n: int, n_threads: int) -> Iterator[Any]:
    """Yield `work(i)` for i in range(n) in order, computed in several threads."""
    if n_threads <= 1:
        yield from map(work, range(n))
        return
    with ThreadPoolExecutor(n_threads) as pool:
        # Work in batches to limit memory, because each result has a prediction per row.
        for start in range(0, n, 4 * n_threads):
            yield from pool.map(work, range(start, min(n, start + 4 * n_threads)))


def _predict(tree: Tree, table: Table) -> Array:
    """Return the predicted class codes or numbers of each row, one column per output."""
    if tree.missing == "fractional":
        if not tree.task.has_classes:
            return np.asarray(route.predict(tree, table)).reshape(table.n_rows, -1)
        probability = route.predict_proba(tree, table)
        each = probability if isinstance(probability, list) else [probability]
        best = [route.best_class(shares[:, None, :], tree.cost_matrix) for shares in each]
        return np.concatenate(best, axis=1)
    leaf = route.apply(tree, table)
    answers = tree.answer if tree.task.has_classes else tree.value[:, :, 0]
    return np.asarray(answers[leaf]).reshape(table.n_rows, -1)


@dataclass
class _SplitCounts:
    """Counts of resampled trees by the column on which they split a node (-1 denotes a leaf)."""

    reached: int = 0
    same: int = 0
    cuts: list[float] = field(default_factory=list)
    others: Counter[int] = field(default_factory=Counter)


class _Tally:
    """Statistics of splits and predictions that are updated with each resampled tree."""

    def __init__(self, tree: Tree, answers: Array, n_rows: int) -> None:
        self.tree, self.answers = tree, answers
        self.split_counts = {i: _SplitCounts() for i in np.flatnonzero(~tree.is_leaf).tolist()}
        self.n_trees_at: Counter[tuple[int, int]] = Counter()  # by (column, depth)
        self.n_trees: Counter[int] = Counter()  # by column
        self.sizes: list[int] = []
        self.classes = tree.value.shape[2] if tree.task.has_classes else 0
        self.votes = np.zeros((n_rows, tree.n_outputs, self.classes), np.int32)
        # Welford's mean and sum of squared deviations need one pass and avoid cancellation.
        self.mean, self.square = np.zeros((2, n_rows, tree.n_outputs))

    def add(self, other: Tree, answers: Array) -> None:
        """Count a resampled tree and its predictions."""
        self.sizes.append(other.n_leaves)
        if self.classes:
            for k in range(answers.shape[1]):
                self.votes[np.arange(len(answers)), k, answers[:, k]] += 1
        else:
            before = answers - self.mean
            self.mean += before / len(self.sizes)
            self.square += before * (answers - self.mean)
        inner = ~other.is_leaf
        column, depth = other.splits.column[inner], other.node_depth[inner]
        pairs = set(zip(column.tolist(), np.minimum(depth, MAX_DEPTH).tolist(), strict=True))
        self.n_trees_at.update(pairs)
        self.n_trees.update({j for j, _ in pairs})
        self._compare(other)

    def _compare(self, other: Tree) -> None:
        """Count a resampled tree's splits at nodes whose ancestors split on the same columns."""
        tree, pairs = self.tree, [(0, 0)]  # corresponding nodes of the two trees
        while pairs:
            i, j = pairs.pop()
            if tree.is_leaf[i]:
                continue
            counts = self.split_counts[i]
            counts.reached += 1
            if other.is_leaf[j]:
                counts.others[-1] += 1
                continue
            column = int(other.splits.column[j])
            if column != tree.splits.column[i] or other.splits.kind[j] != tree.splits.kind[i]:
                counts.others[column] += 1
                continue
            counts.same += 1
            if tree.splits.kind[i] == SplitKind.CUT:
                counts.cuts.append(float(other.splits.cut[j]))
            children = tree.branch_node[tree.branch_start[i] : tree.branch_start[i + 1]].tolist()
            branches = other.branch_node[other.branch_start[j] : other.branch_start[j + 1]].tolist()
            if len(children) == len(branches):
                pairs.extend(zip(children, branches, strict=True))

    def result(self, table: Table) -> Stability:
        times = len(self.sizes)
        if self.classes:
            same = np.take_along_axis(self.votes, self.answers[:, :, None], axis=2)
            per_row = same[:, :, 0] / times
            # If a class has v votes, v (v - 1) ordered pairs of trees agree on it.
            pairs = (self.votes * (self.votes - 1.0)).sum(axis=2) / (times * (times - 1))
            agreement = pairs.mean(axis=0)
        else:
            variance = self.square / (times - 1)
            # The difference of two independent predictions has twice their variance.
            per_row, agreement = np.sqrt(variance), np.sqrt(2 * variance.mean(axis=0))
        single_output = self.tree.n_outputs == 1
        return Stability(
            self.tree, times, self._split_table(times), self._column_table(times),
            self._leaf_table(table, per_row), per_row[:, 0] if single_output else per_row,
            float(agreement[0]) if single_output else tuple(agreement.tolist()),
            np.array(self.sizes),
        )  # fmt: skip

    def _split_table(self, times: int) -> Listing:
        tree, names = self.tree, self.tree.schema.names
        heads = (
            "node", "split", "reached", "chosen", "cut low", "cut high", "instead", "how often",
        )  # fmt: skip
        rows: list[tuple[Any, ...]] = []
        for i, counts in self.split_counts.items():
            split = tree.node(i).split
            assert split is not None
            low, high = np.quantile(counts.cuts, (0.05, 0.95)) if counts.cuts else (np.nan, np.nan)
            sentence = split.sentence(0, tree.schema, max_levels=3)
            shares, cuts = (counts.reached / times, counts.same / times), (float(low), float(high))
            instead, often = "", 0.0
            for column, count in counts.others.most_common(1):
                instead, often = "a leaf" if column < 0 else names[column], count / times
            rows.append((i, sentence, *shares, *cuts, instead, often))
        legend = (
            "reached: share of resampled trees that split on the same columns above; chosen: and "
            "on this one here; cut: the middle 90 %; instead: the most common other choice"
        )
        return Listing(rows_to_columns(heads, rows), title="splits", legend=legend)

    def _column_table(self, times: int) -> Listing:
        names = self.tree.schema.names
        deepest = max((depth for _, depth in self.n_trees_at), default=0)
        ranked = sorted(self.n_trees, key=lambda j: (-self.n_trees[j], j))
        columns: dict[str, Any] = {
            "column": [names[j] for j in ranked],
            "anywhere": [self.n_trees[j] / times for j in ranked],
        }
        for depth in range(deepest + 1):
            label = f"depth {depth}" + (" and more" if depth == MAX_DEPTH else "")
            columns[label] = [self.n_trees_at[j, depth] / times for j in ranked]
        return Listing(columns, title="columns: share of resampled trees that use them")

    def _leaf_table(self, table: Table, per_row: Array) -> Listing:
        leaf = route.apply(self.tree, table)
        n = self.tree.n_nodes
        count = np.bincount(leaf, minlength=n)
        ids = np.flatnonzero(count)
        labels = route.label_table(self.tree, self.tree.value)[ids]
        name = "agreement" if self.classes else "spread"
        description = (
            "share of resampled trees with the same answer"
            if self.classes
            else "standard deviation of the resampled trees' predictions"
        )
        figures: dict[str, Any] = {}
        for k in range(per_row.shape[1]):
            total = np.bincount(leaf, weights=per_row[:, k], minlength=n)
            label = name if per_row.shape[1] == 1 else f"{name} {k}"
            figures[label] = total[ids] / count[ids]
        answers = labels if labels.ndim == 1 else [tuple(row) for row in labels.tolist()]
        return Listing(
            {"leaf": ids, "says": answers, "rows": count[ids], **figures},
            title="leaves",
            legend=f"{name}: {description}, mean over the leaf's rows",
        )


@dataclass(frozen=True, eq=False, repr=False)
class RivalColumns:
    """Cross-validated risks of a node's rows if the node must split on each column in turn.

    Attributes
    ----------
    node : int
    table : Listing
        Per column: its best split, the leaves of the tree with this split, its cross-validated
        risk and standard error, the difference from `risk`, and whether it is within one `se`.
    trees : dict
        The whole tree with each column forced, by name.
    risk, se : float
        Cross-validated risk without a forced column, and its standard error.
    """

    node: int
    table: Listing
    trees: dict[str, Tree]
    risk: float
    se: float

    def __str__(self) -> str:
        return str(self.table)

    __repr__ = __str__

    def plot(self, ax: Any = None, *, lang: str = "en") -> Any:
        """Draw the risks with their standard errors; see `ceiba.plot.plot_rival_columns`."""
        from importlib import import_module  # imported here, as in `Stability.plot`

        return import_module("ceiba.plot").plot_rival_columns(self, ax=ax, lang=lang)


def rival_columns(
    tree: Tree, problem: Problem, *, node: int = 0, folds: int = 10, seed: int = 0
) -> RivalColumns:
    """Force a node to split on each column in turn; called by `model.rival_columns(X, y)`."""
    if tree.n_outputs > 1:
        raise OptionError("rival_columns is not supported for trees with several outputs.")
    if tree.node(node).is_leaf:
        raise TreeError(f"node must have a split, got node {node}, which is a leaf.")
    rows = tree.rows(node, problem.table)
    depth = int(tree.node_depth[node])
    subset = problem.take(rows)
    if (deepest := subset.options.max_depth) is not None:
        subset = replace(subset, options=replace(subset.options, max_depth=deepest - depth))
    if subset.options.interaction_cst is not None:
        path = tree.splits.column[list(tree.path(node).nodes[:-1])].tolist()
        allowed = allowed_columns(subset.options, tree.schema.names, path)
        subset = select_columns(subset, allowed, path)
    names = subset.table.schema.names
    splits = {name: split for name in names if (split := _best_split(subset, name)) is not None}
    free_loss = np.full(len(rows), np.nan)
    loss = {name: free_loss.copy() for name in splits}
    # Search the splits again in each fold, so that the search is validated as well.
    for fold in read_folds(folds, subset, random_state=seed):
        training, test = subset.take(fold.train), fold.test
        held_out = subset.table.take(test)
        free = training.grow()
        free_loss[test] = _losses(free, held_out, subset, test)
        for name in splits:
            split = _best_split(training, name)
            grown = free if split is None else set_split_in(free, 0, split, training)
            loss[name][test] = _losses(grown, held_out, subset, test)
    trees = {name: set_split_in(tree, node, split, problem) for name, split in splits.items()}
    share = subset.row_weight / subset.row_weight.sum()

    def mean_se(values: Array) -> tuple[float, float]:
        mean = float(share @ values)
        return mean, float(np.sqrt((share**2) @ (values - mean) ** 2))

    risk, se = mean_se(free_loss)
    current = tree.schema.names[int(tree.splits.column[node])]
    lines = []
    for name, split in splits.items():
        column_risk, column_se = mean_se(loss[name])
        # Compute the SE from row-wise differences, because both trees are tested on the same rows.
        difference = mean_se(loss[name] - free_loss)
        sentence = split.sentence(0, tree.schema, max_levels=3)
        figures = (column_risk, column_se, *difference, column_risk <= risk + se)
        lines.append((name, sentence, name == current, trees[name].n_leaves, *figures))
    lines.sort(key=lambda line: (line[4], line[0]))
    heads = (
        "column", "best split", "ours", "leaves", "risk", "SE", "difference", "its SE",
        "within 1 SE",
    )  # fmt: skip
    table = Listing(
        rows_to_columns(heads, lines),
        title=f"rival columns of node {node}",
        legend=f"risk: cross-validated {tree.task.loss} of the node's rows with the column forced "
        f"there; without a forced column, it is {risk:.4g} (SE {se:.2g}); difference: from this "
        "risk, row by row",
    )
    return RivalColumns(node, table, trees, risk, se)


def _best_split(problem: Problem, name: str) -> Split | None:
    """Return the best split of a problem's rows on one column, or None if there is none."""
    options = replace(
        problem.options,
        max_depth=1,
        column_cost=None,
        monotonic_cst=None,
        interaction_cst=None,
        max_features=None,
    )
    table = problem.table.select([problem.table.schema.names.index(name)])
    stump = replace(problem, table=table, options=options).grow()
    return stump.root.split


def _losses(tree: Tree, table: Any, problem: Problem, rows: Array) -> Array:
    truth = problem.target.values[rows, 0]
    if tree.task.is_regression("The risk of rival columns"):
        return np.asarray((route.predict(tree, table) - truth) ** 2)
    answers = tree.answer[route.apply(tree, table)]
    if tree.cost_matrix is None:
        return np.asarray(answers != truth, np.float64)
    return np.asarray(tree.cost_matrix[truth, answers])
