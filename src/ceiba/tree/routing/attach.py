"""Compute node attachments (quantiles, Kaplan-Meier counts) from training rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from ceiba.table import Table
from ceiba.tree.arrays import Array
from ceiba.tree.attachments import ATTACHMENT_KINDS, Attachment
from ceiba.tree.routing.row_ends import RowEnds, find_row_ends, slice_rows
from ceiba.tree.survival_nodes import censoring_counts

if TYPE_CHECKING:
    from ceiba.tree.tree import Tree


def computed_attachments(tree: Tree) -> dict[str, Attachment] | None:
    """Return the attachments of a tree that are computed from rows, by name."""
    named = (tree.attachments or {}).items()
    return {name: numbers for name, numbers in named if name in ATTACHMENT_KINDS} or None


def attachment_settings(tree: Tree) -> dict[str, Array]:
    """Return the settings of a tree's computed attachments (quantile levels), by name."""
    settings = {}
    for name, numbers in (computed_attachments(tree) or {}).items():
        node = int(np.argmax(np.diff(numbers.start)))  # a node that has entries
        settings[name] = ATTACHMENT_KINDS[name].settings(numbers.of(node))
    return settings


def attach(
    tree: Tree, table: Table, target: Array, weight: Array, settings: Mapping[str, Array]
) -> Tree:
    """Compute attachments from a table for nodes that have none, such as nodes added by an edit."""
    if not settings:
        return tree
    return attach_rows(tree, target, find_row_ends(tree, table, weight), settings)


def attach_rows(tree: Tree, target: Array, ends: RowEnds, settings: Mapping[str, Array]) -> Tree:
    """Compute attachments from the rows in `ends` for nodes that have none; return the tree."""
    attachments = dict(tree.attachments or {})
    for name, setting in settings.items():
        old, kind = attachments.get(name), ATTACHMENT_KINDS[name]
        numbers = [np.zeros(0) if old is None else old.of(i) for i in range(tree.n_nodes)]
        for node, rows in slice_rows(tree, ends):
            if not len(numbers[node]) and len(rows):
                numbers[node] = kind.compute(target[ends.row[rows]], ends.weight[rows], setting)
        for node, above in enumerate(tree.parent.tolist()):  # nodes without rows copy their parent
            if above >= 0 and not len(numbers[node]):
                numbers[node] = numbers[above]
        start = np.cumsum([0, *map(len, numbers)])
        attachments[name] = Attachment(start, np.concatenate(numbers))
    return replace(tree, attachments=attachments or None)


def attach_survival(tree: Tree, target: Array, ends: RowEnds, *, censoring: bool = True) -> Tree:
    """Add Kaplan-Meier counts to each node; `censoring` also adds the counts of censoring times."""
    tree = attach_rows(tree, target, ends, {"survival": np.zeros(0)})
    if not censoring:
        return tree
    has_weight = ends.weight > 0
    numbers = censoring_counts(target[ends.row[has_weight]], ends.weight[has_weight])
    root = Attachment(np.array([0] + [len(numbers)] * tree.n_nodes), numbers)
    return replace(tree, attachments={**(tree.attachments or {}), "censoring": root})
