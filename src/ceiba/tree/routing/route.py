"""Route the rows of a table: apply, predict, predict_proba, decision_path and rows.

`_core.Router`, which is built once per tree, routes the rows by the rules of `trace.py`. With
`missing="fractional"` a row may reach several leaves, whose values are averaged by its shares.
Unseen levels (`unseen="error"`) and missing values (`missing="error"`) are rejected before routing.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from ceiba import _core
from ceiba.errors import DataError, TreeError
from ceiba.table import Table, read_like
from ceiba.tree.arrays import Array

if TYPE_CHECKING:
    from ceiba.tree.splits.split_table import SplitTable
    from ceiba.tree.tree import Tree


def read(tree: Tree, X: Any) -> Table:
    """Read a table with the tree's schema, and match its columns by name if X has names."""
    if isinstance(X, Table):
        return X
    unseen: Literal["error", "keep"] = "error" if tree.unseen == "error" else "keep"
    return read_like(X, tree.schema, match="name", unseen=unseen)


# ---------------------------------------------------------------------- where rows end


def apply(tree: Tree, table: Table, *, n_threads: int = 1) -> Array:
    """Return the node in which each row ends; for divided rows, the leaf with the largest share."""
    if not table.is_whole:
        return np.asarray(_map_pieces(apply, tree, table, n_threads))
    check_rows(tree, table)
    if tree.missing == "fractional":
        end = _heaviest(*spread(tree, table))
    else:
        end = tree._router.apply(table.core(), n_threads)
    if tree.unseen == "default":  # the root predicts rows with an unseen level
        end = np.where(_goes_to_root(tree, table), 0, end).astype(np.int32)
    return end


def _map_pieces(answer: Callable[..., Any], tree: Tree, table: Table, n_threads: int) -> Any:
    """Call `answer` for each piece of a table and concatenate the results."""
    parts = [answer(tree, piece, n_threads=n_threads) for piece in table.pieces()]
    if isinstance(parts[0], list):
        return [np.concatenate(outputs) for outputs in zip(*parts, strict=True)]
    return np.concatenate(parts)


def _goes_to_root(tree: Tree, table: Table) -> Array:
    """Return a mask of rows that the root predicts because of an unseen level."""
    from ceiba.tree.routing.branches import visit_nodes

    to_root = np.zeros(table.n_rows, bool)
    for visit in visit_nodes(tree, table, np.arange(table.n_rows)):
        to_root[visit.to_root] = True
    return to_root


