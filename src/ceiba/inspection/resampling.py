"""Rows drawn at random: bootstrap resamples, as sums of what is known of each row; held-out rows.

The seed of resamples is fixed: the same rows give the same bounds.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from ceiba.errors import DataError

Array = npt.NDArray[np.float64]

_RESAMPLES: Final = 999
_CELLS: Final = 4_000_000


def resampled_sums(moments: Array, weight: Array, frequency_weights: bool = False) -> Array:
    """Return the weighted sums of columns of figures over 999 resamples of the rows.

    Parameters
    ----------
    moments : array of shape (n_rows, n_figures)
    weight : array of shape (n_rows,)
    frequency_weights : bool
        Whether a weight of k stands for k rows, of which each may be drawn.

    Examples
    --------
    >>> import numpy as np
    >>> from ceiba.inspection.resampling import resampled_sums
    >>> resampled_sums(np.ones((5, 1)), np.ones(5))[0].tolist()
    [5.0]
    """
    rng = np.random.default_rng(0)
    if frequency_weights and bool(np.all(weight == np.rint(weight))):
        counts = rng.multinomial(int(weight.sum()), weight / weight.sum(), _RESAMPLES)
        return np.asarray(counts.astype(np.float64) @ moments)
    rows, each, sums = len(weight), moments * weight[:, None], []
    left = _RESAMPLES
    while left > 0:
        batch = min(left, max(1, _CELLS // rows))
        drawn = rng.integers(rows, size=(batch, rows)) + rows * np.arange(batch)[:, None]
        counts = np.bincount(drawn.ravel(), minlength=batch * rows).reshape(batch, rows)
        sums.append(counts.astype(np.float64) @ each)
        left -= batch
    return np.concatenate(sums)


def held_out_rows(
    codes: npt.NDArray[Any] | None, n_rows: int, share: float, seed: int
) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    """Divide rows into those to learn from and those to judge by, of each class the same share.

    Parameters
    ----------
    codes : int array of shape (n_rows,), optional
        The class of each row; None: numbers are learned.
    n_rows : int
    share : float
        Of the rows that are held out.
    seed : int

    Examples
    --------
    >>> from ceiba.inspection.resampling import held_out_rows
    >>> train, test = held_out_rows(np.array([0, 0, 1, 1]), 4, 0.5, 0)
    >>> len(train), len(test)
    (2, 2)
    """
    order = np.random.default_rng(seed).permutation(n_rows)
    held_out = np.zeros(n_rows, bool)
    groups = [order]
    if codes is not None:
        drawn = codes[order]
        groups = [order[drawn == c] for c in np.unique(drawn)]
    for group in groups:
        held_out[group[: round(share * len(group))]] = True
    if not held_out.any() or held_out.all():
        raise DataError(f"A share of {share} of {n_rows} rows leaves no rows on one side.")
    return np.flatnonzero(~held_out), np.flatnonzero(held_out)
