"""Splits that are given, not searched for: reading them, parting rows by them, growing below."""

from __future__ import annotations

from ceiba.edit.forced.division import EmptyBranchError as EmptyBranchError
from ceiba.edit.forced.division import SplitLike as SplitLike
from ceiba.edit.forced.division import divide as divide
from ceiba.edit.forced.division import read_split as read_split
from ceiba.edit.forced.here import Here as Here
from ceiba.edit.forced.here import case_weights as case_weights
from ceiba.edit.forced.here import growing_branches as growing_branches
from ceiba.edit.forced.here import heavier_branch as heavier_branch
from ceiba.edit.forced.here import primary_branches as primary_branches
from ceiba.edit.forced.here import stand_in as stand_in
