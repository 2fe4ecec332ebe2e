"""Check the invariants of trees that were not grown, such as trees from model files.

The order matters: each check relies on those before it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from ceiba.errors import TreeError
from ceiba.table import Kind, Schema
from ceiba.tree.splits.split_table import SplitKind, SplitTable
from ceiba.tree.splits.tests import TEST_FIGURES, SplitTests

if TYPE_CHECKING:
    from ceiba.tree.arrays import Array
    from ceiba.tree.tree import Tree

_MISSING = ("learn", "majority", "surrogate", "fractional", "error")
_UNSEEN = ("majority", "missing", "error", "default")
_TIMES = ("date", "datetime", "duration")


def check(tree: Tree, *, content: bool = True) -> None:
    """Check the structure of a tree and, with `content`, its weights and values.

    Raises
    ------
    TreeError
        Naming the first violation and its position.

    Examples
    --------
    >>> import ceiba
    >>> ceiba.tree.check(ceiba.tree.build(("x <= 2.5", "a", "b")))
    """
    _check_lengths(tree)
    _check_shape(tree)
    splits, low = tree.splits, tree.splits.low_branch
    _fail_where(
        (splits.kind == SplitKind.NONE) != tree.is_leaf,
        "node",
        lambda i: "branches but no split" if splits.kind[i] == 0 else "a split but no branches",
        "A node must have a split if and only if it has branches.",
    )
    _check_split_rows(splits, tree.schema, tree.n_branches, "node")
    _fail_where(low != 0, "node", lambda i: f"low_branch {low[i]}", "Must be 0 for primary splits.")
    _check_options(tree)
    if content:
        _check_content(tree)
        check_values(tree)
    for name in ("surrogates", "competitors"):
        if getattr(tree, name) is not None:
            _check_splits_by_node(tree, name, getattr(tree, name))
    if tree.tests is not None:
        _check_tests(tree, tree.tests)
    for name, attachment in (tree.attachments or {}).items():
        label = f"attachments[{name!r}]"
        _check_offsets(label, attachment.start, tree.n_nodes, len(attachment.values))
        if np.isinf(attachment.values).any():
            _fail(label, "an infinite number", "Values must be finite or NaN.")


def _fail(label: str, got: str, allowed: str) -> NoReturn:
    raise TreeError(f"Invalid tree, {label}: {got}. {allowed}")


def _fail_where(
    bad: Any, role: str, got: Callable[[int], str] | str, allowed: Callable[[int], str] | str
) -> None:
    """Raise an error for the first True entry of a mask, if any."""
    if bad.any():
        i = int(np.argmax(bad))
        problem, rule = (text if isinstance(text, str) else text(i) for text in (got, allowed))
        _fail(f"{role} {i}", problem, rule)


def _check_lengths(tree: Tree) -> None:
    n = len(tree.parent)
    if n == 0:
        _fail("parent", "no nodes", "A tree must have at least one node.")
    expected: dict[str, int] = {"branch_start": n + 1, "branch_node": n - 1} | dict.fromkeys(
        ("default_branch", "n_rows", "weight", "impurity", "gain", "risk", "sent_default", "value"),
        n,
    )
    for name, length in expected.items():
        got = len(getattr(tree, name))
        if got != length:
            _fail(name, f"length {got}", f"Must be {length} for {n} nodes.")
    if len(tree.splits) != n:
        _fail("splits", f"{len(tree.splits)} rows", f"Must be {n} rows.")
    if tree.value.ndim != 3:
        _fail(
            "value", f"{tree.value.ndim} dimensions", "Must be (n_nodes, n_outputs, max_classes)."
        )


def _check_shape(tree: Tree) -> None:
    n = len(tree.parent)
    if tree.parent[0] != -1:
        _fail("node 0", f"parent {tree.parent[0]}", "The root must be node 0 with parent -1.")
    ids = np.arange(n)
    wrong = (ids > 0) & ((tree.parent < 0) | (tree.parent >= ids))
    order = "Nodes must be in pre-order: 0 <= parent < node."
    _fail_where(wrong, "node", lambda i: f"parent {tree.parent[i]}", order)
    count = np.bincount(tree.parent[1:], minlength=n) if n > 1 else np.zeros(n, np.int64)
    wrong = np.diff(tree.branch_start) != count
    wrong[0] |= tree.branch_start[0] != 0
    _fail_where(
        wrong,
        "branch_start of node",
        "does not fit the parents",
        "branch_start[i + 1] - branch_start[i] must be the number of nodes whose parent is i.",
    )
    _fail_where(count == 1, "node", "one branch", "Inner nodes must have at least two.")
    if sorted(tree.branch_node.tolist()) != list(range(1, n)):
        _fail("branch_node", "not every node once", "Each node but the root must be listed once.")
    owner = np.repeat(np.arange(n), count)
    _fail_where(
        tree.parent[tree.branch_node] != owner,
        "branch",
        lambda b: f"node {tree.branch_node[b]} listed under node {owner[b]}",
        lambda b: f"Its parent is {tree.parent[tree.branch_node[b]]}.",
    )
    # In pre-order, the first branch follows its node; the others follow the previous subtree.
    previous_end = np.empty(n - 1, np.int64)
    first = np.zeros(n - 1, bool)
    first[tree.branch_start[:-1][count > 0]] = True
    previous_end[first] = owner[first] + 1
    later = np.flatnonzero(~first)
    previous_end[later] = tree.subtree_end[tree.branch_node[later - 1]]
    wrong = tree.branch_node != previous_end
    if wrong.any():
        b = int(np.argmax(wrong))
        _fail(
            f"node {tree.branch_node[b]}",
            f"a branch of node {owner[b]}, out of order",
            f"In pre-order this branch is node {previous_end[b]}.",
        )


def _check_split_rows(splits: SplitTable, schema: Schema, n_branches: Array, role: str) -> None:
    """Check the rows of a split table against the schema and the branch counts."""
    _check_offsets("level_start", splits.level_start, len(splits), len(splits.level_code))
    if len(splits.level_branch) != len(splits.level_code):
        allowed = f"Must be {len(splits.level_code)}, the length of level_code."
        _fail("level_branch", f"length {len(splits.level_branch)}", allowed)
    asks = splits.kind != SplitKind.NONE
    wrong = ~np.isin(splits.kind, [int(kind) for kind in SplitKind])
    _fail_where(wrong, role, lambda i: f"split kind {splits.kind[i]}", "Allowed values: 0 to 4.")
    wrong = asks & ((splits.column < 0) | (splits.column >= len(schema.columns)))
    allowed = f"The schema has {len(schema.columns)} columns."
    _fail_where(wrong, role, lambda i: f"column {splits.column[i]}", allowed)
    wrong = ~asks & (splits.column != -1)
    _fail_where(wrong, role, lambda i: f"column {splits.column[i]}", "Must be -1 at a leaf.")
    kinds = np.array([str(info.kind) for info in schema.columns] or [""])
    kind_of = np.where(asks, kinds[np.where(asks, splits.column, 0)], "")
    cut = splits.kind == SplitKind.CUT
    wrong = cut & ~np.isfinite(splits.cut)
    _fail_where(wrong, role, lambda i: f"cut {splits.cut[i]}", "A cut must be a finite number.")
    timed = np.array([info.display in _TIMES for info in schema.columns] or [False])
    far = np.abs(np.where(cut, splits.cut, 0.0)) >= 2.0**63
    wrong = far & timed[np.where(asks, splits.column, 0)]
    _fail_where(wrong, role, lambda i: f"time {splits.cut[i]:g} s", "Times must be below 2**63 s.")

    def name(i: int) -> str:
        return repr(schema.columns[splits.column[i]].name)

    wrong = cut & (kind_of == str(Kind.CATEGORICAL))
    _fail_where(wrong, role, lambda i: f"a cut on the categorical column {name(i)}", "Use levels.")
    wrong = (splits.kind == SplitKind.LEVELS) & (kind_of == str(Kind.NUMERIC))
    _fail_where(wrong, role, lambda i: f"levels on the numeric column {name(i)}", "Use a cut.")
    wrong = (cut | (splits.kind == SplitKind.PRESENCE)) & (n_branches != 2)
    _fail_where(wrong, role, lambda i: f"{n_branches[i]} branches", "Must be two.")
    _check_intervals(splits, schema, n_branches, role)
    _check_level_maps(splits, schema, n_branches, role)


def _check_offsets(label: str, start: Array, n: int, n_values: int) -> None:
    """Check that the n + 1 offsets of a ragged array ascend from 0 to its length."""
    if len(start) != n + 1 or start[0] != 0 or np.any(np.diff(start) < 0):
        _fail(label, f"{len(start)} offsets", f"Must be {n + 1} offsets, ascending from 0.")
    if start[-1] != n_values:
        _fail(label, f"last offset {start[-1]}", f"Must be {n_values}, the number of entries.")


def _check_intervals(splits: SplitTable, schema: Schema, n_branches: Array, role: str) -> None:
    """Check that interval cuts ascend and are finite, except a last cut for missing values."""
    start, asks = splits.interval_start, splits.kind == SplitKind.INTERVALS
    _check_offsets("interval_start", start, len(splits), len(splits.interval_cut))
    levels = splits.kind == SplitKind.LEVELS
    marked = levels & (np.diff(start) == 1) & splits.has_missing_branch
    wrong = ~(asks | marked) & (np.diff(start) > 0)
    _fail_where(wrong, role, "cuts of intervals", "Only interval splits may have them.")
    wrong = (asks | marked) & (role != "node")
    _fail_where(wrong, role, "intervals or a missing branch", "Only primary splits may have them.")
    for i in np.flatnonzero(asks).tolist():
        cuts, info = splits.interval_cuts(i), schema.columns[int(splits.column[i])]
        label = f"{role} {i}"
        if info.kind != Kind.NUMERIC:
            _fail(label, f"intervals of the {info.kind} column {info.name!r}", "Use levels.")
        if len(cuts) < 2 or len(cuts) + 1 != n_branches[i]:
            got = f"{len(cuts)} cuts and {n_branches[i]} branches"
            _fail(label, got, "Must be at least two cuts, and one more branch than cuts.")
        if not (np.isfinite(cuts[:-1]).all() and cuts[-1] > -np.inf and (np.diff(cuts) > 0).all()):
            allowed = "Cuts must ascend and be finite, except a last cut for missing values."
            _fail(label, f"cuts {_abbreviate(cuts.tolist())}", allowed)
        if info.display in _TIMES and np.any(np.abs(cuts[np.isfinite(cuts)]) >= 2.0**63):
            _fail(label, f"the times {_abbreviate(cuts.tolist())}", "Times must be below 2**63 s.")


def _check_level_maps(splits: SplitTable, schema: Schema, n_branches: Array, role: str) -> None:
    asks = splits.kind == SplitKind.LEVELS
    owner = np.repeat(np.arange(len(splits)), np.diff(splits.level_start))
    mask = asks[owner]
    owner, code, branch = owner[mask], splits.level_code[mask], splits.level_branch[mask]
    same = owner[1:] == owner[:-1]
    falling = np.append(False, same & (np.diff(code) <= 0)) if len(owner) else np.zeros(0, bool)
    rows = np.arange(len(splits))
    wrong = np.isin(rows, owner[falling])
    _fail_where(wrong, role, "level codes not ascending", "Each level must be listed once.")
    n_levels = np.array([len(info.levels) for info in schema.columns] or [0])[splits.column]
    beyond = (code < 0) | (code >= n_levels[owner])
    _fail_where(
        np.isin(rows, owner[beyond]),
        role,
        lambda i: (
            f"level code {code[beyond & (owner == i)][0]} of column "
            f"{schema.columns[splits.column[i]].name!r}"
        ),
        lambda i: f"The column has {n_levels[i]} levels.",
    )
    # If the last branch takes only missing values, it has no levels.
    alone = splits.has_missing_branch
    n = n_branches - alone
    wrong = asks & alone & (n < 2)
    _fail_where(wrong, role, "one group of levels and missing values", "Use a presence split.")
    wrong = np.isin(rows, owner[(branch < 0) | (branch >= n[owner])])
    # Surrogates of multiway splits need not have levels for every branch.
    if role == "node":
        pairs = np.unique(np.stack([owner, branch]), axis=1)[0]
        wrong |= asks & (np.bincount(pairs, minlength=len(splits)) != n)
    _fail_where(
        wrong,
        role,
        lambda i: (
            f"levels lead to branches {_abbreviate(sorted(set(splits.level_map(i)[1].tolist())))}"
        ),
        lambda i: f"Each of the {n[i]} branches needs a level.",
    )


def _abbreviate(values: list[Any], limit: int = 10) -> str:
    return f"{values[:limit]}" if len(values) <= limit else f"{values[:limit]} and others"


def _check_options(tree: Tree) -> None:
    if tree.schema.target is None:
        _fail("schema", "no target", "The schema of a tree must have a target.")
    if tree.missing not in _MISSING:
        _fail("missing", repr(tree.missing), f"Allowed values: {', '.join(_MISSING)}.")
    if tree.unseen not in _UNSEEN:
        _fail("unseen", repr(tree.unseen), f"Allowed values: {', '.join(_UNSEEN)}.")
    n_outputs, n_classes = tree.target.n_outputs, max(tree.target.n_classes, default=1)
    if tree.value.shape[1:] != (n_outputs, n_classes):
        shape = f"({tree.n_nodes}, {n_outputs}, {n_classes})"
        allowed = f"Must be (n_nodes, n_outputs, max_classes) = {shape}."
        _fail("value", f"shape {tree.value.shape}", allowed)
    if tree.counts is not None and tree.counts.shape != tree.value.shape:
        _fail("counts", f"shape {tree.counts.shape}", f"Must be {tree.value.shape}.")
    if tree.cost_matrix is not None and tree.cost_matrix.shape != (n_classes, n_classes):
        _fail(
            "cost_matrix", f"shape {tree.cost_matrix.shape}", f"Must be {n_classes} x {n_classes}."
        )
    if tree.class_prior is not None and tree.class_prior.shape != (n_classes,):
        _fail("class_prior", f"shape {tree.class_prior.shape}", f"Must have {n_classes} entries.")


def _check_content(tree: Tree) -> None:
    _fail_where(
        (tree.default_branch < -1) | (tree.default_branch >= tree.n_branches),
        "node",
        lambda i: f"default branch {tree.default_branch[i]}",
        lambda i: f"Must be from -1 (rows stay) to {tree.n_branches[i] - 1}.",
    )
    alone = tree.splits.has_missing_branch & (tree.splits.kind != SplitKind.PRESENCE)
    _fail_where(
        alone & (tree.default_branch != tree.n_branches - 1),
        "node",
        lambda i: f"default branch {tree.default_branch[i]}",
        "Must be the last branch, which takes missing values.",
    )

    for name in ("n_rows", "weight", "sent_default"):
        amount = getattr(tree, name)
        wrong = ~(np.isfinite(amount) & (amount >= 0))
        first = "".join(f"{name} {number}" for number in amount[wrong][:1])
        _fail_where(wrong, "node", first, "Must be finite and at least 0.")
    if tree.missing == "fractional":  # a row may be divided among branches
        return
    for name, slack in (("n_rows", 0.0), ("weight", 1e-9)):
        amount, owner = getattr(tree, name).astype(np.float64), tree.parent[tree.branch_node]
        below = np.bincount(owner, weights=amount[tree.branch_node], minlength=tree.n_nodes)
        wrong = np.flatnonzero(below > amount * (1 + slack))
        if len(wrong):
            i = int(wrong[0])
            got = f"{name} {amount[i]:g}, in its branches {below[i]:g}"
            _fail(f"node {i}", got, "The branches must not sum to more than the node.")


def check_values(tree: Tree) -> None:
    """Check that values are finite and class values are probabilities."""
    wrong = ~np.isfinite(tree.value).all(axis=(1, 2))
    _fail_where(
        wrong, "node", lambda i: f"value {tree.value[i].tolist()}", "Values must be finite."
    )
    if not tree.task.has_classes:
        if tree.counts is not None:
            _fail("counts", "given", f"A {tree.task} tree has no class counts.")
        return
    total = tree.value.sum(axis=2)
    _fail_where(
        ((tree.value < 0).any(axis=2) | (np.abs(total - 1) > 1e-6)).any(axis=1),
        "node",
        lambda i: f"class probabilities {tree.value[i].tolist()}",
        "Must be at least 0 and sum to 1.",
    )
    for k, size in enumerate(tree.target.n_classes):
        if np.any(tree.value[:, k, size:] != 0):
            _fail(f"value of output {k}", f"nonzero values after class {size}", "Must be 0.")
    if (counts := tree.counts) is not None:
        wrong = (counts < 0).any(axis=(1, 2))
        _fail_where(wrong, "node", lambda i: f"counts {counts[i].tolist()}", "Must be at least 0.")


def _check_splits_by_node(tree: Tree, name: str, extra: Any) -> None:
    start, splits = extra.start, extra.splits
    _check_offsets(f"{name}.start", start, tree.n_nodes, len(splits))
    count = np.diff(start)
    owner = np.repeat(np.arange(tree.n_nodes), count)
    wrong = tree.is_leaf & (count > 0)
    _fail_where(wrong, "node", f"a leaf with {name}", "Only inner nodes may have them.")
    entry = name.removesuffix("s")
    _fail_where(splits.kind == SplitKind.NONE, entry, "no split", "Each entry must be a split.")
    is_surrogate = name == "surrogates"
    n_branches = tree.n_branches[owner] if is_surrogate else _branches_of_competitors(splits)
    _check_split_rows(splits, tree.schema, n_branches, entry)


def _branches_of_competitors(splits: SplitTable) -> Array:
    """Return the number of branches of each competitor, which exceeds two only for level sets."""
    n_branches = np.full(len(splits), 2, np.int64)
    for k in np.flatnonzero(splits.kind == SplitKind.LEVELS).tolist():
        branches = splits.level_map(k)[1]
        last = int(branches.max(initial=0))
        if last >= max(2, len(branches)):
            _fail(
                f"competitor {k}",
                f"{len(branches)} levels lead to branch {last}",
                "Every branch must have a level.",
            )
        n_branches[k] = last + 1
    return n_branches


def _check_tests(tree: Tree, tests: SplitTests) -> None:
    for name in TEST_FIGURES:
        length, n = len(getattr(tests, name)), tree.n_nodes
        if length != n:
            _fail(f"tests.{name}", f"length {length}", f"Must be {n}.")
    tested = ~np.isnan(tests.p_value)
    p, role = tests.p_value, "tests of node"
    _fail_where(
        tested & ((p < 0) | (p > 1)), role, lambda i: f"p-value {p[i]}", "Must be in [0, 1]."
    )
    _fail_where(tree.is_leaf & tested, role, "a leaf with a test", "Only inner nodes may have one.")
