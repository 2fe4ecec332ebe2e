"""The gain of a tree's splits on held-out rows: MDI-oob (Li, Wang, Basu, Kumbier and Yu 2019).

A split moves a row from node t to its branch b. What that is worth on a held-out row is judged by
the training values of both nodes and the row's true target:

    classes   p(b)[y] - p(t)[y]                           p: class probabilities of training
    numbers   (m(b) - m(t)) (y - m(t))                    m: values of training

summed over the splits of a column and averaged over the rows. On the rows of training this is the
decrease of gini or of the squared error. On other rows the values were fixed beforehand, so splits
on noise average 0 however many values their column has; the held-out rows' own impurity would
decrease at any split. Other criteria are judged in these two units as well. Priors and costs weigh
rows and values as in the split search. Numbers are taken about m(t), which changes no expectation
for noise and makes the figure independent of the target's origin.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from ceiba.grow.priors import altered_scale
from ceiba.inspection.intervals import Interval, mean_interval
from ceiba.table.targets.split_target import split_target
from ceiba.table.targets.target import read_target_like
from ceiba.table.weights import effective_rows, read_weights
from ceiba.tree import Tree
from ceiba.tree.impurity import altered
from ceiba.tree.routing import route
from ceiba.tree.routing.recount import Endings, endings

Array = npt.NDArray[np.float64]
_SEED: Final = 0


def heldout_gain(
    tree: Tree,
    X: Any,
    y: Any,
    *,
    sample_weight: Any = None,
    repeats: int = 0,
    random_state: Any = None,
) -> Array:
    """Return the gain of each column's splits on held-out rows, per row (MDI-oob, Li et al. 2019).

    Each split is worth what the training values of its branches say of the true target more than
    the node's own: for classes the gain in probability of the true class, for numbers the product
    of the move and the row's deviation. On the training rows this is the decrease of gini or of
    the squared error; on other rows a column of noise gets 0 on average, whatever its values.

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
        Row 0 is of the rows as given, the further rows of bootstrap samples of them.

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
        for at, drawn in enumerate(draws, 1):
            result[at, j] = gains.mean(gain, drawn)
    return result


@dataclass(frozen=True)
class RowGains:
    """The gain that each held-out row gets from the splits of each column."""

    tree: Tree
    target: npt.NDArray[Any]
    weight: Array
    ends: Endings

    @classmethod
    def read(cls, tree: Tree, X: Any, y: Any, sample_weight: Any) -> RowGains:
        """Read held-out rows and find where they end."""
        if isinstance(y, str):
            X, y = split_target(X, y)
        table = route.read(tree, X)
        weight = read_weights(sample_weight, table.n_rows)
        weight = np.ones(table.n_rows) if weight is None else weight
        # Shares of rows that end in several leaves; weights come in with the mean.
        ends = endings(tree, table, np.ones(table.n_rows))
        return cls(tree, read_target_like(y, tree.target, table.n_rows).values, weight, ends)

    @property
    def n_rows(self) -> int:
        """Number of held-out rows."""
        return len(self.weight)

    def by_column(self) -> Iterator[tuple[int, Array]]:
        """Return each column that the tree asks about, with the gain of every row."""
        value = self.tree.value
        if self.tree.task == "classification":
            value = altered(value, self.tree.cost_matrix)
        asked = self.tree.splits.column
        for j in self.tree.used_features.tolist():
            own = np.zeros(self.n_rows)
            for k in range(self.tree.n_outputs):
                own += self._of_output(k, value[:, k], asked == j)
            yield j, own / self.tree.n_outputs

    def _of_output(self, k: int, value: Array, asks: npt.NDArray[np.bool_]) -> Array:
        """Sum the gains of one output along the paths of the rows."""
        parent = self.tree.parent
        counts = np.append(False, asks[parent[1:]])[:, None]  # the node is a branch of the column
        if self.tree.task == "classification":
            step = np.where(counts, value - value[parent], 0.0)
            along = _down(parent, step)
            each = along[self.ends.node, self.target[self.ends.row, k]]
        else:
            # (m(b) - m(t)) (y - m(t)) = y step - step m(t), about the root's value.
            value = value - value[0]
            step = np.where(counts, value - value[parent], 0.0)
            slope, offset = _down(parent, step), _down(parent, step * value[parent])
            y = self.target[self.ends.row, k] - self.tree.value[0, k, 0]
            each = y * slope[self.ends.node, 0] - offset[self.ends.node, 0]
        total = np.bincount(self.ends.row, self.ends.weight * each, self.n_rows)
        return np.asarray(total, np.float64)

    def mean(self, gain: Array, drawn: npt.NDArray[Any] | None = None) -> float:
        """Average over the rows, each counting as often as it was drawn."""
        weight = self.weight if drawn is None else self.weight * drawn
        scaled = weight * self._scale(weight)
        total = scaled.sum()
        return float(scaled @ gain / total) if total > 0 else 0.0

    def interval(self, gain: Array, confidence: float) -> Interval:
        """Return Student's interval of the mean over rows like these, for the tree as it is."""
        scale = self._scale(self.weight)
        middle = self.mean(gain)
        if self.tree.task == "classification" and self.tree.class_prior is not None:
            # Shares are set by the prior: only the spread within each class is left to chance.
            code = self.target[:, 0]
            total = np.bincount(code, self.weight)
            means = np.bincount(code, self.weight * gain) / np.where(total > 0, total, 1.0)
            gain = middle + scale * (gain - means[code])
        else:
            unit = float(self.weight @ scale / self.weight.sum())
            gain = middle + scale * (gain - middle) / unit
        n = effective_rows(self.weight, self.n_rows, False)
        return mean_interval(gain, self.weight, n, confidence)

    def _scale(self, weight: Array) -> Array:
        """Return the factor of each row under the altered priors of the split search."""
        tree = self.tree
        if tree.class_prior is None and tree.cost_matrix is None:
            return np.ones(self.n_rows)
        code = self.target[:, 0]
        totals = np.bincount(code, weight, tree.value.shape[2]).astype(np.float64)
        scale = altered_scale(totals, tree.class_prior, tree.cost_matrix)
        assert scale is not None
        return np.asarray(scale[code], np.float64)


def _down(parent: npt.NDArray[Any], step: Array) -> Array:
    """Sum figures of nodes from the root down to each node."""
    total = step.copy()
    for i, above in enumerate(parent[1:].tolist(), 1):
        total[i] += total[above]
    return total
