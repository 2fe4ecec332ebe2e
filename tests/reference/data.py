"""A small table as the reference sees it: typed columns, one or more targets, a weight for each
row.

Values are floats (numeric) or level codes (categorical, ordered); `None` is missing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from tests.reference.exact import exact

Kind = Literal["numeric", "categorical", "ordered"]
Exact = int | Fraction


@dataclass(frozen=True)
class Column:
    name: str
    kind: Kind
    values: tuple[float | int | None, ...]
    levels: tuple[str, ...] = ()


@dataclass(frozen=True)
class Data:
    """Columns, targets (one tuple per output: class codes, or numbers) and weights."""

    columns: tuple[Column, ...]
    targets: tuple[tuple[Exact, ...], ...]
    weight: tuple[Exact, ...]

    @property
    def n_rows(self) -> int:
        return len(self.weight)

    def present(self, column: int, rows: Iterable[int]) -> list[int]:
        values = self.columns[column].values
        return [row for row in rows if values[row] is not None]

    def total_weight(self, rows: Iterable[int]) -> Exact:
        return sum(self.weight[row] for row in rows)


def numeric_data(
    X: Sequence[Sequence[float | None]],
    y: Sequence[float] | Sequence[Sequence[float]],
    weight: Sequence[float] | None = None,
) -> Data:
    """Data of numeric columns from rows of numbers (`None` or NaN is missing); a nested y has many
    outputs.
    """
    columns = tuple(
        Column(f"x{j}", "numeric", tuple(None if v is None or v != v else v for v in values))
        for j, values in enumerate(zip(*X, strict=True))
    )
    nested = len(y) > 0 and isinstance(y[0], Sequence)
    outputs = zip(*y, strict=True) if nested else [y]
    targets = tuple(tuple(exact(v) for v in output) for output in outputs)
    weights = tuple(exact(w) for w in (weight if weight is not None else [1] * len(y)))
    return Data(columns, targets, weights)
