"""How much each column matters, by several measures side by side.

gain: impurity decrease of its splits in training. surrogates: with what it would give as a
stand-in (rpart). permutation: how much worse the score of held-out rows becomes when the column's
values are shuffled (Breiman 2001), the mean over repeats with the interval of the repeats. held-out
gain: impurity decrease of the same splits on held-out rows, which does not flatter columns with
many values (Li et al. 2019); the interval is over bootstrap samples of those rows.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, Literal

import numpy as np
import numpy.typing as npt

from ceiba.errors import OptionError
from ceiba.grow.priors import search_mass
from ceiba.inspection.importance import importance
from ceiba.listing import Listing
from ceiba.table import Column, Table, read_target, read_weights, split_target
from ceiba.tree.routing import route

if TYPE_CHECKING:
    from ceiba.tree import Tree

Array = npt.NDArray[np.float64]
Scale = Literal["sum", "max", "none"]
_SEED: Final = 0


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
    """Return the importance of each column by several measures, the largest gain first.

    Parameters
    ----------
    tree : Tree
    X, y : table and target, optional
        Held-out rows; y may be the name of a column of X. Without them only the measures of
        training are given.
    sample_weight : array-like, optional
        Weights of the held-out rows.
    scale : {"sum", "max", "none"}, default="sum"
        Figures of gain and surrogates sum to 1, or their largest is 1, or they are sums over rows.
    repeats : int, default=10
        Shuffles per column, and bootstrap samples.
    confidence : float, default=0.95
        Of the intervals.
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
        raise OptionError(f'scale: got {scale!r}. It is "sum", "max" or "none".')
    if (X is None) != (y is None):
        raise OptionError("Give held-out rows as X and y, both or neither.")
    gain = _scaled(importance(tree, normalize=False), scale)
    order = np.argsort(-gain, kind="stable")
    figures: dict[str, Any] = {"column": [tree.schema.names[j] for j in order], "gain": gain[order]}
    unit = {"sum": "shares of all", "max": "the largest is 1", "none": "sums over rows"}[scale]
    legend = [f"gain: impurity decrease of its splits in training ({unit})"]
    if tree.surrogates is not None:
        with_stand_ins = importance(tree, normalize=False, surrogates=True)
        figures["surrogates"] = _scaled(with_stand_ins, scale)[order]
        legend.append("surrogates: with its worth as a surrogate")
    if X is not None:
        shared: dict[str, Any] = {
            "sample_weight": sample_weight,
            "repeats": repeats,
            "random_state": random_state,
        }
        drops = permutation_importance(tree, X, y, **shared)
        gains = heldout_gain(tree, X, y, **shared)
        figures |= _spread("permutation", drops[1:].mean(axis=0), drops[1:], order, confidence)
        figures |= _spread("heldout_gain", gains[0], gains[1:], order, confidence)
        score = "accuracy" if tree.task == "classification" else "R²"
        legend.append(f"permutation: loss of {score} on the held-out rows when it is shuffled")
        legend.append("heldout_gain: impurity decrease of its splits on the held-out rows, per row")
        legend.append(f"low, high: {100 * confidence:g} % of {repeats} resamplings")
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
    """Return the loss of score when a column is shuffled: first the mean, then one row per repeat.

    The score is accuracy, or R² for regression. Only columns that the tree asks about are shuffled;
    the others cannot matter and have 0.

    Examples
    --------
    >>> import ceiba
    >>> from ceiba.inspection import permutation_importance
    >>> tree = ceiba.tree.build(("x <= 2.5", "a", "b"))
    >>> X, y = {"x": [1.0, 2.0, 3.0, 4.0]}, ["a", "a", "b", "b"]
    >>> permutation_importance(tree, X, y, repeats=3).shape
    (4, 1)
    """
    table, truth, weight = _read(tree, X, y, sample_weight)
    rng = np.random.default_rng(_SEED if random_state is None else random_state)
    base = _score(tree, table, truth, weight)
    drops = np.zeros((repeats + 1, table.n_columns))
    for repeat in range(1, repeats + 1):
        for j in tree.used_columns.tolist():
            shuffled = _with_column(table, j, rng.permutation(table.n_rows))
            drops[repeat, j] = base - _score(tree, shuffled, truth, weight)
    drops[0] = drops[1:].mean(axis=0)
    return drops


