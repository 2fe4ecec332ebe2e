"""Saturday mornings for tennis: the 14 examples of Quinlan.

J. R. Quinlan, "Induction of decision trees", Machine Learning 1 (1986) 81-106; column names as in
T. Mitchell, "Machine Learning" (1997), table 3.2. The gain of Outlook is 0.247 bits.
"""

from __future__ import annotations

from ceiba.datasets.dataset import Dataset
from ceiba.table import Levels

_LEVELS = {
    "Outlook": ("Sunny", "Overcast", "Rain"),
    "Temperature": ("Hot", "Mild", "Cool"),
    "Humidity": ("High", "Normal"),
    "Wind": ("Weak", "Strong"),
}
_ROWS = """
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
    rows = [line.split() for line in _ROWS.strip().splitlines()]
    *columns, y = (list(column) for column in zip(*rows, strict=True))
    X = {
        name: Levels(values, levels)
        for (name, levels), values in zip(_LEVELS.items(), columns, strict=True)
    }
    return Dataset("play tennis", dict(X), y, "PlayTennis", "Quinlan (1986), Mitchell (1997)")
