"""Views of nodes and paths of a tree. Views of different trees are never equal."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from ceiba.tree.arrays import Array
    from ceiba.tree.notes import NodeNote
    from ceiba.tree.splits.split_table import Split
    from ceiba.tree.splits.surrogates import Competitor, Surrogate
    from ceiba.tree.splits.tests import NodeTest
    from ceiba.tree.tree import Tree


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Node:
    """A view of a single node of a tree.

    Examples
    --------
    >>> import ceiba
    >>> tree = ceiba.tree.build(("Patrons", {"None": "No", "Some": "Yes", "Full": "No"}))
    >>> [child.label for child in tree.root.children]
    ['No', 'Yes', 'No']
    >>> tree.node(2).path.sentences()
    ('Patrons = Some',)
    """

    tree: Tree
    id: int

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Node):
            return NotImplemented
        return self.tree is other.tree and self.id == other.id

    def __hash__(self) -> int:
        return hash((id(self.tree), self.id))

    def __repr__(self) -> str:
        description = "leaf" if self.is_leaf else self.sentence(0)
        return f"<Node {self.id}: {description}>"

    # ------------------------------------------------------------------ place

    @property
    def parent(self) -> Node | None:
        """The parent node, or None for the root."""
        parent = int(self.tree.parent[self.id])
        return None if parent < 0 else Node(self.tree, parent)

    @property
    def children(self) -> tuple[Node, ...]:
        """The child nodes in branch order (none for a leaf)."""
        start, end = self.tree.branch_start[self.id : self.id + 2].tolist()
        return tuple(Node(self.tree, i) for i in self.tree.branch_node[start:end].tolist())

    @property
    def depth(self) -> int:
        """Number of branches between the root and this node."""
        return int(self.tree.node_depth[self.id])

    @property
    def branch(self) -> int | None:
        """Position of the node among the branches of its parent, or None for the root."""
        branch = int(self.tree.branch_index[self.id])
        return None if branch < 0 else branch

    @property
    def is_leaf(self) -> bool:
        """Whether the node is a leaf, that is, has no branches."""
        return bool(self.tree.branch_start[self.id] == self.tree.branch_start[self.id + 1])

    @property
    def path(self) -> Path:
        """The branches from the root to this node."""
        return Path(self.tree, self.id)

    @property
    def leaves(self) -> Array:
        """Ids of the leaves of this node's subtree."""
        leaves = self.tree.leaves
        first, last = leaves.searchsorted([self.id, self.tree.subtree_end[self.id]]).tolist()
        return leaves[first:last]

    # ------------------------------------------------------------------ question

    @property
    def split(self) -> Split | None:
        """The split of the node, or None for a leaf."""
        return self.tree.splits.split(self.id, self.tree.schema)

    def sentence(self, branch: int, *, digits: int | None = None) -> str:
        """Return the condition of a branch as text, e.g. "Petal.Length <= 2.45"."""
        split = self.split
        if split is None:
            raise IndexError(f"Node {self.id} is a leaf and has no branches.")
        return split.sentence(branch, self.tree.schema, digits=digits)

    @property
    def default_branch(self) -> int | None:
        """Branch of rows that neither the split nor a surrogate routes; None if there is none."""
        branch = int(self.tree.default_branch[self.id])
        return None if branch < 0 else branch

    @property
    def surrogates(self) -> tuple[Surrogate, ...]:
        """The surrogate splits of the node, best first."""
        table = self.tree.surrogates
        return () if table is None else table.of(self.id, self.tree.schema)

    @property
    def competitors(self) -> tuple[Competitor, ...]:
        """The runner-up splits of the node, best first."""
        table = self.tree.competitors
        return () if table is None else table.of(self.id, self.tree.schema)

    @property
    def test(self) -> NodeTest | None:
        """Significance test of the split, or None if the split was not tested."""
        return None if self.tree.tests is None else self.tree.tests.of(self.id)

    @property
    def gain(self) -> float:
        """Impurity decrease of the split, per unit of the node's weight, or 0 for a leaf."""
        return float(self.tree.gain[self.id])

    # ------------------------------------------------------------------ content

    @property
    def n_rows(self) -> int:
        """Number of training rows in the node, or 0 in a tree without data."""
        return int(self.tree.n_rows[self.id])

    @property
    def weight(self) -> float:
        """Total weight of the training rows in the node."""
        return float(self.tree.weight[self.id])

    @property
    def share(self) -> float:
        """Weight of the node as a fraction of the total; with `class_prior`, its probability."""
        return float(self.tree.share[self.id])

    @property
    def impurity(self) -> float:
        """Impurity of the node, before its split."""
        return float(self.tree.impurity[self.id])

    @property
    def risk(self) -> float:
        """Risk R(t) that the node would have as a leaf."""
        return float(self.tree.risk[self.id])

    @property
    def value(self) -> Array:
        """Class probabilities or values of shape (n_outputs, max_classes), as in `Tree.value`."""
        return np.asarray(self.tree.value[self.id])

    @property
    def counts(self) -> Array | None:
        """Weighted class counts as in `Tree.counts`, or None if the task has no classes."""
        return None if self.tree.counts is None else np.asarray(self.tree.counts[self.id])

    @property
    def note(self) -> NodeNote | None:
        """Annotations of the node (name, note, override and growing rules), or None."""
        return (self.tree.notes or {}).get(self.id)

    @property
    def label(self) -> Any:
        """The prediction of the node: a class label or a number; a tuple for several outputs."""
        tree = self.tree
        if not tree.task.has_classes:
            out = tuple(self.value[:, 0].tolist())
        else:
            answer = tree.answer[self.id].reshape(-1).tolist()
            pairs = zip(tree.target.classes, answer, strict=True)
            # Python values print as the user wrote them; numpy scalars do not.
            labels = [classes[index] for classes, index in pairs]
            out = tuple(x.item() if hasattr(x, "item") else x for x in labels)
        return out[0] if len(out) == 1 else out


@dataclass(frozen=True)
class Step:
    """One step of a path: a node, its split and the branch taken.

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
        """Ids of the nodes on the path, from the root to the last node."""
        parent = self.tree.parent
        ids = [self.end]
        while (above := int(parent[ids[-1]])) >= 0:
            ids.append(above)
        return tuple(reversed(ids))

    @property
    def steps(self) -> tuple[Step, ...]:
        """The branches taken, in order from the root."""
        out = []
        nodes = self.nodes
        for node, below in pairwise(nodes):
            split = self.tree.splits.split(node, self.tree.schema)
            assert split is not None  # inner nodes have splits
            out.append(Step(node, split, int(self.tree.branch_index[below])))
        return tuple(out)

    def sentences(self, *, digits: int | None = None) -> tuple[str, ...]:
        """Return the condition of each branch taken as text, in order from the root."""
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
