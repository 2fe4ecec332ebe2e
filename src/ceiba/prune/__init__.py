"""Methods that prune a grown tree, and cross-validation that chooses its size.

Each method is a function that returns a pruned Tree, and an object for `prune=` of the estimators.
"""

from __future__ import annotations

from ceiba.prune.chi_square import ChiSquare, chi_square
from ceiba.prune.cost_complexity import NOISE as NOISE
from ceiba.prune.cost_complexity import PruningSequence, prune_tree
from ceiba.prune.cost_complexity import Risk as Risk
from ceiba.prune.cost_complexity import collapse_alpha as collapse_alpha
from ceiba.prune.cost_complexity import pruning_path as pruning_path
from ceiba.prune.cost_complexity import pruning_sequence as pruning_sequence
from ceiba.prune.cost_complexity import risk_sums as risk_sums
from ceiba.prune.cost_complexity_pruning import PRUNING_NAMES as PRUNING_NAMES
from ceiba.prune.cost_complexity_pruning import CostComplexity
from ceiba.prune.cost_complexity_pruning import choose_other_step as choose_other_step
from ceiba.prune.cost_complexity_pruning import read_pruning as read_pruning
from ceiba.prune.cost_complexity_pruning import with_groups as with_groups
from ceiba.prune.cross_validation.validate import CrossValidation
from ceiba.prune.description_length import DescriptionLength, description_length
from ceiba.prune.pessimistic import Pessimistic, pessimistic
from ceiba.prune.pessimistic import added_errors as added_errors
from ceiba.prune.pruning import Pruned
from ceiba.prune.pruning import Pruning as Pruning
from ceiba.prune.pruning_table import PruningTable
from ceiba.prune.pruning_table import choose_step as choose_step
from ceiba.prune.pruning_table import risk_unit as risk_unit
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
