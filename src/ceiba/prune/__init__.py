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

__all__ = [
    "Listing",
    "PruningSequence",
    "collapse_alpha",
    "prune_tree",
    "pruning_path",
    "pruning_sequence",
]
