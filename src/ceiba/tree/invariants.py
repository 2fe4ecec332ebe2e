"""Every rule a Tree keeps, checked one by one.

`check(tree)` is called by whatever makes trees from outside (hand-written literals, loaders,
converters); the grower keeps these rules by construction. Each rule raises `TreeError` with the
place, what was found and what is allowed. Rules are ordered so that each may rely on those before.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from ceiba.errors import TreeError
from ceiba.table import Kind
from ceiba.tree.splits.split_table import SplitKind, SplitTable
from ceiba.tree.splits.tests import TEST_FIGURES

if TYPE_CHECKING:
    from ceiba.table import Schema
    from ceiba.tree.arrays import Array
    from ceiba.tree.tree import Tree

__all__ = ["check"]

_MISSING = ("learn", "majority", "surrogate", "fractional", "error")
_UNSEEN = ("majority", "missing", "error")
_TIMES = ("date", "datetime", "duration")


def check(tree: Tree, *, content: bool = True) -> None:
    """Check every structural rule of a tree; with `content`, also its weights and values.

    Raises
    ------
    TreeError
        Naming the first rule that is broken, and where.

    Examples
    --------
    >>> import ceiba
    >>> ceiba.tree.check(ceiba.tree.build(("x <= 2.5", "a", "b")))
    """
    _check_lengths(tree)
    _check_shape(tree)
    _check_splits(tree)
    _check_options(tree)
    if content:
        _check_default(tree)
        _check_content(tree)
        _check_values(tree)
    _check_extra(tree, "surrogates", tree.surrogates)
    _check_extra(tree, "competitors", tree.competitors)
    _check_tests(tree)


def _fail(where: str, got: str, allowed: str) -> NoReturn:
    raise TreeError(f"Broken tree, {where}: {got}. {allowed}")


def _first(bad: Any) -> int | None:
    return int(np.argmax(bad)) if bad.any() else None


def _check_lengths(tree: Tree) -> None:
    n = len(tree.parent)
    if n == 0:
        _fail("parent", "no nodes", "A tree has at least its root.")
    expected: dict[str, int] = {"branch_start": n + 1, "branch_node": n - 1} | dict.fromkeys(
        ("default_branch", "n_rows", "weight", "impurity", "gain", "risk", "sent_default", "value"),
        n,
    )
    for name, length in expected.items():
        got = len(getattr(tree, name))
        if got != length:
            _fail(name, f"length {got}", f"{n} nodes need {length}.")
    if len(tree.splits) != n:
        _fail("splits", f"{len(tree.splits)} rows", f"{n} nodes need {n}.")
    if tree.value.ndim != 3:
        _fail("value", f"{tree.value.ndim} dimensions", "Needs (n_nodes, n_outputs, max_classes).")


def _check_shape(tree: Tree) -> None:
    n = len(tree.parent)
    if tree.parent[0] != -1:
        _fail("node 0", f"parent {tree.parent[0]}", "The root is node 0, its parent is -1.")
    ids = np.arange(1, n)
    bad = _first((tree.parent[1:] < 0) | (tree.parent[1:] >= ids))
    if bad is not None:
        _fail(
            f"node {bad + 1}",
            f"parent {tree.parent[bad + 1]}",
            "Nodes are numbered in pre-order: 0 <= parent < node.",
        )
    count = np.bincount(tree.parent[1:], minlength=n) if n > 1 else np.zeros(n, np.int64)
    if tree.branch_start[0] != 0 or np.any(np.diff(tree.branch_start) != count):
        where = _first(np.diff(tree.branch_start) != count)
        _fail(
            f"branch_start of node {where or 0}",
            "does not fit the parents",
            "branch_start[i + 1] - branch_start[i] is the number of nodes whose parent is i.",
        )
    single = _first(count == 1)
    if single is not None:
        _fail(f"node {single}", "one branch", "An inner node has two or more.")
    if sorted(tree.branch_node.tolist()) != list(range(1, n)):
        _fail("branch_node", "not every node once", "Each node but the root is one branch.")
    owner = np.repeat(np.arange(n), count)
    bad = _first(tree.parent[tree.branch_node] != owner)
    if bad is not None:
        node = int(tree.branch_node[bad])
        _fail(
            f"branch {bad}",
            f"node {node} listed under node {owner[bad]}",
            f"Its parent is {tree.parent[node]}.",
        )
    # Pre-order: the first branch follows its node, each further one the end of the one before.
    previous_end = np.empty(n - 1, np.int64)
    first = np.zeros(n - 1, bool)
    first[tree.branch_start[:-1][count > 0]] = True
    previous_end[first] = owner[first] + 1
    later = np.flatnonzero(~first)
    previous_end[later] = tree.subtree_end[tree.branch_node[later - 1]]
    bad = _first(tree.branch_node != previous_end)
    if bad is not None:
        _fail(
            f"node {int(tree.branch_node[bad])}",
            f"is a branch of node {owner[bad]} but out of order",
            f"In pre-order this branch is node {previous_end[bad]}.",
        )


def _check_splits(tree: Tree) -> None:
    splits, schema = tree.splits, tree.schema
    bad = _first((splits.kind == SplitKind.NONE) != tree.is_leaf)
    if bad is not None:
        what = "branches but no split" if splits.kind[bad] == 0 else "a split but no branches"
        _fail(f"node {bad}", what, "A node has a split exactly if it has branches.")
    _check_split_rows(splits, schema, tree.n_branches, "node")
    bad = _first(splits.low_branch != 0)
    if bad is not None:
        _fail(f"node {bad}", f"low_branch {splits.low_branch[bad]}", "A primary split has 0.")


def _check_split_rows(splits: SplitTable, schema: Schema, n_branches: Array, place: str) -> None:
    """Check the rows of a split table against the schema and the branches they lead to."""
    m = len(splits)
    lengths = np.diff(splits.level_start)
    if len(splits.level_start) != m + 1 or splits.level_start[0] != 0 or np.any(lengths < 0):
        _fail("level_start", "not ascending from 0", "It holds m + 1 offsets into level_code.")
    if not len(splits.level_code) == len(splits.level_branch) == splits.level_start[-1]:
        _fail("level_code", f"length {len(splits.level_code)}", "level_start ends elsewhere.")
    asks = splits.kind != SplitKind.NONE
    bad = _first(~np.isin(splits.kind, [int(kind) for kind in SplitKind]))
    if bad is not None:
        _fail(f"{place} {bad}", f"split kind {splits.kind[bad]}", "Known kinds are 0 to 3.")
    bad = _first(asks & ((splits.column < 0) | (splits.column >= len(schema.columns))))
    if bad is not None:
        _fail(
            f"{place} {bad}",
            f"column {splits.column[bad]}",
            f"The schema has {len(schema.columns)} columns.",
        )
    bad = _first(~asks & (splits.column != -1))
    if bad is not None:
        _fail(f"{place} {bad}", f"column {splits.column[bad]}", "A leaf asks no column: -1.")
    kinds = np.array([str(info.kind) for info in schema.columns] or [""])
    kind_of = np.where(asks, kinds[np.where(asks, splits.column, 0)], "")
    cut = splits.kind == SplitKind.CUT
    bad = _first(cut & ~np.isfinite(splits.cut))
    if bad is not None:
        _fail(f"{place} {bad}", f"cut {splits.cut[bad]}", "A cut is a finite number.")
    timed = np.array([info.display in _TIMES for info in schema.columns] or [False])
    far = np.abs(np.where(cut, splits.cut, 0.0)) >= 2.0**63
    bad = _first(far & timed[np.where(asks, splits.column, 0)])
    if bad is not None:
        _fail(f"{place} {bad}", f"the time {splits.cut[bad]:g} s", "Times lie within 2**63 s.")
    bad = _first(cut & (kind_of == str(Kind.CATEGORICAL)))
    if bad is not None:
        name = schema.columns[splits.column[bad]].name
        _fail(f"{place} {bad}", f"a cut on the categorical column {name!r}", "Use levels.")
    level = splits.kind == SplitKind.LEVELS
    bad = _first(level & (kind_of == str(Kind.NUMERIC)))
    if bad is not None:
        name = schema.columns[splits.column[bad]].name
        _fail(f"{place} {bad}", f"levels on the numeric column {name!r}", "Use a cut.")
    bad = _first((cut | (splits.kind == SplitKind.PRESENCE)) & (n_branches != 2))
    if bad is not None:
        _fail(f"{place} {bad}", f"{n_branches[bad]} branches", "A cut has two.")
    _check_level_maps(splits, schema, n_branches, place)


def _check_level_maps(splits: SplitTable, schema: Schema, n_branches: Array, place: str) -> None:
    for i in np.flatnonzero(splits.kind == SplitKind.LEVELS).tolist():
        codes, branches = splits.level_map(i)
        info = schema.columns[int(splits.column[i])]
        if np.any(np.diff(codes) <= 0):
            _fail(f"{place} {i}", "level codes not ascending", "Each level is listed once.")
        if len(codes) and not (codes[0] >= 0 and codes[-1] < len(info.levels)):
            _fail(
                f"{place} {i}",
                f"level code {codes[-1]} of column {info.name!r}",
                f"It has {len(info.levels)} levels.",
            )
        used, n = set(branches.tolist()), int(n_branches[i])
        inside = not used or (min(used) >= 0 and max(used) < n)
        # A surrogate need not know a level for every branch of a multiway split.
        if not inside or (place == "node" and len(used) != n):
            _fail(
                f"{place} {i}",
                f"levels lead to branches {_some(sorted(used))}",
                f"Each of the {n} branches needs a level.",
            )


def _some(values: list[int], limit: int = 10) -> str:
    return f"{values[:limit]}" if len(values) <= limit else f"{values[:limit]} and others"


def _check_options(tree: Tree) -> None:
    if tree.schema.target is None:
        _fail("schema", "no target", "A tree's schema says what it predicts.")
    if tree.missing not in _MISSING:
        _fail("missing", repr(tree.missing), f"Allowed: {', '.join(_MISSING)}.")
    if tree.unseen not in _UNSEEN:
        _fail("unseen", repr(tree.unseen), f"Allowed: {', '.join(_UNSEEN)}.")
    n_outputs, n_classes = tree.target.n_outputs, tree.max_n_classes
    if tree.value.shape[1:] != (n_outputs, n_classes):
        _fail(
            "value",
            f"shape {tree.value.shape}",
            f"{n_outputs} outputs of at most {n_classes} classes need "
            f"({tree.n_nodes}, {n_outputs}, {n_classes}).",
        )
    if tree.counts is not None and tree.counts.shape != tree.value.shape:
        _fail("counts", f"shape {tree.counts.shape}", f"Needs {tree.value.shape}, as value.")
    if tree.cost_matrix is not None and tree.cost_matrix.shape != (n_classes, n_classes):
        _fail("cost_matrix", f"shape {tree.cost_matrix.shape}", f"Needs {n_classes} x {n_classes}.")
    if tree.class_prior is not None and tree.class_prior.shape != (n_classes,):
        _fail("class_prior", f"shape {tree.class_prior.shape}", f"Needs {n_classes} numbers.")


def _check_default(tree: Tree) -> None:
    bad = _first(
        (tree.default_branch < -1) | (tree.default_branch >= np.maximum(tree.n_branches, 0))
    )
    if bad is not None and tree.default_branch[bad] != -1:
        _fail(
            f"node {bad}",
            f"default branch {tree.default_branch[bad]}",
            f"The node has {tree.n_branches[bad]} branches; -1 means that rows stay.",
        )


def _check_content(tree: Tree) -> None:
    for name in ("n_rows", "weight", "sent_default"):
        array = getattr(tree, name)
        bad = _first(~(np.isfinite(array) & (array >= 0)))
        if bad is not None:
            _fail(f"node {bad}", f"{name} {array[bad]}", "It is finite and not negative.")
    if tree.missing == "fractional":
        return  # a row may be in several branches
    for name, slack in (("n_rows", 0.0), ("weight", 1e-9)):
        array = getattr(tree, name).astype(np.float64)
        owner = tree.parent[tree.branch_node]
        below = np.bincount(owner, weights=array[tree.branch_node], minlength=tree.n_nodes)
        bad = _first(below > array * (1 + slack))
        if bad is not None:
            _fail(
                f"node {bad}",
                f"{name} {array[bad]:g}, in its branches {below[bad]:g}",
                "The branches together hold no more than the node.",
            )


def _check_values(tree: Tree) -> None:
    bad = _first(~np.isfinite(tree.value).all(axis=(1, 2)))
    if bad is not None:
        _fail(f"node {bad}", f"value {tree.value[bad].tolist()}", "Values are finite.")
    if tree.task == "regression":
        if tree.counts is not None:
            _fail("counts", "given", "A regression tree has no class counts.")
        return
    total = tree.value.sum(axis=2)
    bad = _first(((tree.value < 0).any(axis=2) | (np.abs(total - 1) > 1e-6)).any(axis=1))
    if bad is not None:
        _fail(
            f"node {bad}",
            f"class probabilities {tree.value[bad].tolist()}",
            "They are not negative and sum to 1.",
        )
    for k, size in enumerate(tree.n_classes.tolist()):
        if np.any(tree.value[:, k, size:] != 0):
            _fail(f"value of output {k}", "probability beyond its classes", f"It has {size}.")
    if tree.counts is not None:
        bad = _first((tree.counts < 0).any(axis=(1, 2)))
        if bad is not None:
            _fail(f"node {bad}", f"counts {tree.counts[bad].tolist()}", "Not negative.")


def _check_extra(tree: Tree, name: str, extra: Any) -> None:
    if extra is None:
        return
    start, splits = extra.start, extra.splits
    if len(start) != tree.n_nodes + 1 or start[0] != 0 or np.any(np.diff(start) < 0):
        _fail(f"{name}.start", "not n_nodes + 1 ascending offsets", "Node i has start[i:i + 2].")
    if start[-1] != len(splits):
        _fail(f"{name}.start", f"ends at {start[-1]}", f"There are {len(splits)} splits.")
    owner = np.repeat(np.arange(tree.n_nodes), np.diff(start))
    bad = _first(tree.is_leaf[owner])
    if bad is not None:
        _fail(f"node {owner[bad]}", f"a leaf with {name}", "Only inner nodes have them.")
    bad = _first(splits.kind == SplitKind.NONE)
    if bad is not None:
        _fail(f"{name.removesuffix('s')} {bad}", "no split", "Each entry is a split.")
    if name == "surrogates":
        n_branches = tree.n_branches[owner]
    else:
        n_branches = _branches_of_competitors(splits)
    _check_split_rows(splits, tree.schema, n_branches, name.removesuffix("s"))


def _branches_of_competitors(splits: SplitTable) -> Array:
    """Count the branches of each: two, or one after the last that a level leads to."""
    n_branches = np.full(len(splits), 2, np.int64)
    for k in np.flatnonzero(splits.kind == SplitKind.LEVELS).tolist():
        branches = splits.level_map(k)[1]
        last = int(branches.max(initial=0))
        if last >= max(2, len(branches)):
            _fail(
                f"competitor {k}",
                f"{len(branches)} levels lead to branch {last}",
                "Each branch before the last has a level, too.",
            )
        n_branches[k] = last + 1
    return n_branches


def _check_tests(tree: Tree) -> None:
    tests = tree.tests
    if tests is None:
        return
    for name in (*TEST_FIGURES, "continues"):
        if len(getattr(tests, name)) != tree.n_nodes:
            _fail(
                f"tests.{name}",
                f"length {len(getattr(tests, name))}",
                f"{tree.n_nodes} nodes need {tree.n_nodes}.",
            )
    known = ~np.isnan(tests.p_value)
    bad = _first(known & ((tests.p_value < 0) | (tests.p_value > 1)))
    if bad is not None:
        _fail(f"tests of node {bad}", f"p-value {tests.p_value[bad]}", "Needs 0 to 1.")
    bad = _first(tree.is_leaf & (known | tests.continues))
    if bad is not None:
        _fail(f"tests of node {bad}", "a leaf with a test", "Only splits are tested.")
    bad = _first(tests.continues & (tree.parent < 0))
    if bad is not None:
        _fail(f"tests of node {bad}", "the root continues a test", "Only nodes below others do.")
