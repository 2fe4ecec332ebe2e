"""The bins of a histogram that shows a split: of equal width, with the cuts among their edges.

No bar then stands on both sides of a cut. A range many times that of the middle 98 % of the values
is cut off there, and the outer bins take what lies beyond.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

_FAR: Final = 5.0


def bin_edges(values: NDArray[Any], cuts: Sequence[float], bins: int) -> NDArray[np.float64] | None:
    """Return the edges of the bins; None where the values do not differ.

    With several cuts the bins between two of them are of equal width, and nearly so overall.
    """
    low, high = float(values.min()), float(values.max())
    near, far = np.quantile(values, [0.01, 0.99]).tolist()
    if high - low > _FAR * (far - near) > 0:
        low, high = near, far
    low, high = min([low, *cuts]), max([high, *cuts])
    width = (high - low) / bins
    if not np.isfinite(width) or width <= 0:
        return None
    if len(cuts) != 1:
        return _between(sorted({low, *cuts, high}), width)
    before = int(np.clip(np.ceil((cuts[0] - low) / width - 1e-9), 1, bins - 1))
    return np.asarray(cuts[0] + (np.arange(bins + 1) - before) * width, np.float64)


def _between(points: list[float], width: float) -> NDArray[np.float64]:
    """Return edges that hold all points, about `width` apart."""
    parts = [
        np.linspace(a, b, max(1, round((b - a) / width)), endpoint=False)
        for a, b in pairwise(points)
    ]
    return np.concatenate((*parts, points[-1:]))
