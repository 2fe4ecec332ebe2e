"""Would another sample give another tree: the same fit on many resamples, compared with ours.

A resample is a share of the rows drawn without replacement, by default one half: half samples vary
as bootstrap samples do (Efron 1982), without rows that count twice. All trees grow on one table, so
what the engine prepares (sorted columns, bins) is shared; they grow side by side on all cores and
are counted in a fixed order.
A *place* is a node of our tree: the same branches from the root, at which the resampled tree asks
about the same columns. Philipp et al. (2018), Journal of Computational and Graphical Statistics 27.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from ceiba.errors import OptionError
from ceiba.listing import Block, Listing, text_of
from ceiba.table import Table
from ceiba.tree import SplitKind, Tree
from ceiba.tree.routing import route
from ceiba.visible import figure

Array = npt.NDArray[Any]
Fit = Callable[[npt.NDArray[np.uint32]], "Tree"]
DEPTHS = 8  # column frequencies are listed down to here


@dataclass(frozen=True, eq=False, repr=False)
class Stability:
    """How a tree varies over resamples; prints.

    Attributes
    ----------
    tree : Tree
        Ours.
    resamples : int
    nodes : Listing
        Per split of ours: in which share of the resamples its place is reached (same columns
        asked above), its column is chosen there, the middle 90 % of the cuts, and which other
        column is chosen most often.
    columns : Listing
        Per column: in which share of the resampled trees it is used at all, and at each depth.
    leaves : Listing
        Per leaf of ours: rows, and how often resampled trees give its rows the same answer
        (regression: the standard deviation of their predictions).
    rows : float64 array of shape (n_rows,)
        The same per row; (n_rows, n_outputs) for several outputs.
    agreement : float
        How often two resampled trees give a row the same answer; regression: the root mean
        square difference of their predictions. A tuple for several outputs.
    n_leaves : int64 array of shape (resamples,)
        Sizes of the resampled trees.
    """

    tree: Tree
    resamples: int
    nodes: Listing
    columns: Listing
    leaves: Listing
    rows: Array
    agreement: float | tuple[float, ...]
    n_leaves: Array

    def __str__(self) -> str:
        return text_of(self.blocks())

    def blocks(self) -> list[Block]:
        """Return the comparison as it is printed: sentences and two tables."""
        low, middle, high = np.quantile(self.n_leaves, (0.05, 0.5, 0.95))
        each = np.atleast_1d(self.agreement)
        if self.tree.task.is_classification("Stability"):
            shares = ", ".join(f"{share:.1%}".replace("%", " %") for share in each)
            spread = f"two of them give a row the same answer in {shares} of cases"
        else:
            apart = ", ".join(figure(float(value), 4) for value in each)
            spread = f"two of them differ by {apart} (root mean square)"
        if len(each) > 1:
            spread += ", by output"
        lines = [
            f"{self.resamples} resampled trees: {spread}",
            f"leaves: ours {self.tree.n_leaves}, theirs {middle:.0f} "
            f"(middle 90 %: {low:.0f} to {high:.0f})",
        ]
        return [*lines, "", *_rounded(self.nodes).blocks(), "", *self.leaves.blocks()]

    __repr__ = __str__

    def plot(self, ax: Any = None, *, lang: str = "en") -> Any:
        """Draw the column frequencies by depth; see `ceiba.plot.plot_stability`."""
        from importlib import import_module  # a neighbour: at call time only

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
    """Fit on resamples and compare with a tree; `model.stability(X, y)` calls this.

    Parameters
    ----------
    tree : Tree
        The tree of all rows.
    table : Table
        The rows.
    fit : callable
        Gives the tree of some rows (ascending positions), grown and pruned as ours was.
    resamples : int
    share : float
        Share of the rows in each.
    seed, n_threads : int
        The result depends on the seed alone.
    """
    if resamples < 2:
        raise OptionError(f"resamples: got {resamples}. Needs at least 2.")
    if not 0 < share < 1:
        raise OptionError(f"share: got {share}. Needs a number between 0 and 1.")
    n = table.n_rows
    size = max(1, round(share * n))

    def one(index: int) -> tuple[Tree, Array]:
        rng = np.random.default_rng([seed, index])
        drawn = np.zeros(n, bool)
        drawn[rng.permutation(n)[:size]] = True
        grown = fit(np.flatnonzero(drawn).astype(np.uint32))
        return grown, _answers(grown, table)

    tally = _Tally(tree, _answers(tree, table), n)
    for grown, answers in _in_order(one, resamples, n_threads):
        tally.add(grown, answers)
    return tally.result(table)


def _in_order(work: Callable[[int], Any], n: int, n_threads: int) -> Iterator[Any]:
    if n_threads <= 1:
        yield from map(work, range(n))
        return
    with ThreadPoolExecutor(n_threads) as pool:
        # A few at a time: each result holds an answer per row.
        for start in range(0, n, 4 * n_threads):
            yield from pool.map(work, range(start, min(n, start + 4 * n_threads)))


def _answers(tree: Tree, table: Table) -> Array:
    """Return the class codes, or numbers, that a tree says of each row; a column per output."""
    if tree.missing == "fractional":
        if not tree.task.has_classes:
            return np.asarray(route.predict(tree, table)).reshape(table.n_rows, -1)
        probability = route.predict_proba(tree, table)
        each = probability if isinstance(probability, list) else [probability]
        best = [route.best_class(one[:, None, :], tree.cost_matrix) for one in each]
        return np.concatenate(best, axis=1)
    end = route.apply(tree, table)
    answers = tree.answer if tree.task.has_classes else tree.value[:, :, 0]
    return np.asarray(answers[end]).reshape(table.n_rows, -1)


def _rounded(nodes: Listing) -> Listing:
    """Give the listing of the splits with the digits of a cut that a reader needs."""
    columns = {name: nodes[name] for name in nodes.columns}
    for name in ("cut low", "cut high"):
        columns[name] = np.array([float(f"{cut:.5g}") for cut in nodes[name]])
    return Listing(columns, title=nodes.title, legend=nodes.legend)


@dataclass
class _Place:
    """What resampled trees do at one node of ours."""

    reached: int = 0
    same: int = 0
    cuts: list[float] = field(default_factory=list)
    others: Counter[int] = field(default_factory=Counter)


class _Tally:
    """Counts over resampled trees, in the order in which they come."""

    def __init__(self, tree: Tree, own: Array, n_rows: int) -> None:
        self.tree, self.own = tree, own
        self.places = {i: _Place() for i in np.flatnonzero(~tree.is_leaf).tolist()}
        self.used: Counter[tuple[int, int]] = Counter()  # (column, depth)
        self.ever: Counter[int] = Counter()
        self.sizes: list[int] = []
        self.classes = tree.value.shape[2] if tree.task.is_classification("Stability") else 0
        self.votes = np.zeros((n_rows, tree.n_outputs, self.classes), np.int32)
        self.mean, self.square = np.zeros((2, n_rows, tree.n_outputs))  # Welford

    def add(self, other: Tree, answers: Array) -> None:
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
        pairs = set(zip(column.tolist(), np.minimum(depth, DEPTHS).tolist(), strict=True))
        self.used.update(pairs)
        self.ever.update({j for j, _ in pairs})
        self._compare(other)

    def _compare(self, other: Tree) -> None:
        ours, open_ = self.tree, [(0, 0)]
        while open_:
            i, j = open_.pop()
            if ours.is_leaf[i]:
                continue
            place = self.places[i]
            place.reached += 1
            if other.is_leaf[j]:
                place.others[-1] += 1
                continue
            column = int(other.splits.column[j])
            if column != ours.splits.column[i] or other.splits.kind[j] != ours.splits.kind[i]:
                place.others[column] += 1
                continue
            place.same += 1
            if ours.splits.kind[i] == SplitKind.CUT:
                place.cuts.append(float(other.splits.cut[j]))
            mine = ours.branch_node[ours.branch_start[i] : ours.branch_start[i + 1]].tolist()
            its = other.branch_node[other.branch_start[j] : other.branch_start[j + 1]].tolist()
            if len(mine) == len(its):
                open_.extend(zip(mine, its, strict=True))

    # ------------------------------------------------------------------ figures

    def result(self, table: Table) -> Stability:
        times = len(self.sizes)
        if self.classes:
            same = np.take_along_axis(self.votes, self.own[:, :, None], axis=2)
            per_row = same[:, :, 0] / times
            pairs = (self.votes * (self.votes - 1.0)).sum(axis=2) / (times * (times - 1))
            agreement = pairs.mean(axis=0)
        else:
            variance = self.square / (times - 1)
            per_row, agreement = np.sqrt(variance), np.sqrt(2 * variance.mean(axis=0))
        one = self.tree.n_outputs == 1
        return Stability(
            self.tree, times, self._nodes(times), self._columns(times),
            self._leaves(table, per_row), per_row[:, 0] if one else per_row,
            float(agreement[0]) if one else tuple(agreement.tolist()), np.array(self.sizes),
        )  # fmt: skip

    def _nodes(self, times: int) -> Listing:
        tree, names = self.tree, self.tree.schema.names
        rows: dict[str, list[Any]] = {
            "node": [], "split": [], "reached": [], "chosen": [],
            "cut low": [], "cut high": [], "instead": [], "how often": [],
        }  # fmt: skip
        for i, place in self.places.items():
            split = tree.node(i).split
            assert split is not None
            low, high = np.quantile(place.cuts, (0.05, 0.95)) if place.cuts else (np.nan, np.nan)
            other = place.others.most_common(1)
            rows["node"].append(i)
            rows["split"].append(split.sentence(0, tree.schema, max_levels=3))
            rows["reached"].append(place.reached / times)
            rows["chosen"].append(place.same / times)
            rows["cut low"].append(float(low))
            rows["cut high"].append(float(high))
            rows["instead"].append(
                "" if not other else "a leaf" if other[0][0] < 0 else names[other[0][0]]
            )
            rows["how often"].append(other[0][1] / times if other else 0.0)
        legend = (
            "reached: share of resampled trees that ask about the same columns above; chosen: and "
            "about this one here; cut: the middle 90 %; instead: the most common other choice"
        )
        return Listing(rows, title="splits", legend=legend)

    def _columns(self, times: int) -> Listing:
        names = self.tree.schema.names
        deepest = max((depth for _, depth in self.used), default=0)
        ranked = sorted(self.ever, key=lambda j: (-self.ever[j], j))
        columns: dict[str, Any] = {
            "column": [names[j] for j in ranked],
            "anywhere": [self.ever[j] / times for j in ranked],
        }
        for depth in range(deepest + 1):
            label = f"depth {depth}" + (" and more" if depth == DEPTHS else "")
            columns[label] = [self.used[j, depth] / times for j in ranked]
        return Listing(columns, title="columns: share of resampled trees that use them")

    def _leaves(self, table: Table, per_row: Array) -> Listing:
        end = route.apply(self.tree, table)
        n = self.tree.n_nodes
        count = np.bincount(end, minlength=n)
        ids = np.flatnonzero(count)
        labels = route.label_table(self.tree, self.tree.value)[ids]
        name = "agreement" if self.classes else "spread"
        what = (
            "share of resampled trees with the same answer"
            if self.classes
            else "standard deviation of the resampled trees' predictions"
        )
        figures: dict[str, Any] = {}
        for k in range(per_row.shape[1]):
            total = np.bincount(end, weights=per_row[:, k], minlength=n)
            label = name if per_row.shape[1] == 1 else f"{name} {k}"
            figures[label] = total[ids] / count[ids]
        answers = labels if labels.ndim == 1 else [tuple(one) for one in labels.tolist()]
        return Listing(
            {"leaf": ids, "says": answers, "rows": count[ids], **figures},
            title="leaves",
            legend=f"{name}: {what}, mean over the leaf's rows",
        )
