"""Targets and weights near the ends of float64, brought to the middle while a tree is grown.

The search squares and multiplies sums: beyond about 1e150, or below 1e-150, these would overflow to
infinity or vanish, and a tree would silently be wrong. Multiplying by a power of two changes no
digit and no split; it is undone in the grown arrays (`ceiba.tree.grown`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]

# Within these exponents fourth powers of sums over 2**32 rows stay finite and normal.
_SAFE = 200


@dataclass(frozen=True)
class Units:
    """Powers of two by which targets and weights are divided; 0 for all ordinary data."""

    target: int = 0
    weight: int = 0

    @classmethod
    def of(cls, target: npt.NDArray[Any], weight: Array | None) -> Units:
        """Choose the exponents for this data (class indices need none)."""
        return cls(
            _exponent(target) if target.dtype.kind == "f" else 0,
            0 if weight is None else _exponent(weight),
        )

    def shrink_target(self, target: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Divide the target; itself when there is nothing to do."""
        return np.ldexp(target, -self.target) if self.target else target

    def shrink_weight(self, weight: Array | None) -> Array | None:
        """Divide the weights; themselves when there is nothing to do."""
        return np.ldexp(weight, -self.weight) if self.weight and weight is not None else weight


#: Nothing is divided.
AS_THEY_ARE = Units()


def _exponent(values: npt.NDArray[Any]) -> int:
    largest = float(np.abs(values).max(initial=0.0))
    exponent = int(np.frexp(largest)[1])
    return 0 if largest == 0 or abs(exponent) <= _SAFE else exponent
