"""A small data set as plain Python: a dict of columns, and the target."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Dataset:
    """Columns and target of an embedded data set; no data frame library is needed.

    Parameters
    ----------
    name : str
        What it is called.
    X : dict of list
        The columns by name.
    y : list
        The target.
    target : str
        Name of the target.
    source : str
        Where the data come from.

    Examples
    --------
    >>> from ceiba.datasets import load_play_tennis
    >>> tennis = load_play_tennis()
    >>> tennis
    Dataset('play tennis': 14 rows, 4 columns, target 'PlayTennis')
    >>> list(tennis.data)
    ['Outlook', 'Temperature', 'Humidity', 'Wind', 'PlayTennis']
    """

    name: str
    X: dict[str, list[Any]]
    y: list[Any]
    target: str
    source: str = ""

    @property
    def data(self) -> dict[str, list[Any]]:
        """Columns and target in one dict, for ``fit(data, target)``."""
        return {**self.X, self.target: self.y}

    def __repr__(self) -> str:
        return (
            f"Dataset({self.name!r}: {len(self.y)} rows, {len(self.X)} columns, "
            f"target {self.target!r})"
        )
