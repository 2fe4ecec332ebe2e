"""Measure the importance of each column in several ways.

gain: the impurity decrease of its splits in training, times the weight of their nodes (under the
altered priors, if there are priors or costs). It is biased towards columns with many distinct
values. surrogates: the gain, plus the gain times the adjusted agreement of stored surrogates
(rpart). permutation: the decrease of the score on held-out rows when the column is shuffled
(Breiman 2001). held-out gain: MDI-oob (Li, Wang, Basu, Kumbier and Yu 2019). A split moves a row
from node t to its branch b; its gain for the row depends on the training values of both nodes and
the row's true target:

    classes   p(b)[y] - p(t)[y]                           p: class probabilities of training
    numbers   (m(b) - m(t)) (y - m(t))                    m: values of training

summed over the splits of a column and averaged over the rows. On the training rows this is the
decrease of gini or of the squared error. On other rows the node values are independent of the
target, so splits on noise average 0, however many values their column has. Numbers are centered at
m(t), which does not change the expectation for noise and makes the gain independent of the origin.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Final, Literal

import numpy as np
import numpy.typing as npt

from ceiba.errors import OptionError
from ceiba.grow import altered_scale, read_per_column, search_mass
from ceiba.inspection.intervals import Interval, mean_interval
from ceiba.listing import Listing
from ceiba.survival import concordance
from ceiba.table import Column, Table, count_effective_rows, read_target, read_weights
from ceiba.table.targets import pop_target, read_target_like
from ceiba.task import Task
from ceiba.tree import Tree, alter_priors
from ceiba.tree.routing import RowEnds, find_row_ends, route

Array = npt.NDArray[np.float64]
Scale = Literal["sum", "max", "none"]
_SEED: Final = 0
#: Score of each task, whose decrease is the permutation importance.
_SCORES: Final = {
    Task.CLASSIFICATION: "accuracy",
    Task.REGRESSION: "R²",
    Task.SURVIVAL: "Harrell's C",
}


@np.errstate(over="ignore", invalid="ignore")  # an overflow is infinite
def importance(
    tree: Tree, *, normalize: bool = True, surrogates: bool = False, column_cost: Any = None
) -> npt.NDArray[np.float64]:
    """Return the importance of each column.

    Parameters
    ----------
    tree : Tree
    normalize : bool, default=True
        Whether the figures sum to 1, as in scikit-learn, or are sums over rows, as in rpart.
    surrogates : bool, default=False
        Whether surrogates count as well, as in rpart.
    column_cost : array-like or dict, optional
        Cost of each column, by which the gain of its splits is divided.

    Returns
    -------
    float64 array of shape (n_columns,)

    Examples
    --------
    >>> import ceiba
    >>> from ceiba.inspection import importance
    >>> model = ceiba.DecisionTreeClassifier().fit([[1, 7], [2, 7], [3, 7]], ["a", "b", "b"])
    >>> importance(model.tree_)
    array([1., 0.])
    """
    n_columns = len(tree.schema.columns)
    inner = ~tree.is_leaf
    worth = search_mass(tree) * tree.gain
    if column_cost is not None:
        cost = read_per_column("column_cost", column_cost, tree.schema.names, 1.0)
        worth[inner] /= cost[tree.splits.column[inner]]
    total = np.bincount(tree.splits.column[inner], worth[inner], n_columns).astype(np.float64)
    if surrogates and tree.surrogates is not None:
        table = tree.surrogates
        node = np.repeat(np.arange(tree.n_nodes), np.diff(table.start))
        total += np.bincount(table.splits.column, table.adjusted * worth[node], n_columns)
    if normalize and total.sum() > 0:
        total = total / total.sum()
    return total


def importance_table(
    tree: Tree,
    X: Any = None,
    y: Any = None,
    *,
    sample_weight: Any = None,
    scale: Scale = "sum",
    repeats: int = 10,
    confidence: float = 0.95,
    random_state: Any = None,
) -> Listing:
    """Return the importance of each column by several measures, in descending order of gain.

    Parameters
    ----------
    tree : Tree
    X, y : table and target, optional
        Held-out rows; y may be the name of a column of X. Without them only the training measures
        are computed.
    sample_weight : array-like, optional
        Weights of the held-out rows.
    scale : {"sum", "max", "none"}, default="sum"
        Gain and surrogates sum to 1, have a maximum of 1, or are sums over rows.
    repeats : int, default=10
        Shuffles per column.
    confidence : float, default=0.95
        Confidence of the intervals.
    random_state : int or numpy Generator, optional
        None is the fixed seed 0.

    Returns
    -------
    Listing
        Columns column, gain, surrogates (if the tree has some), and with held-out rows permutation,
        permutation_low, permutation_high, heldout_gain, heldout_low, heldout_high.

    Examples
    --------
    >>> import ceiba
    >>> from ceiba.inspection import importance_table
    >>> X, y = [[1, 7], [2, 7], [3, 7], [4, 7]], ["a", "a", "b", "b"]
    >>> tree = ceiba.DecisionTreeClassifier().fit(X, y).tree_
    >>> table = importance_table(tree, X, y, scale="max")
    >>> table["column"].tolist(), table["gain"].tolist()
    (['x0', 'x1'], [1.0, 0.0])
    """
    if scale not in ("sum", "max", "none"):
        raise OptionError(f'scale must be "sum", "max" or "none", got {scale!r}.')
    if (X is None) != (y is None):
        raise OptionError(f"X and y must be passed together, got only {'y' if X is None else 'X'}.")
    if repeats < 1:
        raise OptionError(f"repeats must be at least 1, got {repeats!r}.")
    gain = _rescale(importance(tree, normalize=False), scale)
    order = np.argsort(-gain, kind="stable")
    figures: dict[str, Any] = {"column": [tree.schema.names[j] for j in order], "gain": gain[order]}
    unit = {"sum": "shares of all", "max": "the largest is 1", "none": "sums over rows"}[scale]
    legend = [f"gain: impurity decrease of its splits in training ({unit})"]
    if tree.surrogates is not None:
        with_surrogates = importance(tree, normalize=False, surrogates=True)
        figures["surrogates"] = _rescale(with_surrogates, scale)[order]
        legend.append("surrogates: with its worth as a surrogate")
    if X is not None:
        drops = permutation_importance(
            tree, X, y, sample_weight=sample_weight, repeats=repeats, random_state=random_state
        )
        tail = (1 - confidence) / 2
        low, high = np.quantile(drops[1:], [tail, 1 - tail], axis=0)
        figures["permutation"] = drops[0][order]
        figures |= {"permutation_low": low[order], "permutation_high": high[order]}
        score = tree.task.lookup(_SCORES, "Permutation importance")
        legend.append(f"permutation: loss of {score} on the held-out rows when it is shuffled")
        bounds = f"low, high: of permutation {100 * confidence:g} % of {repeats} shuffles"
        if tree.task is not Task.SURVIVAL:  # gains are not defined for censored rows
            gains = RowGains.read(tree, X, y, sample_weight)
            middle, low, high = np.zeros((3, tree.n_features))
            for j, each in gains.by_column():
                middle[j] = gains.mean(each)
                low[j], high[j] = gains.interval(each, confidence)
            figures["heldout_gain"] = middle[order]
            figures |= {"heldout_low": low[order], "heldout_high": high[order]}
            legend.append(
                "heldout_gain: gain of its splits on the held-out rows, per row; 0 for noise"
            )
            bounds += f"; of heldout_gain the {100 * confidence:g} % interval over rows like these"
        legend.append(bounds)
    return Listing(figures, title="importance of the columns", legend="\n".join(legend))


def permutation_importance(
    tree: Tree,
    X: Any,
    y: Any,
    *,
    sample_weight: Any = None,
    repeats: int = 10,
    random_state: Any = None,
) -> Array:
    """Return the score decrease for each shuffled column: row 0 is the mean of all repeats."""
    X, y = pop_target(X, y, tree.task)
    table = route.read(tree, X)
    target = read_target(y, task=tree.task, n_rows=table.n_rows)  # raises for an invalid y
    weight = read_weights(sample_weight, table.n_rows)
    weight = np.ones(table.n_rows) if weight is None else weight
    truth = target.values
    if tree.task is not Task.SURVIVAL:
        truth = np.asarray(y).reshape(table.n_rows, -1)
    rng = np.random.default_rng(_SEED if random_state is None else random_state)
    base = _score(tree, table, truth, weight)
    drops = np.zeros((repeats + 1, table.n_columns))
    for repeat in range(1, repeats + 1):
        for j in tree.used_features.tolist():  # unused columns have no effect
            columns = list(table.columns)
            columns[j] = Column(columns[j].info, columns[j].values[rng.permutation(table.n_rows)])
            shuffled = replace(table, columns=tuple(columns))
            drops[repeat, j] = base - _score(tree, shuffled, truth, weight)
    drops[0] = drops[1:].mean(axis=0)
    return drops


def _score(tree: Tree, table: Table, truth: Any, weight: Array) -> float:
    predicted = route.predict(tree, table).reshape(table.n_rows, -1)
    if tree.task is Task.SURVIVAL:
        return concordance(truth[:, 0], truth[:, 1], predicted[:, 0], weight).value
    if tree.task.has_classes:
        return float(np.average((predicted == truth).all(axis=1), weights=weight))
    mean = np.average(truth, axis=0, weights=weight)
    off = np.average((predicted - truth) ** 2, axis=0, weights=weight)
    spread = np.average((truth - mean) ** 2, axis=0, weights=weight)
    return float(np.mean(1 - off / np.where(spread > 0, spread, 1.0)))


def _rescale(figures: Array, scale: Scale) -> Array:
    total = {"sum": figures.sum(), "max": figures.max(initial=0.0), "none": 1.0}[scale]
    return figures / total if total > 0 else figures


def heldout_gain(
    tree: Tree,
    X: Any,
    y: Any,
    *,
    sample_weight: Any = None,
    repeats: int = 0,
    random_state: Any = None,
) -> Array:
    """Return the mean gain of each column's splits per held-out row (MDI-oob, Li et al. 2019).

    The gain of a split for a row compares the training values of node and branch: for classes it
    is the increase in probability of the true class, for numbers the change of the value times the
    row's deviation from the node's value. On the training rows the mean is the decrease of gini or
    of the squared error; on other rows a column of noise gets 0 on average.

    Parameters
    ----------
    tree : Tree
    X, y : table and target
        Held-out rows; y may be the name of a column of X.
    sample_weight : array-like, optional
    repeats : int, default=0
        Bootstrap samples of the rows.
    random_state : int or numpy Generator, optional
        None is the fixed seed 0.

    Returns
    -------
    float64 array of shape (repeats + 1, n_columns)
        Row 0 is for the given rows, the others are for bootstrap samples of them.

    Examples
    --------
    >>> import ceiba
    >>> from ceiba.inspection import heldout_gain
    >>> tree = ceiba.tree.build(("x <= 2.5", "a", "b"))
    >>> heldout_gain(tree, {"x": [1.0, 2.0, 3.0, 4.0]}, ["a", "a", "b", "b"])
    array([[0.5]])
    """
    gains = RowGains.read(tree, X, y, sample_weight)
    n = gains.n_rows
    rng = np.random.default_rng(_SEED if random_state is None else random_state)
    draws = [np.bincount(rng.integers(n, size=n), minlength=n) for _ in range(repeats)]
    result = np.zeros((repeats + 1, len(tree.schema.columns)))
    for j, gain in gains.by_column():
        result[0, j] = gains.mean(gain)
        for at, counts in enumerate(draws, 1):
            result[at, j] = gains.mean(gain, counts)
    return result


@dataclass(frozen=True)
class RowGains:
    """Impurity gains of held-out rows, by column."""

    tree: Tree
    target: npt.NDArray[Any]
    weight: Array
    ends: RowEnds

    @classmethod
    def read(cls, tree: Tree, X: Any, y: Any, sample_weight: Any) -> RowGains:
        """Read held-out rows and find the nodes in which they end."""
        X, y = pop_target(X, y, tree.task)
        table = route.read(tree, X)
        weight = read_weights(sample_weight, table.n_rows)
        weight = np.ones(table.n_rows) if weight is None else weight
        # Use unit weights here, because `mean` applies the sample weights.
        ends = find_row_ends(tree, table, np.ones(table.n_rows))
        return cls(tree, read_target_like(y, tree.target, table.n_rows).values, weight, ends)

    @property
    def n_rows(self) -> int:
        """The number of held-out rows."""
        return len(self.weight)

    def by_column(self) -> Iterator[tuple[int, Array]]:
        """Yield each column that the tree uses, with the gain of every row."""
        value = self.tree.value
        if self.tree.task.has_classes:
            value = alter_priors(value, self.tree.cost_matrix)
        split_column = self.tree.splits.column
        for j in self.tree.used_features.tolist():
            gains = np.zeros(self.n_rows)
            for k in range(self.tree.n_outputs):
                gains += self._output_gains(k, value[:, k], split_column == j)
            yield j, gains / self.tree.n_outputs

    def _output_gains(self, k: int, value: Array, splits: npt.NDArray[np.bool_]) -> Array:
        """Return the gains of one output, summed along the path of each row."""
        # Sums from the root to each node are computed once, so the time is proportional to nodes
        # plus rows instead of rows times depth.
        parent = self.tree.parent
        counts = np.append(False, splits[parent[1:]])[:, None]  # nodes below such splits
        if self.tree.task.is_classification("Gain on held-out rows"):
            step = np.where(counts, value - value[parent], 0.0)
            along = _path_sums(parent, step)
            each = along[self.ends.node, self.target[self.ends.row, k]]
        else:
            # Branch b of node t gains (m(b) - m(t)) (y - m(t)); means are relative to the root's.
            value = value - value[0]
            step = np.where(counts, value - value[parent], 0.0)
            slope, offset = _path_sums(parent, step), _path_sums(parent, step * value[parent])
            y = self.target[self.ends.row, k] - self.tree.value[0, k, 0]
            each = y * slope[self.ends.node, 0] - offset[self.ends.node, 0]
        total = np.bincount(self.ends.row, self.ends.weight * each, self.n_rows)
        return np.asarray(total, np.float64)

    def mean(self, gain: Array, counts: npt.NDArray[Any] | None = None) -> float:
        """Return the weighted mean gain over rows; a row that was drawn k times counts k times."""
        weight = self.weight if counts is None else self.weight * counts
        scaled = weight * self._scale(weight)
        total = scaled.sum()
        return float(scaled @ gain / total) if total > 0 else 0.0

    def interval(self, gain: Array, confidence: float) -> Interval:
        """Return Student's interval of the mean gain over rows, corrected for skewness."""
        scale = self._scale(self.weight)
        middle = self.mean(gain)
        if self.tree.task.has_classes and self.tree.class_prior is not None:
            # The prior fixes the class proportions, so only the variation within classes counts.
            code = self.target[:, 0]
            total = np.bincount(code, self.weight)
            means = np.bincount(code, self.weight * gain) / np.where(total > 0, total, 1.0)
            gain = middle + scale * (gain - means[code])
        else:
            unit = float(self.weight @ scale / self.weight.sum())
            gain = middle + scale * (gain - middle) / unit
        n = count_effective_rows(self.weight, self.n_rows, False)
        return mean_interval(gain, self.weight, n, confidence)

    def _scale(self, weight: Array) -> Array:
        """Return the factors by which class priors and costs scale the weights of rows."""
        tree = self.tree
        if tree.class_prior is None and tree.cost_matrix is None:
            return np.ones(self.n_rows)
        code = self.target[:, 0]
        totals = np.bincount(code, weight, tree.value.shape[2]).astype(np.float64)
        scale = altered_scale(totals, tree.class_prior, tree.cost_matrix)
        assert scale is not None
        return np.asarray(scale[code], np.float64)


def _path_sums(parent: npt.NDArray[Any], step: Array) -> Array:
    """Return the sum of `step` over the path from the root to each node."""
    total = step.copy()
    for i, above in enumerate(parent[1:].tolist(), 1):
        total[i] += total[above]
    return total
