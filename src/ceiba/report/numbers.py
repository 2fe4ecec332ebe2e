"""Arrays as JSON-ready lists: whole numbers without a point, no NaN or infinity.

JSON knows neither NaN nor infinity; both become None. Python's shortest repr of a float and
JavaScript's reader agree to the last bit, so figures that are computed with keep all digits;
figures that are only shown may be shortened.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt


def exact(values: npt.ArrayLike) -> list[Any]:
    """Give floats with all digits; whole ones as ints, NaN and infinities as None."""
    array = np.asarray(values, np.float64).ravel()
    is_whole = (array == np.rint(array)) & (np.abs(array) < 2.0**53)
    finite = np.isfinite(array)
    return [
        (int(v) if w else v) if f else None
        for v, w, f in zip(array.tolist(), is_whole.tolist(), finite.tolist(), strict=True)
    ]


def shown(values: npt.ArrayLike, digits: int = 7) -> list[Any]:
    """Give floats shortened to significant digits, for figures that are only looked at."""
    array = np.asarray(values, np.float64).ravel()
    size = np.where((array != 0) & np.isfinite(array), np.abs(array), 1.0)
    places = digits - 1 - np.floor(np.log10(size))
    # Dividing by a power of ten rounds once more; the repr of the quotient is the short one.
    scale = 10.0 ** np.clip(places, -300, 300)
    return exact(np.where(np.isfinite(array), np.rint(array * scale) / scale, array))


def whole(values: npt.ArrayLike) -> list[int]:
    """Give ints."""
    listed: list[int] = np.asarray(values, np.int64).ravel().tolist()
    return listed
