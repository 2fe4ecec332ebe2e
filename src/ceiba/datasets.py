"""Small embedded data sets, as plain dicts of lists.

Restaurant (whether to wait for a table): S. Russell and P. Norvig, "Artificial Intelligence: A
Modern Approach", chapter on learning from examples; gains 0.541 bits for Patrons, 0 for Type.
Play tennis: J. R. Quinlan, "Induction of decision trees", Machine Learning 1 (1986) 81-106; column
names as in T. Mitchell, "Machine Learning" (1997), table 3.2; the gain of Outlook is 0.247 bits.
Iris: R. A. Fisher, "The use of multiple measurements in taxonomic problems", Annals of Eugenics 7
(1936) 179-188, from the copy that scikit-learn ships (imported at first use).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ceiba.table import Levels

__all__ = ["Dataset", "load_iris", "load_play_tennis", "load_restaurant"]

_NO_YES = ("No", "Yes")
_RESTAURANT_LEVELS = {
    "Alternate": _NO_YES,
    "Bar": _NO_YES,
    "FriSat": _NO_YES,
    "Hungry": _NO_YES,
    "Patrons": ("None", "Some", "Full"),
    "Price": ("$", "$$", "$$$"),
    "Rain": _NO_YES,
    "Reservation": _NO_YES,
    "Type": ("Burger", "French", "Italian", "Thai"),
    "WaitEstimate": ("0-10", "10-30", "30-60", ">60"),
}
_RESTAURANT_ROWS = """
    Yes No  No  Yes Some $$$ No  Yes French  0-10  Yes
    Yes No  No  Yes Full $   No  No  Thai    30-60 No
    No  Yes No  No  Some $   No  No  Burger  0-10  Yes
    Yes No  Yes Yes Full $   Yes No  Thai    10-30 Yes
    Yes No  Yes No  Full $$$ No  Yes French  >60   No
    No  Yes No  Yes Some $$  Yes Yes Italian 0-10  Yes
    No  Yes No  No  None $   Yes No  Burger  0-10  No
    No  No  No  Yes Some $$  Yes Yes Thai    0-10  Yes
    No  Yes Yes No  Full $   Yes No  Burger  >60   No
    Yes Yes Yes Yes Full $$$ No  Yes Italian 10-30 No
    No  No  No  No  None $   No  No  Thai    0-10  No
    Yes Yes Yes Yes Full $   No  No  Burger  30-60 Yes
"""
_TENNIS_LEVELS = {
    "Outlook": ("Sunny", "Overcast", "Rain"),
    "Temperature": ("Hot", "Mild", "Cool"),
    "Humidity": ("High", "Normal"),
    "Wind": ("Weak", "Strong"),
}
_TENNIS_ROWS = """
    Sunny    Hot  High   Weak   No
    Sunny    Hot  High   Strong No
    Overcast Hot  High   Weak   Yes
    Rain     Mild High   Weak   Yes
    Rain     Cool Normal Weak   Yes
    Rain     Cool Normal Strong No
    Overcast Cool Normal Strong Yes
    Sunny    Mild High   Weak   No
    Sunny    Cool Normal Weak   Yes
    Rain     Mild Normal Weak   Yes
    Sunny    Mild Normal Strong Yes
    Overcast Mild High   Strong Yes
    Overcast Hot  Normal Weak   Yes
    Rain     Mild High   Strong No
"""
_IRIS_COLUMNS = ("sepal length", "sepal width", "petal length", "petal width")


@dataclass(frozen=True)
class Dataset:
    """Columns and target of an embedded data set; no data frame library is required.

    Parameters
    ----------
    name : str
        Name of the data set.
    X : dict of list
        The columns by name.
    y : list
        The target.
    target : str
        Name of the target.
    source : str
        Source of the data.

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


def load_restaurant() -> Dataset:
    """Return the restaurant table: 12 rows, 10 categorical columns, target ``WillWait``.

    Returns
    -------
    Dataset
        Columns declare their levels, in the order of the book (Patrons: None, Some, Full).

    Examples
    --------
    >>> restaurant = load_restaurant()
    >>> restaurant.X["Patrons"][:4]
    ['Some', 'Full', 'Some', 'Full']
    >>> restaurant.X["Patrons"].levels
    ('None', 'Some', 'Full')
    """
    return _dataset(
        "restaurant", _RESTAURANT_LEVELS, _RESTAURANT_ROWS, "WillWait", "Russell and Norvig, AIMA"
    )


def load_play_tennis() -> Dataset:
    """Return the tennis table: 14 rows, 4 categorical columns, target ``PlayTennis``.

    Returns
    -------
    Dataset
        Columns declare their levels, in the order of the book.

    Examples
    --------
    >>> tennis = load_play_tennis()
    >>> tennis.y.count("Yes"), tennis.X["Outlook"].levels
    (9, ('Sunny', 'Overcast', 'Rain'))
    """
    return _dataset(
        "play tennis", _TENNIS_LEVELS, _TENNIS_ROWS, "PlayTennis", "Quinlan (1986), Mitchell (1997)"
    )


def load_iris() -> Dataset:
    """Return the iris table: 150 rows, 4 numeric columns (cm), target ``species``.

    Returns
    -------
    Dataset

    Examples
    --------
    >>> iris = load_iris()
    >>> list(iris.X)
    ['sepal length', 'sepal width', 'petal length', 'petal width']
    >>> iris.y[0], iris.X["petal length"][0]
    ('setosa', 1.4)
    """
    from sklearn.datasets import load_iris as load

    bunch = load()
    X = {name: bunch.data[:, j].tolist() for j, name in enumerate(_IRIS_COLUMNS)}
    y = [str(bunch.target_names[code]) for code in bunch.target]
    return Dataset("iris", X, y, "species", "Fisher (1936)")


def _dataset(
    name: str, levels: Mapping[str, Sequence[str]], lines: str, target: str, source: str
) -> Dataset:
    """Return a data set of categorical columns from lines of text, the target last."""
    rows = [line.split() for line in lines.strip().splitlines()]
    *columns, y = (list(column) for column in zip(*rows, strict=True))
    X: dict[str, list[Any]] = {
        column: Levels(values, allowed)
        for (column, allowed), values in zip(levels.items(), columns, strict=True)
    }
    return Dataset(name, X, y, target, source)
