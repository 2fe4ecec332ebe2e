"""Answers within monotone limits, where the splits above a node do not let it say its own.

Class counts stay those of the rows; only the answer moves, and the risk is that of the answer.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

__all__ = ["added_loss", "within"]

Array = npt.NDArray[np.float64]


def within(counts: Array, share: Array) -> Array:
    """Give the counts that nodes would have if the second class had this share of their weight.

    Parameters
    ----------
    counts : array of shape (n, 1, 2)
        With one class, of shape (n, 1, 1), there is nothing to hold.
    share : array of shape (n,)

    Examples
    --------
    >>> import numpy as np
    >>> within(np.array([[[6.0, 2.0]], [[0.0, 4.0]]]), np.array([0.25, 0.5])).tolist()
    [[[6.0, 2.0]], [[2.0, 2.0]]]
    """
    if counts.shape[2] < 2:
        return counts
    total = counts.sum(axis=2)
    own = np.divide(counts[:, :, 1], total, out=np.zeros_like(total), where=total > 0)
    moved = np.stack([(1.0 - share)[:, None] * total, share[:, None] * total], axis=2)
    # Whole numbers stay whole where nothing was moved.
    return np.where((own == share[:, None])[:, :, None], counts, moved)


def added_loss(criterion: str, own: Array, answer: Array) -> Array:
    """Give what the loss of nodes grows by when they answer so, and not with their own value.

    By how much the mean absolute error grows is not known from the median: it is left at 0.

    Examples
    --------
    >>> import numpy as np
    >>> added_loss("squared_error", np.array([2.0, 5.0]), np.array([2.0, 3.0])).tolist()
    [0.0, 4.0]
    """
    if criterion == "absolute_error":
        return np.zeros_like(own)
    if criterion == "poisson":
        events = own > 0
        ratio = np.divide(own, answer, out=np.ones_like(own), where=events & (answer > 0))
        # m log(m / r) - m + r is never below 0; rounding may say so where the rates agree.
        return np.maximum(own * np.log(ratio) - own + answer, 0.0)
    gap: Array = own - answer
    return gap * gap
