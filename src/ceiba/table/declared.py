"""A list of values that declares its levels: categories for those who use no data frame."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from ceiba.errors import DataError, did_you_mean
from ceiba.table.schema import listing


class Levels(list[Any]):
    """A column of strings with its levels in a declared order; otherwise a plain list.

    Parameters
    ----------
    values : iterable
        One level for each row; None is missing.
    levels : sequence
        The levels in their order.
    ordered : bool, default=False
        Whether the order means something: then splits are cuts along it.

    Examples
    --------
    >>> from ceiba.table import read
    >>> size = Levels(["M", "S", None], levels=["S", "M", "L"], ordered=True)
    >>> read({"size": size}).columns[0].values.tolist()
    [1, 0, -1]
    """

    def __init__(
        self, values: Iterable[Any], levels: Sequence[Any], *, ordered: bool = False
    ) -> None:
        super().__init__(values)
        self.levels = tuple(levels)
        self.ordered = ordered
        known = {*self.levels, None}
        for row, value in enumerate(self):
            if value not in known:
                raise DataError(
                    f"Row {row} holds {value!r}, which is not one of the levels "
                    f"{listing(self.levels)}.{did_you_mean(value, self.levels)}"
                )

    def codes(self) -> list[int]:
        """Return the position of each value among the levels; -1 is missing."""
        code_of = {level: code for code, level in enumerate(self.levels)}
        return [code_of.get(value, -1) for value in self]

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuild, (list(self), self.levels, self.ordered)


def _rebuild(values: list[Any], levels: tuple[Any, ...], ordered: bool) -> Levels:
    return Levels(values, levels, ordered=ordered)
