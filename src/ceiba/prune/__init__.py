"""The right size: exact cost-complexity pruning of a grown tree, and the tables it is shown in."""

from __future__ import annotations

from ceiba.prune.cost_complexity import (
    PruningSequence,
    collapse_alpha,
    prune_tree,
    pruning_path,
    pruning_sequence,
)
from ceiba.prune.listing import Listing
from ceiba.prune.risk import Risk
from ceiba.prune.rpart_complexity import prune_by_cp, rpart_complexity

__all__ = [
    "Listing",
    "PruningSequence",
    "Risk",
    "collapse_alpha",
    "prune_by_cp",
    "prune_tree",
    "pruning_path",
    "pruning_sequence",
    "rpart_complexity",
]
