"""Conditions on column values under which rows take a path through a tree."""

from __future__ import annotations

from ceiba.paths.conditions import Chain as Chain
from ceiba.paths.conditions import Clause as Clause
from ceiba.paths.conditions import Condition as Condition
from ceiba.paths.conditions import join_texts as join_texts
from ceiba.paths.from_tree import STAYS as STAYS
from ceiba.paths.from_tree import add_clause as add_clause
from ceiba.paths.from_tree import branch_clause as branch_clause
from ceiba.paths.from_tree import drop_refused_values as drop_refused_values
from ceiba.paths.from_tree import end_conditions as end_conditions
from ceiba.paths.from_tree import end_nodes as end_nodes
from ceiba.paths.from_tree import node_condition as node_condition
from ceiba.paths.from_tree import node_conditions as node_conditions
from ceiba.paths.from_tree import nodes_on_paths as nodes_on_paths
from ceiba.paths.from_tree import places_every_row as places_every_row
from ceiba.paths.from_tree import reachable_ends as reachable_ends
from ceiba.paths.from_tree import refuse_fractional as refuse_fractional
from ceiba.paths.from_tree import root_answers as root_answers
from ceiba.paths.from_tree import unknown_levels as unknown_levels
from ceiba.paths.value_set import ValueSet as ValueSet
