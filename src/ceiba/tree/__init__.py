"""The immutable `Tree` with its nodes, splits and paths, and functions to build and load trees."""

from __future__ import annotations

from ceiba.tree.arrays import Array as Array
from ceiba.tree.arrays import sum_over_subtrees as sum_over_subtrees
from ceiba.tree.attachments import Attachment
from ceiba.tree.attachments import join_attachments as join_attachments
from ceiba.tree.attachments import leaf_quantiles as leaf_quantiles
from ceiba.tree.attachments import take_attachments as take_attachments
from ceiba.tree.certificate import Certificate as Certificate
from ceiba.tree.collapse import collapse as collapse
from ceiba.tree.construct.build import Leaf, build
from ceiba.tree.construct.from_arrays import from_arrays
from ceiba.tree.derived import rows_by_weight as rows_by_weight
from ceiba.tree.grown import GrownArrays as GrownArrays
from ceiba.tree.grown import ValueRules as ValueRules
from ceiba.tree.grown import class_counts as class_counts
from ceiba.tree.grown import divide_or_zero as divide_or_zero
from ceiba.tree.grown import fill_empty_nodes as fill_empty_nodes
from ceiba.tree.grown import node_risk as node_risk
from ceiba.tree.grown import node_value as node_value
from ceiba.tree.grown import set_class_share as set_class_share
from ceiba.tree.impurity import alter_priors as alter_priors
from ceiba.tree.impurity import class_risk as class_risk
from ceiba.tree.invariants import check
from ceiba.tree.invariants import check_values as check_values
from ceiba.tree.methods import TreeMethods as TreeMethods
from ceiba.tree.methods import from_sklearn, load
from ceiba.tree.model_file.document import read_metadata
from ceiba.tree.node import Node, Path, Step
from ceiba.tree.notes import NodeNote
from ceiba.tree.notes import note_lines as note_lines
from ceiba.tree.notes import note_text as note_text
from ceiba.tree.notes import take_notes as take_notes
from ceiba.tree.notes import with_note as with_note
from ceiba.tree.routing.one_row import Answer
from ceiba.tree.splits.split_table import Cut, Intervals, LevelSets, Presence, SplitKind, SplitTable
from ceiba.tree.splits.surrogates import Competitor, Surrogate
from ceiba.tree.splits.tests import NodeTest
from ceiba.tree.survival_nodes import SurvivalSums as SurvivalSums
from ceiba.tree.survival_nodes import censoring_curve as censoring_curve
from ceiba.tree.survival_nodes import has_curve as has_curve
from ceiba.tree.survival_nodes import node_curve as node_curve
from ceiba.tree.tree import Tree
from ceiba.tree.tree import tree_from_grown as tree_from_grown

__all__ = [
    "Answer",
    "Attachment",
    "Competitor",
    "Cut",
    "Intervals",
    "Leaf",
    "LevelSets",
    "Node",
    "NodeNote",
    "NodeTest",
    "Path",
    "Presence",
    "SplitKind",
    "SplitTable",
    "Step",
    "Surrogate",
    "Tree",
    "build",
    "check",
    "from_arrays",
    "from_sklearn",
    "load",
    "read_metadata",
]
