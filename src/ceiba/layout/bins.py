"""The bins of a histogram that shows a split: of equal width, with the cuts among their edges.

No bar then stands on both sides of a cut. A range many times that of the middle 98 % of the values
is cut off there, and the outer bins take what lies beyond.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

_FAR: Final = 5.0


def bin_edges(values: NDArray[Any], cut: float | None, bins: int) -> NDArray[np.float64] | None:
    """Return the edges of the bins; None where the values do not differ.

    Examples
    --------
    >>> import numpy as np
    >>> from ceiba.layout.bins import bin_edges
    >>> bin_edges(np.array([0.0, 1.0, 2.0, 4.0]), 1.5, 4).tolist()
    [-0.5, 0.5, 1.5, 2.5, 3.5]
    """
    low, high = float(values.min()), float(values.max())
    near, far = np.quantile(values, [0.01, 0.99]).tolist()
    if high - low > _FAR * (far - near) > 0:
        low, high = near, far
    if cut is not None:
        low, high = min(low, cut), max(high, cut)
    width = (high - low) / bins
    if not np.isfinite(width) or width <= 0:
        return None
    if cut is None:
        return np.linspace(low, high, bins + 1)
    before = int(np.clip(np.ceil((cut - low) / width - 1e-9), 1, bins - 1))
    return np.asarray(cut + (np.arange(bins + 1) - before) * width, np.float64)
