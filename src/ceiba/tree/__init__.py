"""The tree room: the immutable Tree, its nodes, splits and paths, and trees written by hand."""

from __future__ import annotations

from ceiba.tree.attachments import Attachment
from ceiba.tree.construct.build import Leaf, build
from ceiba.tree.construct.from_arrays import from_arrays
from ceiba.tree.invariants import check
from ceiba.tree.methods import from_sklearn, load
from ceiba.tree.model_file import read_metadata
from ceiba.tree.node import Node
from ceiba.tree.notes import NodeNote
from ceiba.tree.path import Path, Step
from ceiba.tree.routing.one_row import Answer
from ceiba.tree.routing.trace import Move, trace
from ceiba.tree.splits.split_table import (
    Cut,
    Intervals,
    LevelSets,
    Presence,
    Split,
    SplitKind,
    SplitTable,
)
from ceiba.tree.splits.surrogates import Competitor, CompetitorTable, Surrogate, SurrogateTable
from ceiba.tree.splits.tests import NodeTest, SplitTests
from ceiba.tree.tree import Missing, Tree, Unseen

__all__ = [
    "Answer",
    "Attachment",
    "Competitor",
    "CompetitorTable",
    "Cut",
    "Intervals",
    "Leaf",
    "LevelSets",
    "Missing",
    "Move",
    "Node",
    "NodeNote",
    "NodeTest",
    "Path",
    "Presence",
    "Split",
    "SplitKind",
    "SplitTable",
    "SplitTests",
    "Step",
    "Surrogate",
    "SurrogateTable",
    "Tree",
    "Unseen",
    "build",
    "check",
    "from_arrays",
    "from_sklearn",
    "load",
    "read_metadata",
    "trace",
]
