"""id3(): the trees of ID3 (Quinlan 1986), as textbooks grow them.

Information gain in bits, one branch per level, no pruning: the tree fits every training row that
does not contradict another one. A branch without rows answers with the plurality of its parent, and
so does a level that was never seen; rows with the same description and different classes are
answered by plurality.
"""

from __future__ import annotations

from typing import Any

from ceiba.estimators.classifier import DecisionTreeClassifier
from ceiba.grow import Multiway


def id3(**parameters: Any) -> DecisionTreeClassifier:
    """Make a classifier that grows as ID3 does.

    Columns of numbers, which ID3 does not have, are cut in two. Rows with a missing value go down
    every branch with a part of themselves, which gives the distribution of the node.

    Parameters
    ----------
    **parameters
        Parameters of `DecisionTreeClassifier`.

    Returns
    -------
    DecisionTreeClassifier

    Examples
    --------
    >>> import ceiba
    >>> data = ceiba.datasets.load_restaurant()
    >>> tree = ceiba.id3().fit(data.X, data.y).tree_
    >>> tree.schema.names[tree.splits.column[0]], round(float(tree.gain[0]), 3)
    ('Patrons', 0.541)
    """
    chosen: dict[str, Any] = {
        "criterion": "entropy",
        "categorical_splits": Multiway(empty=True),
        "missing": "fractional",
        "unseen": "missing",
    }
    return DecisionTreeClassifier(**{**chosen, **parameters})