def decision_path(tree: Tree, table: Table) -> Any:
    """Return the nodes that each row passes through, as a CSR indicator matrix."""
    from scipy.sparse import csr_matrix

    if tree.missing == "fractional":
        check_rows(tree, table)
        start, node, _ = spread(tree, table)
        passed, nodes = _core.node_paths(tree.parent, node)
        row = np.repeat(np.repeat(np.arange(table.n_rows), np.diff(start)), np.diff(passed))
        # Paths to several leaves share nodes, so remove duplicate nodes.
        cell = np.unique(row * tree.n_nodes + nodes)
        indices = cell % tree.n_nodes
        count = np.bincount(cell // tree.n_nodes, minlength=table.n_rows)
        indptr = np.concatenate(([0], np.cumsum(count)))
    else:
        indptr, indices = _core.node_paths(tree.parent, apply(tree, table))
    ones = np.ones(len(indices), np.int64)
    return csr_matrix((ones, indices, indptr), shape=(table.n_rows, tree.n_nodes))


def rows(tree: Tree, node: int, table: Table) -> Array:
    """Return the indices of the rows that pass through a node."""
    if tree.missing == "fractional":
        check_rows(tree, table)
        start, leaf_ids, _ = spread(tree, table)
        inside = (leaf_ids >= node) & (leaf_ids < tree.subtree_end[node])
        return np.unique(np.repeat(np.arange(table.n_rows), np.diff(start))[inside])
    end = apply(tree, table)
    return np.flatnonzero((end >= node) & (end < tree.subtree_end[node]))


# ---------------------------------------------------------------------- rows in several leaves


def spread(tree: Tree, table: Table) -> tuple[Array, Array, Array]:
    """Return, in CSR form, the leaves that each row reaches and its fraction in each leaf."""
    start, node, share, _ = tree._router.spread(table.core())
    return start, node, share


def _heaviest(start: Array, node: Array, share: Array) -> Array:
    """Return the leaf that holds the largest fraction of each row, the first on ties."""
    if len(start) == 1:
        return np.zeros(0, np.int32)
    maximum = np.repeat(np.maximum.reduceat(share, start[:-1]), np.diff(start))
    row = np.repeat(np.arange(len(start) - 1), np.diff(start))
    # Fractions that are equal in theory may differ by a rounding error.
    best = np.flatnonzero(share >= maximum * (1 - 1e-12))
    first = best[np.unique(row[best], return_index=True)[1]]
    return np.asarray(node[first], np.int32)


def _average(tree: Tree, values: Array, table: Table) -> Array:
    """Return the mean value of the leaves that each row reaches, weighted by its fractions."""
    check_rows(tree, table)
    start, node, share = spread(tree, table)
    if len(start) == 1:
        return np.zeros((0, *values.shape[1:]))
    shares = share.reshape(-1, *[1] * (values.ndim - 1))
    value = np.add.reduceat(shares * values[node], start[:-1], axis=0)
    if tree.unseen == "default":
        value[_goes_to_root(tree, table)] = values[0]
    return np.asarray(value)


# ---------------------------------------------------------------------- predictions


def predict(tree: Tree, table: Table, *, n_threads: int = 1) -> Array:
    """Predict each row's class (of least expected cost) or value."""
    if not table.is_whole:
        return np.asarray(_map_pieces(predict, tree, table, n_threads))
    if tree.missing != "fractional":
        return _gather(tree, tree._label_table, table, n_threads)
    return label_table(tree, _average(tree, tree.value, table))


def node_numbers(tree: Tree, table: Table, *, values: Array, n_threads: int = 1) -> Array:
    """Return the entry of `values` for each row, averaged over leaves if the row is divided."""
    if not table.is_whole:
        pick = partial(node_numbers, values=values)
        return np.asarray(_map_pieces(pick, tree, table, n_threads))
    if tree.missing == "fractional":
        return _average(tree, values, table)
    return _gather(tree, values, table, n_threads)


def _gather(tree: Tree, values: Array, table: Table, n_threads: int) -> Array:
    """Gather the entries of `values` for the nodes in which the rows end."""
    if values.dtype not in _GATHER_DTYPES or tree.unseen == "default":
        return np.asarray(values[apply(tree, table, n_threads=n_threads)])
    check_rows(tree, table)
    flat: Array = tree._router.gather(table.core(), values.reshape(len(values), -1), n_threads)
    return flat.reshape(-1, *values.shape[1:])


# For these dtypes, the threads that route the rows also write the values in the same pass.
_GATHER_DTYPES = (np.dtype(np.float64), np.dtype(np.int64))


def predict_proba(tree: Tree, table: Table, *, n_threads: int = 1) -> Array | list[Array]:
    """Return the class probabilities of each row, or a list of arrays for several outputs."""
    if not tree.task.has_classes:
        raise TreeError(f"A {tree.task} tree has no class probabilities. Use predict.")
    if not table.is_whole:
        shares: Array | list[Array] = _map_pieces(predict_proba, tree, table, n_threads)
        return shares
    value = node_numbers(tree, table, values=tree.value, n_threads=n_threads)
    if tree.n_outputs == 1:
        return np.asarray(value[:, 0, :])
    return [value[:, k, :size] for k, size in enumerate(tree.n_classes.tolist())]


def label_table(tree: Tree, value: Array, *, of_nodes: bool = False) -> Array:
    """Convert values of shape (n, n_outputs, n_classes) to labels or numbers."""
    single = tree.n_outputs == 1
    if not tree.task.has_classes:
        return np.ascontiguousarray(value[:, 0, 0] if single else value[:, :, 0])
    best = tree.answer.reshape(len(value), -1) if of_nodes else best_class(value, tree.cost_matrix)
    # As in scikit-learn, all outputs are in one array of a common type.
    columns = [classes[best[:, k]] for k, classes in enumerate(tree.target.classes)]
    return np.asarray(columns[0]) if single else np.stack(columns, axis=1)


def best_class(value: Array, cost_matrix: Array | None) -> Array:
    """Return the class of least expected cost per output, the lowest index on ties."""
    # Tolerate rounding errors in ties, which occur under priors and costs.
    if cost_matrix is None:
        maximum = value.max(axis=2, keepdims=True)
        return np.asarray(np.argmax(value >= maximum - 1e-12 * np.abs(maximum), axis=2))
    cost = value @ cost_matrix
    minimum = cost.min(axis=2, keepdims=True)
    return np.asarray(np.argmax(cost <= minimum + 1e-12 * np.abs(minimum), axis=2))


# ---------------------------------------------------------------------- the compiled router


def make_router(tree: Tree) -> Any:
    """Return the compiled router of a tree."""
    grown, fractional = tree.__dict__.get("_grown"), tree.missing == "fractional"
    if grown is not None and not (grown.rules.surrogates or (fractional and grown.weight_exponent)):
        # Use the core's arrays, because deriving the node arrays takes longer than a small fit.
        return _core.Router.of_grown(grown.arrays, tree.unseen == "missing", fractional)
    surrogates = tree.active_surrogates
    return _core.Router(
        tree.branch_start,
        tree.branch_node,
        _router_arrays(tree.splits),
        tree.default_branch,
        tree.majority_branch,
        surrogate_start=None if surrogates is None else surrogates.start,
        surrogates=None if surrogates is None else _router_arrays(surrogates.splits),
        unseen_is_missing=tree.unseen == "missing",
        branch_share=tree.branch_share if fractional else None,
    )


def single_row_router(tree: Tree) -> Callable[[Any], int]:
    """Return a function that routes a one-row float matrix, or returns -1 if it cannot."""
    schema = tree.schema
    if not schema.is_matrix or schema.named or tree.unseen == "default":
        return lambda X: -1
    if tree.missing in ("fractional", "error"):
        return lambda X: -1
    return partial(tree._router.end_of_only_row, schema.n_columns)


def _router_arrays(splits: SplitTable) -> dict[str, Array]:
    names = ("kind", "column", "cut", "low_branch", "level_start", "level_code", "level_branch")
    intervals = {"cut_start": splits.interval_start, "cuts": splits.interval_cut}
    return {name: getattr(splits, name) for name in names} | intervals


def check_rows(tree: Tree, table: Table) -> None:
    """Raise an error for missing values or unseen levels that the tree does not allow."""
    if tree.missing != "error" and tree.unseen != "error":
        return
    for j in tree.used_features.tolist():
        column = table.columns[j]
        if tree.missing == "error" and (missing := column.missing).any():
            raise DataError(
                f"Column {column.name!r}: values are missing in {np.count_nonzero(missing)} of "
                f"{len(missing)} rows (first: row {int(np.argmax(missing))}), which "
                "missing='error' does not allow. Impute them, or fit with missing='learn'."
            )
        if tree.unseen == "error" and (unseen := column.unseen).any():
            raise DataError(
                f"Column {column.name!r}: the level in row {int(np.argmax(unseen))} was not seen "
                f"in fit ({column.info.n_levels} levels). Fit with unseen='majority'."
            )
