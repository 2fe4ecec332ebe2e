"""The tree room: the immutable Tree, its nodes, splits and paths, and trees written by hand."""

from __future__ import annotations

from ceiba.tree.build import Leaf, build
from ceiba.tree.face import from_sklearn, load
from ceiba.tree.from_arrays import from_arrays
from ceiba.tree.invariants import check
from ceiba.tree.node import Node
from ceiba.tree.path import Path, Step
from ceiba.tree.split_tests import NodeTest, SplitTests
from ceiba.tree.splits import Cut, Levels, Presence, Split, SplitKind, SplitTable
from ceiba.tree.surrogates import Competitor, Competitors, Surrogate, Surrogates
from ceiba.tree.trace import Move, trace
from ceiba.tree.tree import Missing, Tree, Unseen

__all__ = [
    "Competitor",
    "Competitors",
    "Cut",
    "Leaf",
    "Levels",
    "Missing",
    "Move",
    "Node",
    "NodeTest",
    "Path",
    "Presence",
    "Split",
    "SplitKind",
    "SplitTable",
    "SplitTests",
    "Step",
    "Surrogate",
    "Surrogates",
    "Tree",
    "Unseen",
    "build",
    "check",
    "from_arrays",
    "from_sklearn",
    "load",
    "trace",
]
