"""The target: class labels or numbers, as an array or as a column of the table."""

from __future__ import annotations

from ceiba.table.targets.labels import code_labels as code_labels
from ceiba.table.targets.split_target import is_named_target as is_named_target
from ceiba.table.targets.split_target import split_target as split_target
from ceiba.table.targets.target import in_declared_order as in_declared_order
from ceiba.table.targets.target import present_rows as present_rows
from ceiba.table.targets.target import read_target_like as read_target_like
from ceiba.table.targets.target import take_rows as take_rows
from ceiba.table.targets.target import target_outputs as target_outputs
