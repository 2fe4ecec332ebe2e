"""The right size: pruning a grown tree, and the choice of the size by cross-validation.

Exact cost-complexity pruning with all its tables, and other prunings; each is a function of a Tree
that returns a new one, and an object for `prune=` of the estimators.
"""

from __future__ import annotations

from ceiba.prune.chi_square import ChiSquare, chi_square
from ceiba.prune.cost_complexity import (
    PruningSequence,
    collapse_alpha,
    prune_tree,
    pruning_path,
    pruning_sequence,
)
from ceiba.prune.cost_complexity_pruning import CostComplexity
from ceiba.prune.cross_validation.validate import CrossValidation, cross_validate
from ceiba.prune.description_length import DescriptionLength, description_length
from ceiba.prune.pessimistic import Pessimistic, pessimistic
from ceiba.prune.pruning import Pruned, Pruning
from ceiba.prune.pruning_table import PruningTable
from ceiba.prune.read import PRUNING_NAMES, read_pruning, with_groups
from ceiba.prune.reduced_error import ReducedError, reduced_error
from ceiba.prune.risk import Risk
from ceiba.prune.same_answer import SameAnswer, same_answer

__all__ = [
    "PRUNING_NAMES",
    "ChiSquare",
    "CostComplexity",
    "CrossValidation",
    "DescriptionLength",
    "Pessimistic",
    "Pruned",
    "Pruning",
    "PruningSequence",
    "PruningTable",
    "ReducedError",
    "Risk",
    "SameAnswer",
    "chi_square",
    "collapse_alpha",
    "cross_validate",
    "description_length",
    "pessimistic",
    "prune_tree",
    "pruning_path",
    "pruning_sequence",
    "read_pruning",
    "reduced_error",
    "same_answer",
    "with_groups",
]
