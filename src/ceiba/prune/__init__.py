"""The right size: pruning a grown tree, and the choice of the size by cross-validation.

Exact cost-complexity pruning with all its tables, and other prunings; each is a function of a Tree
that returns a new one, and an object for `prune=` of the estimators.
"""

from __future__ import annotations

from ceiba.prune.choice import CostComplexity
from ceiba.prune.cost_complexity import (
    PruningSequence,
    collapse_alpha,
    prune_tree,
    pruning_path,
    pruning_sequence,
)
from ceiba.prune.cross_validation import CrossValidation, cross_validate
from ceiba.prune.listing import Listing
from ceiba.prune.pruning import Pruned, Pruning
from ceiba.prune.pruning_table import PruningTable
from ceiba.prune.read import PRUNING_NAMES, read_pruning
from ceiba.prune.risk import Risk
from ceiba.prune.rpart_complexity import prune_by_cp, rpart_complexity
from ceiba.prune.rpart_cross_validation import rpart_cross_validate
from ceiba.prune.training import Training

__all__ = [
    "PRUNING_NAMES",
    "CostComplexity",
    "CrossValidation",
    "Listing",
    "Pruned",
    "Pruning",
    "PruningSequence",
    "PruningTable",
    "Risk",
    "Training",
    "collapse_alpha",
    "cross_validate",
    "prune_by_cp",
    "prune_tree",
    "pruning_path",
    "pruning_sequence",
    "read_pruning",
    "rpart_complexity",
    "rpart_cross_validate",
]
