"""Cross-validation of a whole pruning sequence."""

from __future__ import annotations

from ceiba.prune.cross_validation.fold_tree import FoldTree as FoldTree
from ceiba.prune.cross_validation.fold_tree import StepFunctions as StepFunctions
from ceiba.prune.cross_validation.folds import Fold as Fold
from ceiba.prune.cross_validation.folds import check_folds_of_shards as check_folds_of_shards
from ceiba.prune.cross_validation.folds import read_folds as read_folds
from ceiba.prune.cross_validation.folds import seed_of as seed_of
from ceiba.prune.cross_validation.validate import run_folds as run_folds
