"""Paths through a tree: which values a path admits, as value sets and as conditions."""

from __future__ import annotations

from ceiba.paths.conditions import Chain as Chain
from ceiba.paths.conditions import Clause as Clause
from ceiba.paths.conditions import Condition as Condition
from ceiba.paths.conditions import all_of as all_of
from ceiba.paths.of_tree import STAYS as STAYS
from ceiba.paths.of_tree import accepted as accepted
from ceiba.paths.of_tree import clause_of as clause_of
from ceiba.paths.of_tree import condition_of as condition_of
from ceiba.paths.of_tree import conditions_of as conditions_of
from ceiba.paths.of_tree import end_nodes as end_nodes
from ceiba.paths.of_tree import ends_of as ends_of
from ceiba.paths.of_tree import joined_with as joined_with
from ceiba.paths.of_tree import paths_to as paths_to
from ceiba.paths.of_tree import places_every_row as places_every_row
from ceiba.paths.of_tree import possible_ends as possible_ends
from ceiba.paths.of_tree import refuse_fractional as refuse_fractional
from ceiba.paths.of_tree import root_answers as root_answers
from ceiba.paths.of_tree import unknown_at as unknown_at
from ceiba.paths.value_set import ValueSet as ValueSet
