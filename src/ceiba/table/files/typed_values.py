"""Values that a person types: 1.234,5, R$ 12 or 31/12/2024, written as the model's file had them.

A value is read by `fitting` and `choose`, as a cell of a file is. Alone it often fits two styles;
what the model was learned from settles that, and where nothing does the value is refused.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ceiba.errors import DataError
from ceiba.table.files.cell_styles import Style, choose, fitting

if TYPE_CHECKING:
    from ceiba.table import ColumnInfo


def plain_value(text: str, info: ColumnInfo, styles: Mapping[str, Style]) -> str:
    """Return a typed value as any program reads it: 1234.5, 2024-12-31."""
    import polars as pl

    if not info.is_numeric or info.display not in ("number", "date", "datetime"):
        return text
    fits = [one for one in fitting([text]) if one.is_number == (info.display == "number")]
    if not fits:
        return text
    made = choose({info.name: fits}, decimal_comma=_comma(info.name, styles), stored=styles)
    if made.doubts:
        example = "1234.5" if info.display == "number" else "2024-12-31"
        raise DataError(
            f"Column {info.name!r}: {text!r} can be read in two ways. Write it like {example}."
        )
    value: Any = made.styles[info.name].read(pl.Series("value", [text]))[0]
    return text if value is None else str(value)


def _comma(name: str, styles: Mapping[str, Style]) -> bool | None:
    """Return whether the file had decimal commas; None where its numbers do not say."""
    if name in styles and styles[name].decimal:
        return None  # the column itself settles it
    marks = {style.decimal for style in styles.values() if style.is_number and style.decimal}
    return True if marks == {","} else None
