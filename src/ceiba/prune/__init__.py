"""The right size: pruning a grown tree, and the choice of the size by cross-validation.

Exact cost-complexity pruning with all its tables, and other prunings; each is a function of a Tree
that returns a new one, and an object for `prune=` of the estimators.
"""

from __future__ import annotations

from ceiba.prune.chi_square import ChiSquare, chi_square
from ceiba.prune.cost_complexity import (
    PruningSequence,
    prune_tree,
)
from ceiba.prune.cost_complexity_pruning import CostComplexity
from ceiba.prune.cross_validation.validate import CrossValidation
from ceiba.prune.description_length import DescriptionLength, description_length
from ceiba.prune.pessimistic import Pessimistic, pessimistic
from ceiba.prune.pruning import Pruned
from ceiba.prune.pruning_table import PruningTable
from ceiba.prune.reduced_error import ReducedError, reduced_error
from ceiba.prune.same_answer import SameAnswer, same_answer

__all__ = [
    "ChiSquare",
    "CostComplexity",
    "CrossValidation",
    "DescriptionLength",
    "Pessimistic",
    "Pruned",
    "PruningSequence",
    "PruningTable",
    "ReducedError",
    "SameAnswer",
    "chi_square",
    "description_length",
    "pessimistic",
    "prune_tree",
    "reduced_error",
    "same_answer",
]
