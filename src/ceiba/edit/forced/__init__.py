"""Read forced splits, partition rows by them and grow subtrees below them."""

from __future__ import annotations

from ceiba.edit.forced.node_site import NodeSite as NodeSite
from ceiba.edit.forced.node_site import apply_surrogates as apply_surrogates
from ceiba.edit.forced.node_site import case_weights as case_weights
from ceiba.edit.forced.node_site import growing_branches as growing_branches
from ceiba.edit.forced.node_site import heavier_branch as heavier_branch
from ceiba.edit.forced.node_site import primary_branches as primary_branches
from ceiba.edit.forced.partition import EmptyBranchError as EmptyBranchError
from ceiba.edit.forced.partition import SplitLike as SplitLike
from ceiba.edit.forced.partition import partition_rows as partition_rows
from ceiba.edit.forced.partition import read_split as read_split
