"""Numbers as whole numbers in the same order, as the core has them (`split/survey/keys.hpp`)."""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

Keys = npt.NDArray[np.uint64]
_SIGN: Final = np.uint64(1 << 63)


def keys_of(numbers: npt.NDArray[np.float64]) -> Keys:
    """Give whole numbers that are ordered as these (not -0.0, not NaN) are.

    Examples
    --------
    >>> import numpy as np
    >>> from ceiba.grow.shards.binning.keys import keys_of
    >>> np.diff(keys_of(np.array([-np.inf, -2.0, 0.0, 5e-324, 1.0]))).min()
    np.uint64(1)
    """
    bits = np.ascontiguousarray(numbers, np.float64).view(np.uint64)
    return np.where(bits & _SIGN, ~bits, bits | _SIGN)
