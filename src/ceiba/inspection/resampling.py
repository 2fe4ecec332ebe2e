"""Bootstrap resamples of rows, as sums of what is known of each row.

The seed is fixed: the same rows give the same bounds.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

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
