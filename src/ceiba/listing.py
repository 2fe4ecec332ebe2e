"""`Listing`, a small read-only table that can be printed or converted to a data frame.

The pruning table, the split table and the split curve are listings. Columns are numpy arrays of
equal length; the title and the legend describe them and their units. The module also formats
printed objects, which consist of text and grids of cells, to a given width.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from ceiba.errors import OptionError, did_you_mean
from ceiba.formatting import DIGITS, escape_control, format_number
from ceiba.words import words

__all__ = ["Listing"]

_MIN_WIDTH: Final = 14  # minimum width of a wrapped text column
_GAP: Final = "  "
_COLOUR_CODE: Final = re.compile("\x1b\\[[0-9;]*m")  # ANSI escape sequence
_COLOURED_HEAD: Final = re.compile("(\x1b\\[[0-9;]*m)([^\x1b]*)\x1b\\[0m")

_MAX_ROWS = 60  # longer listings print only the first and last 30 rows
_EXACT_COLUMNS = ("alpha", "cp")  # always 6 digits, because users copy the values


@dataclass(frozen=True)
class Grid:
    """Cells of a printed table, by row; `right` marks the right-aligned columns."""

    cells: list[list[str]]
    right: list[bool]

    def lines(self, width: int | None = None) -> list[str]:
        """Return the lines; if the table is wider than `width`, wrap cells or print it in parts."""
        cells, right, n = self.cells, self.right, len(self.right)
        natural = [max(len(row[j]) for row in cells) for j in range(n)]
        widths = list(natural)
        if width is None:
            return _align_cells(cells, widths, right)
        over = sum(widths) + len(_GAP) * (n - 1) - width
        while over > 0:  # narrow the widest text column by one character at a time
            texts = [j for j in range(n) if not right[j] and widths[j] > _MIN_WIDTH]
            if not texts:
                break
            widths[max(texts, key=lambda j: widths[j])] -= 1
            over -= 1
        if over <= 0 or n < 3:
            return _align_cells(cells, widths, right)
        # Print the columns in several blocks that fit the line width, each with the first column.
        max_width = width - len(_GAP) - min(natural[0], width // 2)
        widths = [min(natural[0], width // 2), *(min(size, max_width) for size in natural[1:])]
        lines: list[str] = []
        rest = list(range(1, n))
        while rest:
            columns = [0]
            room = width - widths[0]
            while rest and (len(columns) == 1 or widths[rest[0]] + len(_GAP) <= room):
                room -= widths[rest[0]] + len(_GAP)
                columns.append(rest.pop(0))
            chosen = [[row[j] for j in columns] for row in cells]
            lines += [""] if lines else []
            lines += _align_cells(chosen, [widths[j] for j in columns], [right[j] for j in columns])
        return lines


#: A part of the printed form of an object: text or a grid of cells.
Block = str | Grid


def format_blocks(blocks: Iterable[Block], width: int | None = None) -> str:
    """Format texts and tables, with lines of at most `width` characters if possible."""
    lines: list[str] = []
    for block in blocks:
        if isinstance(block, Grid):
            lines += block.lines(width)
        else:
            lines += wrap_text(block, width)
    return "\n".join(lines)


class Printed:
    """Base class of objects that print as a sequence of texts and tables."""

    def blocks(self) -> list[Block]:
        """Return the texts and tables to print."""
        raise NotImplementedError

    def __str__(self) -> str:
        return format_blocks(self.blocks())

    __repr__ = __str__


def wrap_text(text: str, width: int | None) -> list[str]:
    """Wrap text between words, and indent the continuation lines."""
    lines: list[str] = []
    for line in text.split("\n"):
        bare = _COLOUR_CODE.sub("", line)
        if width is None or len(bare) <= width:
            lines.append(line)
            continue
        indent = " " * (len(bare) - len(bare.lstrip()) + 2)
        parts = textwrap.wrap(bare, width, subsequent_indent=indent, break_on_hyphens=False)
        head = _COLOURED_HEAD.match(line)  # wrapping removed the color of the first words
        if head and parts[0].startswith(head[2]):
            parts[0] = head[0] + parts[0][len(head[2]) :]
        lines += parts
    return lines


def _align_cells(cells: list[list[str]], widths: list[int], right: list[bool]) -> list[str]:
    lines = []
    for row in cells:
        parts = [
            [text]
            if len(text) <= width
            else textwrap.wrap(text, width, subsequent_indent=_GAP, break_on_hyphens=False)
            for text, width in zip(row, widths, strict=True)
        ]
        for k in range(max(map(len, parts))):
            texts = [cell_lines[k] if k < len(cell_lines) else "" for cell_lines in parts]
            lines.append(
                _GAP.join(
                    text.rjust(width) if flush else text.ljust(width)
                    for text, width, flush in zip(texts, widths, right, strict=True)
                ).rstrip()
            )
    return lines


class Listing:
    """A small read-only table with named columns of equal length.

    Parameters
    ----------
    columns : mapping of str to array-like
        The columns, in printing order.
    title : str, default=""
        Line above the printed table.
    legend : str, default=""
        Lines below the printed table: meaning and unit of the columns.
    lang : {"en", "es", "pt"}, default="en"
        Language of the printed headings; columns are always accessed by their English names.

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

    __slots__ = ("_columns", "lang", "legend", "title")

    def __init__(
        self,
        columns: Mapping[str, npt.ArrayLike],
        *,
        title: str = "",
        legend: str = "",
        lang: str = "en",
    ) -> None:
        frozen = {name: _freeze(values) for name, values in columns.items()}
        lengths = {len(values) for values in frozen.values()}
        if len(lengths) > 1:
            raise OptionError(f"Columns must have the same length, got lengths {sorted(lengths)}.")
        self._columns = frozen
        self.title = title
        self.legend = legend
        self.lang = lang

    @property
    def columns(self) -> tuple[str, ...]:
        """The column names in order."""
        return tuple(self._columns)

    def __len__(self) -> int:
        return len(next(iter(self._columns.values()), ()))

    def __getitem__(self, name: str) -> npt.NDArray[Any]:
        try:
            return self._columns[name]
        except KeyError:
            raise OptionError(
                f"Column not found: {name!r}. Available columns: {', '.join(self._columns)}."
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
        return {
            "columns": self._columns,
            "title": self.title,
            "legend": self.legend,
            "lang": self.lang,
        }

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(**state)  # type: ignore[misc]

    def row(self, i: int) -> dict[str, Any]:
        """Return a row as a dict of plain Python values."""
        return {
            name: (value.item() if isinstance(value := values[i], np.generic) else value)
            for name, values in self._columns.items()
        }

    def to_dict(self) -> dict[str, list[Any]]:
        """Return a dict of the columns, as lists of plain Python values."""
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
        """Return the table as HTML for notebooks."""
        from html import escape

        numeric = [values.dtype.kind in "fiu" for values in self._columns.values()]
        side = ["right" if right else "left" for right in numeric]

        def line(cells: list[str], tag: str) -> str:
            return "".join(
                f"<{tag} style='text-align:{alignment}'>{escape(text)}</{tag}>"
                for text, alignment in zip(cells, side, strict=True)
            )

        positions = _select_rows(len(self))
        rows = [line([_to_text(v, i) for v in self._columns.values()], "td") for i in positions]
        if len(positions) < len(self):
            gap = f"<td colspan='{len(side)}'>… {len(self) - len(positions)} more rows …</td>"
            rows.insert(_MAX_ROWS // 2, gap)
        title = f"<caption><b>{escape(self.title)}</b></caption>" if self.title else ""
        below = escape(self.legend).replace("\n", "<br>")
        foot = f"<p style='opacity:0.65'><small>{below}</small></p>" if below else ""
        body = "".join(f"<tr>{row}</tr>" for row in rows)
        head = line(self._headings(), "th")
        return f"<table>{title}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{foot}"

    def __str__(self) -> str:
        return format_blocks(self.blocks())

    def unfolded(self) -> str:
        """Return the table as text with all rows, whereas `str` omits the middle of long tables.

        Examples
        --------
        >>> from ceiba.listing import Listing
        >>> listing = Listing({"n": range(99)})
        >>> len(str(listing).splitlines()), len(listing.unfolded().splitlines())
        (62, 100)
        """
        return format_blocks(self.blocks(fold=None))

    def blocks(self, fold: int | None = _MAX_ROWS) -> list[Block]:
        """Return the title, the cells of at most `fold` rows (None: all) and the legend."""
        word = words(self.lang)
        positions = _select_rows(len(self), fold)
        columns = [
            [
                escape_control(text, one_line=True)
                for text in (
                    heading,
                    *(
                        _to_text(values, i, name in _EXACT_COLUMNS, word["heading.yes"])
                        for i in positions
                    ),
                )
            ]
            for heading, (name, values) in zip(self._headings(), self._columns.items(), strict=True)
        ]
        rows = list(map(list, zip(*columns, strict=True)))
        numeric = [values.dtype.kind in "fiu" for values in self._columns.values()]
        grids: list[Block] = [Grid(rows, numeric)] if rows else []
        if len(positions) < len(self):
            # The rows above and below the note on omitted rows must have the same column widths.
            widths = [max(map(len, column)) for column in columns]
            rows = [
                [
                    text.rjust(width) if right else text.ljust(width)
                    for text, width, right in zip(row, widths, numeric, strict=True)
                ]
                for row in rows
            ]
            middle = 1 + len(positions) // 2
            note = word("heading.more_rows", n=len(self) - len(positions))
            grids = [Grid(rows[:middle], numeric), note, Grid(rows[middle:], numeric)]
        title, legend = escape_control(self.title), escape_control(self.legend)
        return [*([title] if title else []), *grids, *([legend] if legend else [])]

    def _headings(self) -> list[str]:
        word = words(self.lang)
        return [word.get(f"heading.{name}", name) for name in self._columns]


def _freeze(values: npt.ArrayLike) -> npt.NDArray[Any]:
    array: npt.NDArray[Any]
    if isinstance(values, np.ndarray):
        array = values.copy()
    else:
        items = list(values)  # type: ignore[arg-type]
        if any(isinstance(item, list | tuple | str | None) for item in items):
            array = np.empty(len(items), dtype=object)
            for i, item in enumerate(items):  # np.array would convert tuples to a second dimension
                array[i] = item
        else:
            array = np.asarray(items)
    array.flags.writeable = False
    return array


def rows_to_columns(names: Sequence[str], rows: Iterable[Sequence[Any]]) -> dict[str, list[Any]]:
    """Convert rows to columns: a dict from each column name to a list of cells."""
    columns = list(zip(*rows, strict=True)) or [()] * len(names)
    return {name: list(column) for name, column in zip(names, columns, strict=True)}


def _select_rows(n: int, fold: int | None = _MAX_ROWS) -> list[int]:
    if fold is None or n <= fold:
        return list(range(n))
    return [*range(fold // 2), *range(n - fold // 2, n)]


def _to_text(values: npt.NDArray[Any], i: int, copied: bool = False, yes: str = "yes") -> str:
    value = values[i]
    if isinstance(value, float | np.floating):
        return format_number(float(value), 6 if copied else DIGITS.get())
    if isinstance(value, bool | np.bool_):
        return yes if value else ""
    if isinstance(value, list | tuple):
        return " | ".join(map(str, value))
    return "" if value is None else str(value)
