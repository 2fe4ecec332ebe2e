"""To wait for a table or not: the 12 examples of Russell and Norvig.

S. Russell and P. Norvig, "Artificial Intelligence: A Modern Approach", chapter on learning from
examples. The worked gains of that chapter: 0.541 bits for Patrons, 0 for Type.
"""

from __future__ import annotations

from ceiba.datasets.dataset import Dataset
from ceiba.table import Levels

_NO_YES = ("No", "Yes")
_LEVELS = {
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
_ROWS = """
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
    rows = [line.split() for line in _ROWS.strip().splitlines()]
    *columns, y = (list(column) for column in zip(*rows, strict=True))
    X = {
        name: Levels(values, levels)
        for (name, levels), values in zip(_LEVELS.items(), columns, strict=True)
    }
    return Dataset("restaurant", dict(X), y, "WillWait", "Russell and Norvig, AIMA")
