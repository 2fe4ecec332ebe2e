"""Rows through a tree: apply, predict, predict_proba, decision_path, rows.

Plain routing runs in `_core.Router`, made once per tree; `missing="fractional"` goes through
`walk.py`. What C++ must not meet (unseen levels under `unseen="error"`, missing values under
`missing="error"`) is refused here, before. The rules themselves: `trace.py`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from ceiba.errors import DataError, TreeError
from ceiba.table import Kind, Table, read_like
from ceiba.tree.arrays import Array
from ceiba.tree.splits import SplitTable
from ceiba.tree.walk import walk

if TYPE_CHECKING:
    from ceiba.table import Column
    from ceiba.tree.tree import Tree

__all__ = [
    "apply",
    "decision_path",
    "make_router",
    "predict",
    "predict_proba",
    "read",
    "refuse",
    "rows",
]

_UNSEEN: Final = {"majority": 0, "missing": 1, "error": 0}


def read(tree: Tree, X: Any) -> Table:
    """Read any container by the tree's schema; columns are matched by name where X has names."""
    if isinstance(X, Table):
        return X
    return read_like(X, tree.schema, match="name")


def apply(tree: Tree, table: Table, *, n_threads: int = 1) -> Array:
    """Give the node each row ends in; with "fractional" the heaviest one."""
    refuse(tree, table)
    if tree.missing != "fractional":
        return np.asarray(tree._router.apply(table.core(), n_threads))
    best = np.zeros(table.n_rows, np.int32)
    heaviest = np.zeros(table.n_rows)
    for visit in walk(tree, table):
        ends, share = visit.rows[visit.ending], visit.share[visit.ending]
        # Shares that are equal on paper differ in the last bits; the first leaf wins then.
        more = share > heaviest[ends] * (1 + 1e-12)
        best[ends[more]] = visit.node
        heaviest[ends[more]] = share[more]
    return best


def predict(tree: Tree, table: Table, *, n_threads: int = 1) -> Array:
    """Predict each row's class (of least expected cost) or value."""
    if tree.missing == "fractional":
        value = _mixed_value(tree, table)
        return answers(tree, value)
    return labels_at(tree, apply(tree, table, n_threads=n_threads))


def predict_proba(tree: Tree, table: Table, *, n_threads: int = 1) -> Array | list[Array]:
    """Give the class probabilities of each row, a list of them for several outputs."""
    if tree.task != "classification":
        raise TreeError("A regression tree has no class probabilities. Use predict.")
    if tree.missing == "fractional":
        value = _mixed_value(tree, table)
    else:
        value = tree.value[apply(tree, table, n_threads=n_threads)]
    sizes = tree.n_classes.tolist()
    if len(sizes) == 1:
        return value[:, 0, :]
    return [value[:, k, :size] for k, size in enumerate(sizes)]


def labels_at(tree: Tree, nodes: Array) -> Array:
    """Give what the given nodes predict: labels or values, 2-d for several outputs."""
    if tree.task == "regression":
        value = tree.value[:, :, 0]
        return value[nodes, 0] if tree.n_outputs == 1 else value[nodes]
    return _labels(tree, tree.answer[nodes])


def answers(tree: Tree, value: Array) -> Array:
    """Turn mixed node values of shape (n, n_outputs, K) into labels or numbers."""
    if tree.task == "regression":
        return value[:, 0, 0] if tree.n_outputs == 1 else value[:, :, 0]
    best = best_class(value, tree.cost_matrix)
    return _labels(tree, best[:, 0] if tree.n_outputs == 1 else best)


def best_class(value: Array, cost_matrix: Array | None) -> Array:
    """Give the class of least expected cost per output, the lowest index on ties."""
    if cost_matrix is None:
        return np.argmax(value, axis=2)
    cost = value @ cost_matrix
    least = cost.min(axis=2, keepdims=True)
    # Sums of products that are equal on paper differ in the last bits.
    return np.asarray(np.argmax(cost <= least + 1e-12 * np.abs(least), axis=2))


def _labels(tree: Tree, answer: Array) -> Array:
    classes = tree.target.classes
    if answer.ndim == 1:
        return np.asarray(classes[0][answer])
    # As in scikit-learn: one array over all outputs, in the type that holds them all.
    columns = [np.asarray(labels)[answer[:, k]] for k, labels in enumerate(classes)]
    return np.stack(columns, axis=1)


