"""Sums over subtrees: from what ends in each node to what passes through it.

One reverse loop over the nodes in pre-order (children come after their parent), or, where sums
are exact because everything is a whole number, a difference of running sums.
"""

from __future__ import annotations

import numpy as np

from ceiba.tree.arrays import Array

__all__ = ["sum_up"]


def sum_up(parent: Array, subtree_end: Array, own: Array) -> Array:
    """Add to each node's own row of `own` those of all nodes below it.

    Examples
    --------
    >>> import numpy as np
    >>> sum_up(np.array([-1, 0, 0]), np.array([3, 2, 3]), np.array([0.0, 1.0, 2.0])).tolist()
    [3.0, 1.0, 2.0]
    """
    own = np.asarray(own, np.float64)
    if np.all(own == np.rint(own)) and np.abs(own).sum() < 2.0**53:
        running = np.concatenate((np.zeros((1, *own.shape[1:])), np.cumsum(own, axis=0)))
        return np.asarray(running[subtree_end] - running[:-1])
    above = parent.tolist()
    flat = own.reshape(len(own), -1)
    columns = [_sum_column(above, flat[:, k].tolist()) for k in range(flat.shape[1])]
    return np.array(columns, np.float64).T.reshape(own.shape)


def _sum_column(parent: list[int], total: list[float]) -> list[float]:
    for i in range(len(total) - 1, 0, -1):
        total[parent[i]] += total[i]
    return total
