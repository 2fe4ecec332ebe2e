"""What stands under a drawn tree: the names of the class colours, and a note on what is folded."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ceiba.layout.drawing import Measure
from ceiba.words import words

MOST_NAMES = 24


@dataclass(frozen=True)
class Foot:
    """Places under the tree, in points from the foot's upper left corner.

    Attributes
    ----------
    names : tuple of (float, int, str)
        Left border, row and text of each class name; its colour patch stands left of it.
    note : tuple of str
        Lines of the note, in the rows after the names.
    n_rows : int
        Rows of text in all.

    Examples
    --------
    >>> from ceiba.layout import lay_foot
    >>> lay_foot(["a", "b"], "", 100.0, lambda text, bold: 6.0 * len(text), 10.0).names
    ((12.0, 0, 'a'), (44.0, 0, 'b'))
    """

    names: tuple[tuple[float, int, str], ...]
    note: tuple[str, ...]
    n_rows: int


def lay_foot(
    names: Sequence[str],
    note: str,
    width: float,
    measure: Measure,
    font_size: float,
    lang: str = "en",
) -> Foot:
    """Set class names one after the other and break the note, both within `width`.

    Examples
    --------
    >>> from ceiba.layout import lay_foot
    >>> lay_foot([], "one two three", 40.0, lambda text, bold: 6.0 * len(text), 10.0).note
    ('one', 'two', 'three')
    """
    shown = [name if len(name) <= 30 else f"{name[:29]}…" for name in names[:MOST_NAMES]]
    if len(names) > MOST_NAMES:
        shown.append(words(lang)("plot.more_classes", n=len(names) - MOST_NAMES))
    patch, space = 1.2 * font_size, 1.4 * font_size
    placed: list[tuple[float, int, str]] = []
    x, row = 0.0, 0
    for name in shown:
        needs = patch + measure(name, False)
        if x > 0 and x + needs > width:
            x, row = 0.0, row + 1
        placed.append((x + patch, row, name))
        x += needs + space
    lines = _broken(note, width, measure)
    return Foot(tuple(placed), lines, (row + 1 if placed else 0) + len(lines))


def _broken(text: str, width: float, measure: Measure) -> tuple[str, ...]:
    lines: list[str] = []
    for word in text.split():
        if lines and measure(f"{lines[-1]} {word}", False) <= width:
            lines[-1] = f"{lines[-1]} {word}"
        else:
            lines.append(word)
    return tuple(lines)
