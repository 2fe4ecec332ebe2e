"""Functions that implement methods for editing trees, such as `set_split` and `regrow`."""

from __future__ import annotations

from ceiba.edit.by_hand import copy_splits_in as copy_splits_in
from ceiba.edit.by_hand import forbid as forbid
from ceiba.edit.by_hand import grow_at as grow_at
from ceiba.edit.by_hand import grow_leaves_in as grow_leaves_in
from ceiba.edit.by_hand import prefer as prefer
from ceiba.edit.by_hand import rebuild_subtree as rebuild_subtree
from ceiba.edit.by_hand import regrow_in as regrow_in
from ceiba.edit.by_hand import repeat_split as repeat_split
from ceiba.edit.by_hand import rules_at as rules_at
from ceiba.edit.by_hand import seal as seal
from ceiba.edit.by_hand import select_columns as select_columns
from ceiba.edit.by_hand import set_split_in as set_split_in
