"""What `prune=` may be: None, a name, or a pruning object."""

from __future__ import annotations

from typing import Any, Final

from ceiba.errors import OptionError, did_you_mean
from ceiba.prune.cost_complexity_pruning import CostComplexity
from ceiba.prune.pruning import Pruning

#: Names of prunings, for `prune=`.
PRUNING_NAMES: Final = ("cv", "1se")


def read_pruning(prune: Any) -> Pruning | None:
    """Give the pruning object that `prune=` stands for.

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
    if isinstance(prune, int | float) and not isinstance(prune, bool):
        hint = f" For an alpha: CostComplexity(alpha={prune!r})."
    raise OptionError(
        f"prune must be None, 'cv', '1se' or a pruning object of ceiba.prune. Got {prune!r}.{hint}"
    )
