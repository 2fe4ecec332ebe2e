"""One typed column: float64/float32 values, or int32 codes of levels.

Missing is NaN in numbers and -1 in codes. A level that the schema does not know has the code
``len(levels)``: unseen is not missing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ceiba.table.schema import ColumnInfo

MISSING_CODE = -1


@dataclass(frozen=True, eq=False)
class Column:
    """Values of one column with what is known of them.

    Parameters
    ----------
    info : ColumnInfo
        Name, kind, levels.
    values : ndarray
        1-d float64 or float32 (maybe a strided view of the user's own array), or int32 codes.
    levels_found : bool
        Whether the levels are those of the rows, and not declared by the type of the column.
    of_integers : bool
        Whether the numbers came as integers.

    Examples
    --------
    >>> from ceiba.table import Kind
    >>> column = Column(ColumnInfo("x", Kind.NUMERIC), np.array([1.0, np.nan]))
    >>> column.missing.tolist()
    [False, True]
    """

    info: ColumnInfo
    values: NDArray[Any]
    levels_found: bool = False
    of_integers: bool = False

    @property
    def name(self) -> str:
        """Name of the column."""
        return self.info.name

    @property
    def missing(self) -> NDArray[np.bool_]:
        """Mask of the missing rows."""
        mask: NDArray[np.bool_] = (
            np.isnan(self.values) if self.info.is_numeric else self.values == MISSING_CODE
        )
        return mask

    @property
    def unseen(self) -> NDArray[np.bool_]:
        """Mask of the rows whose level the schema does not know."""
        if self.info.is_numeric:
            return np.zeros(len(self.values), dtype=bool)
        mask: NDArray[np.bool_] = self.values >= self.info.n_levels
        return mask
