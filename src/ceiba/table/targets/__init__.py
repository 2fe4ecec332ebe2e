"""Readers of targets: class labels, numbers or survival times, in arrays or table columns."""

from __future__ import annotations

from ceiba.table.targets.labels import encode_labels as encode_labels
from ceiba.table.targets.split_target import is_named_target as is_named_target
from ceiba.table.targets.split_target import pop_target as pop_target
from ceiba.table.targets.split_target import split_survival as split_survival
from ceiba.table.targets.split_target import split_target as split_target
from ceiba.table.targets.survival import HazardTarget as HazardTarget
from ceiba.table.targets.survival import cumulative_hazard as cumulative_hazard
from ceiba.table.targets.survival import log_rank_chi_square as log_rank_chi_square
from ceiba.table.targets.survival import log_rank_scores as log_rank_scores
from ceiba.table.targets.survival import parse_surv as parse_surv
from ceiba.table.targets.survival import risk_sets as risk_sets
from ceiba.table.targets.target import find_present_rows as find_present_rows
from ceiba.table.targets.target import order_as_declared as order_as_declared
from ceiba.table.targets.target import read_outputs as read_outputs
from ceiba.table.targets.target import read_target_like as read_target_like
from ceiba.table.targets.target import take_rows as take_rows
