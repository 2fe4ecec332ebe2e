"""The tree room: the immutable Tree, its nodes, splits and paths, and trees written by hand."""

from __future__ import annotations

from ceiba.tree.attachments import Attachment
from ceiba.tree.construct.build import Leaf, build
from ceiba.tree.construct.from_arrays import from_arrays
from ceiba.tree.invariants import check
from ceiba.tree.methods import from_sklearn, load
from ceiba.tree.model_file.document import read_metadata
from ceiba.tree.node import Node, Path, Step
from ceiba.tree.notes import NodeNote
from ceiba.tree.routing.one_row import Answer
from ceiba.tree.splits.split_table import (
    Cut,
    Intervals,
    LevelSets,
    Presence,
    SplitKind,
    SplitTable,
)
from ceiba.tree.splits.surrogates import Competitor, Surrogate
from ceiba.tree.splits.tests import NodeTest
from ceiba.tree.tree import Tree

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