def decision_path(tree: Tree, table: Table) -> Any:
    """Give the nodes each row passes through, as a CSR indicator matrix."""
    from scipy.sparse import csr_matrix

    refuse(tree, table)
    if tree.missing == "fractional":
        visits = list(walk(tree, table))
        row = np.concatenate([visit.rows for visit in visits])
        node = np.repeat([visit.node for visit in visits], [len(visit.rows) for visit in visits])
        order = np.lexsort((node, row))
        indices = node[order].astype(np.int32)
        indptr = np.concatenate(([0], np.cumsum(np.bincount(row, minlength=table.n_rows))))
    else:
        indptr, indices = tree._router.decision_path(table.core())
    ones = np.ones(len(indices), np.int64)
    return csr_matrix((ones, indices, indptr), shape=(table.n_rows, tree.n_nodes))


def rows(tree: Tree, node: int, table: Table) -> Array:
    """Give the indices of the rows that pass through a node."""
    if tree.missing == "fractional":
        for visit in walk(tree, table):
            if visit.node == node:
                return np.sort(visit.rows)
        return np.zeros(0, np.int64)
    end = apply(tree, table)
    return np.flatnonzero((end >= node) & (end < tree.subtree_end[node]))


def make_router(tree: Tree) -> Any:
    """Hand the tree's arrays to the compiled router."""
    from ceiba import _core

    splits, stand_ins = tree.splits, tree.surrogates
    if tree.missing == "surrogate" and stand_ins is not None:
        start, surrogate = stand_ins.start, stand_ins.splits
    else:
        start, surrogate = np.zeros(tree.n_nodes + 1, np.int32), SplitTable.none(0)
    return _core.Router(
        branch_start=tree.branch_start,
        branch_node=tree.branch_node,
        kind=splits.kind,
        column=splits.column,
        cut=splits.cut,
        level_start=splits.level_start,
        level_code=splits.level_code,
        level_branch=splits.level_branch,
        default_branch=tree.default_branch,
        majority_branch=tree.majority_branch,
        surrogate_start=start,
        surrogate_kind=surrogate.kind,
        surrogate_column=surrogate.column,
        surrogate_cut=surrogate.cut,
        surrogate_low_branch=surrogate.low_branch,
        surrogate_level_start=surrogate.level_start,
        surrogate_level_code=surrogate.level_code,
        surrogate_level_branch=surrogate.level_branch,
        unseen=_UNSEEN[tree.unseen],
    )


def _mixed_value(tree: Tree, table: Table) -> Array:
    """Average the values of the leaves a row reaches, by its shares."""
    refuse(tree, table)
    mixed = np.zeros((table.n_rows, *tree.value.shape[1:]))
    for visit in walk(tree, table):
        ends, share = visit.rows[visit.ending], visit.share[visit.ending]
        mixed[ends] += share[:, None, None] * tree.value[visit.node]
    return mixed


def refuse(tree: Tree, table: Table) -> None:
    """Raise on what the tree's rules call an error, in the columns it asks about."""
    if tree.missing != "error" and tree.unseen != "error":
        return
    for j in tree.used_columns.tolist():
        column = table.columns[j]
        if tree.missing == "error":
            _refuse_missing(column)
        if tree.unseen == "error" and column.info.kind != Kind.NUMERIC:
            _refuse_unseen(column)


def _refuse_missing(column: Column) -> None:
    numeric = column.info.kind == Kind.NUMERIC
    missing = np.isnan(column.values) if numeric else column.values == -1
    if missing.any():
        raise DataError(
            f"Column {column.info.name!r}: {np.count_nonzero(missing)} values are missing (first "
            f"in row {int(np.argmax(missing))}), and this tree was made with missing='error'. "
            "Fill them in, or fit with missing='learn'."
        )


def _refuse_unseen(column: Column) -> None:
    unseen = column.values >= len(column.info.levels)
    if unseen.any():
        raise DataError(
            f"Column {column.info.name!r}: the level in row {int(np.argmax(unseen))} was not seen "
            f"when fitting ({len(column.info.levels)} levels). Pass unseen='majority' or refit."
        )
