"""The bench: the tree of a state with its data at hand, for all questions about its nodes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ceiba.edit.forced.here import Here
from ceiba.errors import TreeError
from ceiba.grow.problem import Problem
from ceiba.studio.answers.branches import check_one_output
from ceiba.studio.answers.places import Places
from ceiba.studio.prepare import Prepared
from ceiba.studio.work.state import State
from ceiba.tree import Tree
from ceiba.tree.routing import route


class NodeError(TreeError):
    """There is no such node."""


@dataclass(frozen=True, eq=False)
class Bench:
    """A state with its data."""

    state: State
    data: Prepared
    places: Places

    @property
    def tree(self) -> Tree:
        """The tree."""
        tree = self.state.tree
        if tree is None:
            raise TreeError("There is no tree yet. Choose the target first.")
        return tree

    @cached_property
    def problem(self) -> Problem:
        """Table, target, weights and options."""
        problem: Problem
        problem, _ = self.state.model._read_problem(self.data.X, self.data.y, self.data.weight)
        check_one_output(problem)
        return problem

    def check(self, node: int) -> None:
        """Refuse a node that there is not."""
        if not 0 <= node < self.tree.n_nodes:
            raise NodeError(f"There is no node {node}: the tree has {self.tree.n_nodes} nodes.")

    def at(self, node: int) -> Here:
        """Give a node with the training rows in it."""
        self.check(node)
        return self.places.at(self.tree, node, self.problem)

    def key(self, node: int) -> Any:
        """Return what tells a split with its rows from any other: for answers that are kept."""
        tree = self.tree
        own = Places.key(tree, self.problem, tree.path(node).nodes)
        rules = tree.notes.get(node) if tree.notes else None
        return id(self.data), own, repr(tree.node(node).split), rules

    @cached_property
    def held_out_ends(self) -> Any:
        """The leaf in which each held-out row ends; None without such rows."""
        held_out = self.data.held_out
        return None if held_out is None else np.asarray(route.apply(self.tree, held_out.X))

    def held_out_rows(self, node: int) -> Any:
        """Return the held-out rows that pass through a node."""
        ends = self.held_out_ends
        return np.flatnonzero((ends >= node) & (ends < self.tree.subtree_end[node]))
