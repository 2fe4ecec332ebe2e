"""Numbers attached to nodes: named arrays with any number of entries per node.

Anything a leaf has beyond its value (a curve, quantiles) is stored flat: the numbers of node i are
`values[start[i]:start[i + 1]]`. Collapsing, pruning and edits keep the numbers of the remaining
nodes; regrown nodes have none. `refit_leaves` drops them, because they derive from the old rows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ceiba.tree.arrays import Array, ArrayRecord, take_ragged

Attachments = Mapping[str, "Attachment"]


@dataclass(frozen=True, eq=False)
class Attachment(ArrayRecord):
    """Numbers attached to the nodes of a tree.

    Parameters
    ----------
    start : int64 array of shape (n_nodes + 1,)
        Numbers of node i: `values[start[i]:start[i + 1]]`.
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
        """Return the numbers of one node."""
        return self.values[self.start[node] : self.start[node + 1]]

    def take(self, nodes: Array) -> Attachment:
        """Return the numbers of some nodes, in their order."""
        start, (values,) = take_ragged(self.start, (self.values,), nodes)
        return Attachment(start, values)


def take_attachments(attachments: Attachments | None, nodes: Array) -> Attachments | None:
    """Return the attachments of some nodes, in their order."""
    if attachments is None:
        return None
    return {name: attachment.take(nodes) for name, attachment in attachments.items()}


def join_attachments(
    parts: Sequence[tuple[Attachments | None, Array]],
) -> Attachments | None:
    """Concatenate the attachments of nodes of several trees."""
    names = dict.fromkeys(name for attachments, _ in parts for name in attachments or {})
    joined = {}
    for name in names:
        taken = [
            attachments[name].take(nodes)
            if attachments is not None and name in attachments
            else Attachment(np.zeros(len(nodes) + 1), np.zeros(0))
            for attachments, nodes in parts
        ]
        joined[name] = Attachment.concatenate(taken)
    return joined or None
