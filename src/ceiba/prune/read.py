"""What `prune=` may be: None, a name, or a pruning object."""

from __future__ import annotations

from copy import copy
from typing import Any, Final

import numpy as np

from ceiba.errors import OptionError, did_you_mean
from ceiba.prune.cost_complexity_pruning import CostComplexity
from ceiba.prune.pruning import Pruning

#: Names of prunings, for `prune=`.
PRUNING_NAMES: Final = ("cv", "1se")


# Names under which prunings that need an object are looked for.
_CLASSES: Final = {
    "chi2": "ChiSquare()",
    "chisquare": "ChiSquare()",
    "pessimistic": "Pessimistic()",
    "c45": "Pessimistic()",
    "ebp": "Pessimistic()",
    "reducederror": "ReducedError(...)",
    "rep": "ReducedError(...)",
    "mdl": "DescriptionLength()",
    "descriptionlength": "DescriptionLength()",
    "sameanswer": "SameAnswer()",
    "costcomplexity": "CostComplexity(...)",
    "min": "CostComplexity(rule='min'), or prune='cv'",
}


def read_pruning(prune: Any) -> Pruning | None:
    """Return the pruning object that `prune=` stands for.

    Examples
    --------
    >>> from ceiba.prune.read import read_pruning
    >>> read_pruning("1se")
    CostComplexity(rule='1se')
    """
    if prune is None or isinstance(prune, Pruning):
        return prune
    if prune == "cv":
        return CostComplexity()
    if prune == "1se":
        return CostComplexity(rule="1se")
    hint = did_you_mean(prune, PRUNING_NAMES) if isinstance(prune, str) else ""
    if isinstance(prune, str):
        name = prune.lower().replace("-", "").replace("_", "").replace(" ", "")
        if name in _CLASSES:
            hint = f" That one is an object: prune=ceiba.prune.{_CLASSES[name]}."
    if isinstance(prune, int | float) and not isinstance(prune, bool):
        hint = f" For an alpha: CostComplexity(alpha={prune!r})."
    raise OptionError(
        f"prune must be None, 'cv', '1se' or a pruning object of ceiba.prune. Got {prune!r}.{hint}"
    )


def with_groups(prune: Any, groups: Any, present: Any = None) -> Any:
    """Return the pruning object with groups of rows that folds hold out together."""
    pruning = read_pruning(prune)
    if not isinstance(pruning, CostComplexity) or not pruning.by_folds:
        raise OptionError(
            f"groups says which rows the folds of cross-validation hold out together, and prune="
            f"{prune!r} makes none. Use prune='cv', '1se' or a CostComplexity, or leave groups out."
        )
    if pruning.groups is not None:
        raise OptionError(
            "groups are given twice: in fit and in the CostComplexity. Give them once."
        )
    kept = np.asarray(groups) if present is None else np.asarray(groups)[present]
    grouped = copy(pruning)
    grouped.groups = kept
    return grouped
