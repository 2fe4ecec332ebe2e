"""Grow trees on tables in files, on a cluster or on a GPU, divided into shards of rows."""

from __future__ import annotations

from ceiba.shards.grower import check_parameters as check_parameters
from ceiba.shards.grower import check_supported as check_supported
from ceiba.shards.grower import grow_folds as grow_folds
from ceiba.shards.grower import unsupported_error as unsupported_error
from ceiba.shards.grower import with_hazard as with_hazard
from ceiba.shards.grower import with_targets as with_targets
from ceiba.shards.journal import open_journal as open_journal
from ceiba.shards.table import UNWEIGHTED as UNWEIGHTED
from ceiba.shards.table import Blocks as Blocks
from ceiba.shards.table import ShardedTable as ShardedTable
from ceiba.shards.table import ShardedTarget as ShardedTarget
from ceiba.shards.table import Weighting as Weighting