def heldout_gain(
    tree: Tree,
    X: Any,
    y: Any,
    *,
    sample_weight: Any = None,
    repeats: int = 0,
    random_state: Any = None,
) -> Array:
    """Return the impurity decrease of each column's splits on other rows, per row.

    Row 0 is of the rows as given, the further rows of bootstrap samples of them. A column whose
    splits do not hold on other rows gets nothing, or less.

    Examples
    --------
    >>> import ceiba
    >>> from ceiba.inspection import heldout_gain
    >>> tree = ceiba.tree.build(("x <= 2.5", "a", "b"))
    >>> heldout_gain(tree, {"x": [1.0, 2.0, 3.0, 4.0]}, ["a", "a", "b", "b"])
    array([[0.5]])
    """
    if isinstance(y, str):
        X, y = split_target(X, y)
    table = route.read(tree, X)
    labels = np.asarray(y)
    weight = read_weights(sample_weight, table.n_rows)
    weight = np.ones(table.n_rows) if weight is None else weight
    rng = np.random.default_rng(_SEED if random_state is None else random_state)
    gains = [_recounted_gain(tree, table, labels, weight)]
    for _ in range(repeats):
        drawn = np.bincount(rng.integers(table.n_rows, size=table.n_rows), minlength=table.n_rows)
        kept = np.flatnonzero(drawn)
        again = weight[kept] * drawn[kept]
        gains.append(_recounted_gain(tree, table.take(kept), labels[kept], again))
    return np.array(gains)


def _recounted_gain(tree: Tree, table: Table, y: npt.NDArray[Any], weight: Array) -> Array:
    """Return the gain of the tree's splits on these rows, which count as `impurity` does there."""
    again = tree.recount(table, y, sample_weight=weight)
    inner = ~again.is_leaf
    worth = search_mass(again) * again.gain
    mass = search_mass(again)[0]
    total = np.bincount(again.splits.column[inner], worth[inner], len(again.schema.columns))
    return np.asarray(total / mass if mass > 0 else total, np.float64)


def _read(tree: Tree, X: Any, y: Any, sample_weight: Any) -> tuple[Table, Any, Array]:
    if isinstance(y, str):
        X, y = split_target(X, y)
    table = route.read(tree, X)
    read_target(y, task=tree.task, n_rows=table.n_rows)  # refuses what is no target
    weight = read_weights(sample_weight, table.n_rows)
    truth = np.asarray(y).reshape(table.n_rows, -1)
    return table, truth, np.ones(table.n_rows) if weight is None else weight


def _score(tree: Tree, table: Table, truth: Any, weight: Array) -> float:
    predicted = route.predict(tree, table).reshape(table.n_rows, -1)
    if tree.task == "classification":
        return float(np.average((predicted == truth).all(axis=1), weights=weight))
    mean = np.average(truth, axis=0, weights=weight)
    off = np.average((predicted - truth) ** 2, axis=0, weights=weight)
    spread = np.average((truth - mean) ** 2, axis=0, weights=weight)
    return float(np.mean(1 - off / np.where(spread > 0, spread, 1.0)))


def _with_column(table: Table, j: int, order: npt.NDArray[np.int64]) -> Table:
    columns = list(table.columns)
    columns[j] = Column(columns[j].info, columns[j].values[order])
    return replace(table, columns=tuple(columns))


def _scaled(figures: Array, scale: Scale) -> Array:
    whole = {"sum": figures.sum(), "max": figures.max(initial=0.0), "none": 1.0}[scale]
    return figures / whole if whole > 0 else figures


def _spread(
    name: str, middle: Array, samples: Array, order: Any, confidence: float
) -> dict[str, Array]:
    tail = (1 - confidence) / 2
    short = name.removesuffix("_gain")
    if not len(samples):
        return {name: middle[order]}
    low, high = np.quantile(samples, [tail, 1 - tail], axis=0)
    return {name: middle[order], f"{short}_low": low[order], f"{short}_high": high[order]}
