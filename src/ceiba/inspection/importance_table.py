"""How much each column matters, by several measures side by side.

gain: impurity decrease of its splits in training. surrogates: with what it would give as a
stand-in (rpart). permutation: how much worse the score of held-out rows becomes when the column's
values are shuffled (Breiman 2001), the mean over repeats with the interval of the repeats. held-out
gain: what the same splits are worth on held-out rows, where noise averages 0 (`heldout_gain.py`);
the interval is Student's, over rows like these.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final, Literal

import numpy as np
import numpy.typing as npt

from ceiba.errors import OptionError
from ceiba.inspection.heldout_gain import RowGains
from ceiba.inspection.importance import importance
from ceiba.listing import Listing
from ceiba.table import Column, Table, read_target
from ceiba.table.targets.split_target import split_target
from ceiba.table.weights import read_weights
from ceiba.tree import Tree
from ceiba.tree.routing import route

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
        Shuffles per column.
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
    if repeats < 1:
        raise OptionError(f"repeats: got {repeats!r}. Columns are shuffled at least once.")
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
        drops = permutation_importance(
            tree, X, y, sample_weight=sample_weight, repeats=repeats, random_state=random_state
        )
        figures |= _spread(drops[1:], order, confidence)
        figures |= _heldout(RowGains.read(tree, X, y, sample_weight), order, confidence)
        score = "accuracy" if tree.task == "classification" else "R²"
        legend.append(f"permutation: loss of {score} on the held-out rows when it is shuffled")
        legend.append("heldout_gain: gain of its splits on the held-out rows, per row; 0 for noise")
        legend.append(
            f"low, high: of permutation {100 * confidence:g} % of {repeats} shuffles; of "
            f"heldout_gain the {100 * confidence:g} % interval over rows like these"
        )
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
        for j in tree.used_features.tolist():
            shuffled = _with_column(table, j, rng.permutation(table.n_rows))
            drops[repeat, j] = base - _score(tree, shuffled, truth, weight)
    drops[0] = drops[1:].mean(axis=0)
    return drops


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


def _spread(drops: Array, order: Any, confidence: float) -> dict[str, Array]:
    """Return the mean loss over shuffles, and the interval that holds most of them."""
    tail = (1 - confidence) / 2
    low, high = np.quantile(drops, [tail, 1 - tail], axis=0)
    return {
        "permutation": drops.mean(axis=0)[order],
        "permutation_low": low[order],
        "permutation_high": high[order],
    }


def _heldout(gains: RowGains, order: Any, confidence: float) -> dict[str, Array]:
    """Return the gain on held-out rows with its interval; columns not asked about have 0."""
    middle, low, high = np.zeros((3, len(gains.tree.schema.columns)))
    for j, gain in gains.by_column():
        middle[j] = gains.mean(gain)
        low[j], high[j] = gains.interval(gain, confidence)
    return {"heldout_gain": middle[order], "heldout_low": low[order], "heldout_high": high[order]}
