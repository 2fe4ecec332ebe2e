"""Path: the branches from the root to one node."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ceiba.tree.splits.split_table import Split
    from ceiba.tree.tree import Tree


@dataclass(frozen=True)
class Step:
    """One branch taken: at which node, by which split, which branch.

    Examples
    --------
    >>> import ceiba
    >>> tree = ceiba.tree.build(("x <= 2.5", "a", "b"))
    >>> tree.path(2).steps[0].branch
    1
    """

    node: int
    split: Split
    branch: int


@dataclass(frozen=True, eq=False, repr=False)
class Path:
    """The branches from the root to one node.

    Examples
    --------
    >>> import ceiba
    >>> tree = ceiba.tree.build(("x <= 2.5", "a", ("y <= 1", "b", "a")))
    >>> print(tree.path(3))
    x > 2.5 and y <= 1
    >>> tree.path(3).nodes
    (0, 2, 3)
    """

    tree: Tree
    end: int

    @property
    def nodes(self) -> tuple[int, ...]:
        """Ids of the nodes on the path, the root first, the end included."""
        parent = self.tree.parent
        ids = [self.end]
        while (above := int(parent[ids[-1]])) >= 0:
            ids.append(above)
        return tuple(reversed(ids))

    @property
    def steps(self) -> tuple[Step, ...]:
        """The branches taken, from the root down."""
        out = []
        nodes = self.nodes
        for node, below in pairwise(nodes):
            split = self.tree.splits.split(node, self.tree.schema)
            assert split is not None  # a node with branches has a split
            out.append(Step(node, split, int(self.tree.branch_index[below])))
        return tuple(out)

    def sentences(self, *, digits: int | None = None) -> tuple[str, ...]:
        """Describe each branch taken, from the root down."""
        schema = self.tree.schema
        return tuple(step.split.sentence(step.branch, schema, digits=digits) for step in self.steps)

    def __len__(self) -> int:
        return len(self.nodes) - 1

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Path):
            return NotImplemented
        return self.tree is other.tree and self.end == other.end

    def __hash__(self) -> int:
        return hash((id(self.tree), self.end))

    def __str__(self) -> str:
        return " and ".join(self.sentences()) or "all rows"

    def __repr__(self) -> str:
        return f"<Path to node {self.end}: {self}>"
