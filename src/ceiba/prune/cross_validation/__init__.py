"""Cross-validation of all steps of a pruning sequence, with one tree per fold."""

from __future__ import annotations

from ceiba.prune.cross_validation.fold_tree import FoldTree as FoldTree
from ceiba.prune.cross_validation.fold_tree import StepFunctions as StepFunctions
from ceiba.prune.cross_validation.folds import Fold as Fold
from ceiba.prune.cross_validation.folds import GrownFold as GrownFold
from ceiba.prune.cross_validation.folds import check_shard_folds as check_shard_folds
from ceiba.prune.cross_validation.folds import read_folds as read_folds
from ceiba.prune.cross_validation.folds import read_seed as read_seed
from ceiba.prune.cross_validation.survival_folds import SurvivalFoldTree as SurvivalFoldTree
from ceiba.prune.cross_validation.validate import run_folds as run_folds
