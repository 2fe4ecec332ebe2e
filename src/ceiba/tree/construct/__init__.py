"""Functions that build trees from literals or arrays, rewrite splits and draw random rows."""

from __future__ import annotations

from ceiba.tree.construct.expand_intervals import expand_intervals as expand_intervals
from ceiba.tree.construct.from_arrays import branches_from_parents as branches_from_parents
from ceiba.tree.construct.from_arrays import build_empty_tree as build_empty_tree
