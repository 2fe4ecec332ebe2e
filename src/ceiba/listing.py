"""A listing: a small read-only table of figures that prints well and turns into a frame on request.

What the pruning table, the split table and the split curve are made of. Columns are numpy arrays of
one length, in a fixed order; a title above and a legend below say what the figures are and in which
unit. pandas and polars are imported only when asked for.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from ceiba.errors import OptionError, did_you_mean
from ceiba.visible import DIGITS, figure, visible

__all__ = ["Listing"]

_FOLD = 60  # rows printed; longer listings show both ends
_COPIED = ("alpha", "cp")  # figures that people type in again: not rounded further


class Listing:
    """A small read-only table: named columns of one length.

    Parameters
    ----------
    columns : mapping of str to array-like
        The figures, in the order in which they are shown.
    title : str, default=""
        A line above the printed table.
    legend : str, default=""
        Lines below the printed table: what the columns mean, and their unit.

    Examples
    --------
    >>> from ceiba.listing import Listing
    >>> listing = Listing({"cut": [2.0, 3.5], "gain": [0.11, 0.19]}, title="cuts")
    >>> print(listing)
    cuts
    cut  gain
      2  0.11
    3.5  0.19
    >>> listing["gain"].max()
    np.float64(0.19)
    >>> listing.row(0)
    {'cut': 2.0, 'gain': 0.11}
    """

    __slots__ = ("_columns", "legend", "title")

    def __init__(
        self, columns: Mapping[str, npt.ArrayLike], *, title: str = "", legend: str = ""
    ) -> None:
        frozen = {name: _frozen(values) for name, values in columns.items()}
        lengths = {len(values) for values in frozen.values()}
        if len(lengths) > 1:
            raise OptionError(f"Columns of a listing must have one length; got {sorted(lengths)}.")
        self._columns = frozen
        self.title = title
        self.legend = legend

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns, in order."""
        return tuple(self._columns)

    def __len__(self) -> int:
        return len(next(iter(self._columns.values()), ()))

    def __getitem__(self, name: str) -> npt.NDArray[Any]:
        try:
            return self._columns[name]
        except KeyError:
            raise OptionError(
                f"This listing has no column {name!r}; it has {', '.join(self._columns)}."
                f"{did_you_mean(name, self._columns)}"
            ) from None

    def __contains__(self, name: object) -> bool:
        return name in self._columns

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return (self.row(i) for i in range(len(self)))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Listing):
            return NotImplemented
        return self.columns == other.columns and list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]

    def __getstate__(self) -> dict[str, Any]:
        return {"columns": self._columns, "title": self.title, "legend": self.legend}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(state["columns"], title=state["title"], legend=state["legend"])  # type: ignore[misc]

    def row(self, i: int) -> dict[str, Any]:
        """Return one row as a dict of plain Python values."""
        return {
            name: (value.item() if isinstance(value := values[i], np.generic) else value)
            for name, values in self._columns.items()
        }

    def to_dict(self) -> dict[str, list[Any]]:
        """Return the columns as lists of plain Python values."""
        return {name: values.tolist() for name, values in self._columns.items()}

    def to_pandas(self) -> Any:
        """Return a pandas DataFrame (pandas must be installed)."""
        import pandas

        return pandas.DataFrame(self.to_dict())

    def to_polars(self) -> Any:
        """Return a polars DataFrame (polars must be installed)."""
        import polars

        return polars.DataFrame(self.to_dict(), strict=False)

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        """Return the table for a notebook."""
        from html import escape

        numeric = [values.dtype.kind in "fiu" for values in self._columns.values()]
        side = ["right" if right else "left" for right in numeric]

        def line(cells: list[str], tag: str) -> str:
            return "".join(
                f"<{tag} style='text-align:{where}'>{escape(text)}</{tag}>"
                for text, where in zip(cells, side, strict=True)
            )

        shown = _rows_shown(len(self))
        rows = [line([_cell(v, i) for v in self._columns.values()], "td") for i in shown]
        if len(shown) < len(self):
            gap = f"<td colspan='{len(side)}'>… {len(self) - len(shown)} more rows …</td>"
            rows.insert(_FOLD // 2, gap)
        title = f"<caption><b>{escape(self.title)}</b></caption>" if self.title else ""
        below = escape(self.legend).replace("\n", "<br>")
        foot = f"<p style='opacity:0.65'><small>{below}</small></p>" if below else ""
        body = "".join(f"<tr>{row}</tr>" for row in rows)
        head = line(list(self._columns), "th")
        return f"<table>{title}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{foot}"

    def __str__(self) -> str:
        return self._text(_FOLD)

    def unfolded(self) -> str:
        """Return the table as text with all its rows; `str` folds those beyond 60.

        Examples
        --------
        >>> from ceiba.listing import Listing
        >>> listing = Listing({"n": range(99)})
        >>> len(str(listing).splitlines()), len(listing.unfolded().splitlines())
        (62, 100)
        """
        return self._text(None)

    def _text(self, fold: int | None) -> str:
        shown = _rows_shown(len(self), fold)
        cells = [
            [
                visible(text, one_line=True)
                for text in (name, *(_cell(values, i, name in _COPIED) for i in shown))
            ]
            for name, values in self._columns.items()
        ]
        numeric = [values.dtype.kind in "fiu" for values in self._columns.values()]
        widths = [max(map(len, column)) for column in cells]
        lines = [
            "  ".join(
                text.rjust(width) if right else text.ljust(width)
                for text, width, right in zip(line, widths, numeric, strict=True)
            ).rstrip()
            for line in zip(*cells, strict=True)
        ]
        if len(shown) < len(self):
            lines.insert(1 + len(shown) // 2, f"... {len(self) - len(shown)} more rows ...")
        around = (visible(self.title), visible(self.legend))
        return "\n".join([*filter(None, around[:1]), *lines, *filter(None, around[1:])])


def _frozen(values: npt.ArrayLike) -> npt.NDArray[Any]:
    array: npt.NDArray[Any]
    if isinstance(values, np.ndarray):
        array = values.copy()
    else:
        items = list(values)  # type: ignore[arg-type]
        if any(isinstance(item, list | tuple | str | None) for item in items):
            array = np.empty(len(items), dtype=object)
            for i, item in enumerate(items):  # one by one: numpy would unpack tuples
                array[i] = item
        else:
            array = np.asarray(items)
    array.flags.writeable = False
    return array


def _rows_shown(n: int, fold: int | None = _FOLD) -> list[int]:
    if fold is None or n <= fold:
        return list(range(n))
    return [*range(fold // 2), *range(n - fold // 2, n)]


def _cell(values: npt.NDArray[Any], i: int, copied: bool = False) -> str:
    value = values[i]
    if isinstance(value, float | np.floating):
        return figure(float(value), 6 if copied else DIGITS.get())
    if isinstance(value, bool | np.bool_):
        return "yes" if value else ""
    if isinstance(value, list | tuple):
        return " | ".join(map(str, value))
    return "" if value is None else str(value)
