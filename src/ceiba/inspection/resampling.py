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
    """Return the weighted sums of columns of figures over 999 resamples of the rows."""
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
    """Divide rows into those to learn from and those to judge by, of each class the same share."""
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
