"""Attachments: named arrays with any number of entries for each node of a tree.

They store data of a node besides its value (a curve, quantiles); the entries of node i are
`values[start[i]:start[i + 1]]`. Collapsing, pruning and edits keep the entries of the remaining
nodes. `ATTACHMENT_KINDS` has a row for each kind that is computed from the rows of a node: `fit`
and `refit_leaves` compute it for all nodes (`routing/attach.py`), and edits for new nodes. Other
attachments are the user's: new nodes have no entries, and `refit_leaves` drops them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Final

import numpy as np

from ceiba.criteria import weighted_quantiles
from ceiba.errors import TreeError
from ceiba.tree.arrays import Array, ArrayRecord, take_ragged
from ceiba.tree.survival_nodes import survival_counts

if TYPE_CHECKING:
    from ceiba.tree.tree import Tree

Attachments = Mapping[str, "Attachment"]


@dataclass(frozen=True, eq=False)
class Attachment(ArrayRecord):
    """A float array attached to the nodes of a tree, with any number of entries per node.

    Parameters
    ----------
    start : int64 array of shape (n_nodes + 1,)
        Entries of node i: `values[start[i]:start[i + 1]]`.
    values : float64 array
        Finite, or NaN.

    Examples
    --------
    >>> from ceiba.tree import Attachment
    >>> Attachment([0, 0, 2, 3], [0.5, 0.25, 1.0]).of(1).tolist()
    [0.5, 0.25]
    """

    start: Array
    values: Array
    _DTYPES: ClassVar = {"start": np.int64, "values": np.float64}

    def of(self, node: int) -> Array:
        """Return the entries of one node."""
        return self.values[self.start[node] : self.start[node + 1]]

    def take(self, nodes: Array) -> Attachment:
        """Return the attachment restricted to the given nodes, in the given order."""
        start, (values,) = take_ragged(self.start, (self.values,), nodes)
        return Attachment(start, values)


def take_attachments(attachments: Attachments | None, nodes: Array) -> Attachments | None:
    """Return attachments restricted to the given nodes, in the given order."""
    if attachments is None:
        return None
    return {name: attachment.take(nodes) for name, attachment in attachments.items()}


def join_attachments(parts: Sequence[tuple[Attachments | None, Array]]) -> Attachments | None:
    """Concatenate the attachments of the given nodes of several trees."""
    names = dict.fromkeys(name for attachments, _ in parts for name in attachments or {})
    by_name = {}
    for name in names:
        entries = [
            attachments[name].take(nodes)
            if attachments is not None and name in attachments
            else Attachment(np.zeros(len(nodes) + 1), np.zeros(0))
            for attachments, nodes in parts
        ]
        by_name[name] = Attachment.concatenate(entries)
    return by_name or None


@dataclass(frozen=True)
class AttachmentKind:
    """Functions that compute one kind of attachment, such as quantiles, from the rows of a node."""

    #: Function of (target, weights, settings) that computes the entries of a node.
    compute: Callable[[Array, Array, Array], Array]
    #: Function that extracts the settings, such as quantile levels, from a node's entries.
    settings: Callable[[Array], Array]


def _level_pairs(target: Array, weight: Array, levels: Array) -> Array:
    """Return the quantiles of a node's rows as a flat array of (level, quantile) pairs."""
    return np.stack([levels, weighted_quantiles(target[:, 0], weight, levels)], axis=1).ravel()


#: The kinds of attachments that can be computed from rows, by name.
ATTACHMENT_KINDS: Final[Mapping[str, AttachmentKind]] = {
    "quantiles": AttachmentKind(_level_pairs, lambda numbers: numbers[::2]),
    "survival": AttachmentKind(survival_counts, lambda numbers: numbers[:0]),
}


def leaf_quantiles(tree: Tree) -> tuple[Array, Array]:
    """Return the quantile levels, and the quantiles as an array of shape (n_nodes, n_levels)."""
    numbers = (tree.attachments or {}).get("quantiles")
    if numbers is None:
        raise TreeError(
            "The tree has no quantiles. Fit a regression tree with leaf_quantiles=(0.1, 0.5, 0.9)."
        )
    sizes = np.diff(numbers.start)
    if not sizes.all():
        raise TreeError(
            f"Node {int(np.argmin(sizes))} has no quantiles. Compute them with refit_leaves(X, y)."
        )
    pairs = numbers.values.reshape(tree.n_nodes, -1, 2)
    return pairs[0, :, 0], np.ascontiguousarray(pairs[:, :, 1])
