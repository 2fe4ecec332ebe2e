"""Holds a grown `ceiba.tree.Tree` against the exhaustive search, node by node.

At each node the rows are those its own splits send there. The node must say the truth about them
(rows, weight, impurity), it must be a leaf exactly when the rules say so, and its split must have
the best gain of all candidates: the first of them in tie order when `ties_decided`, else any within
1e-12 of the node's impurity.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from tests.reference.criteria import IMPURITY, OF_SPLIT
from tests.reference.data import Data
from tests.reference.exact import Number, decimal, minus
from tests.reference.grow import heaviest
from tests.reference.search import (
    Found,
    Rules,
    all_splits,
    best_of,
    branches_of,
    distributions,
    gain_of,
    reaches_min_gain,
    stops_before_search,
)
from tests.reference.splits import Split

KINDS = {1: "cut", 2: "levels", 3: "presence"}
CLOSE = 1e-12


def complaints(
    tree: Any, data: Data, rules: Rules, *, ties_decided: bool = False, uneven: bool = False
) -> list[str]:
    """Everything in the tree that the exhaustive search would not have done.

    With `uneven` weights gains are held to 1e-12 of the target's unit, not of the node's impurity,
    which can be as small as the smallest weight.
    """
    return list(_complaints(tree, data, rules, ties_decided, uneven))


def _complaints(
    tree: Any, data: Data, rules: Rules, ties_decided: bool, uneven: bool
) -> Iterator[str]:
    everything = [row for row in range(data.n_rows) if data.weight[row] > 0]
    stack = [(0, everything, 0)]
    while stack:
        node, rows, depth = stack.pop()
        yield from facts(tree, node, data, rows, rules)
        children = children_of(tree, node)
        if not children:
            yield from leaf(node, data, rows, depth, rules, ties_decided)
            continue
        if stops_before_search(data, rows, depth, rules):
            yield f"node {node}: is split, but must be a leaf"
            continue
        split = split_of(tree, node, data, rows, rules)
        parts = branches_of(data, split, rows)
        yield from own_gain(tree, node, data, rows, rules, split, uneven)
        yield from choice(node, data, rows, rules, split, ties_decided, uneven)
        if rules.missing == "learn":
            yield from way_of_holes(tree, node, data, split, parts, rows)
        parts = with_unplaced(tree, node, parts, rows)
        stack += [(child, part, depth + 1) for child, part in zip(children, parts, strict=True)]


def children_of(tree: Any, node: int) -> list[int]:
    return tree.branch_node[tree.branch_start[node] : tree.branch_start[node + 1]].tolist()


def split_of(tree: Any, node: int, data: Data, rows: Sequence[int], rules: Rules) -> Split:
    """The node's split as the reference writes it."""
    table, column = tree.splits, int(tree.splits.column[node])
    kind = KINDS[int(table.kind[node])]
    holes = any(data.columns[column].values[row] is None for row in rows)
    missing = int(tree.default_branch[node]) if rules.missing == "learn" and holes else None
    if kind == "presence":
        return Split(column, "presence", missing=1)
    if kind == "cut":
        return Split(column, "cut", cut=float(table.cut[node]), missing=missing)
    part = slice(int(table.level_start[node]), int(table.level_start[node + 1]))
    branches: list[list[int]] = [[] for _ in children_of(tree, node)]
    for code, branch in zip(table.level_code[part], table.level_branch[part], strict=True):
        branches[int(branch)].append(int(code))
    return Split(column, "levels", branches=tuple(map(tuple, branches)), missing=missing)


def with_unplaced(
    tree: Any, node: int, parts: list[list[int]], rows: Sequence[int]
) -> list[list[int]]:
    placed = {row for part in parts for row in part}
    left_over = [row for row in rows if row not in placed]
    if left_over:
        default = int(tree.default_branch[node])
        parts[default] = sorted(parts[default] + left_over)
    return parts


# --- the three questions


def facts(tree: Any, node: int, data: Data, rows: Sequence[int], rules: Rules) -> Iterator[str]:
    """Rows, weight and impurity of the node."""
    if int(tree.n_rows[node]) != len(rows):
        yield f"node {node}: n_rows {tree.n_rows[node]} instead of {len(rows)}"
    weight = data.total_weight(rows)
    if not near(tree.weight[node], weight, weight):
        yield f"node {node}: weight {tree.weight[node]} instead of {float(weight)}"
    criterion = "gini" if rules.criterion in OF_SPLIT else rules.criterion
    parts = distributions(data, rows, rules)
    true = sum((decimal(IMPURITY[criterion](part)) for part in parts), decimal(0)) / len(parts)
    scale = max([decimal(1), *(abs(decimal(y)) ** 2 for part in parts for y in part)])
    if not near(tree.impurity[node], true, scale):
        yield f"node {node}: impurity {tree.impurity[node]} instead of {float(true)}"


def leaf(
    node: int, data: Data, rows: Sequence[int], depth: int, rules: Rules, ties_decided: bool
) -> Iterator[str]:
    """A leaf has a reason; a gain of nothing is a gain, but rounding may hide it."""
    if stops_before_search(data, rows, depth, rules):
        return
    best = best_of(all_splits(data, rows, rules))
    if best is None or not reaches_min_gain(data, rows, best.gain, rules):
        return
    if ties_decided or not near(best.gain, decimal(0), impurity_scale(data, rows, rules)):
        yield f"node {node}: is a leaf, but {best.split} gains {float(best.gain)}"


def own_gain(
    tree: Any,
    node: int,
    data: Data,
    rows: Sequence[int],
    rules: Rules,
    split: Split,
    uneven: bool,
) -> Iterator[str]:
    """The gain that the node claims for its split."""
    true = gain_of(data, branches_of(data, split, rows), rows, rules)
    scale = gain_scale(data, rows, rules, uneven)
    if not near(tree.gain[node], true, scale):
        yield f"node {node}: gain {tree.gain[node]} instead of {float(true)}"


def choice(
    node: int,
    data: Data,
    rows: Sequence[int],
    rules: Rules,
    split: Split,
    ties_decided: bool,
    uneven: bool,
) -> Iterator[str]:
    """The split is one of the candidates, and the best of them."""
    parts = branches_of(data, split, rows)
    own = gain_of(data, parts, rows, rules)
    spread = gain_scale(data, rows, rules, uneven)
    every = all_splits(data, rows, rules)
    best = best_of(every)
    if best is None:
        yield f"node {node}: {split} is not admissible"
        return
    if not any(same_partition(data, found, parts, rows) for found in every):
        yield f"node {node}: {split} is none of the {len(every)} admissible splits"
    if split.kind == "cut":
        yield from cut_between_neighbours(node, data, rows, split)
    if not reaches_min_gain(data, rows, best.gain, rules):
        yield f"node {node}: is split for {float(best.gain)}, less than min_gain"
    if ties_decided and not same_partition(data, best, parts, rows):
        yield f"node {node}: {split} ({float(own)}) instead of {best.split} ({float(best.gain)})"
    elif not near(own, best.gain, spread):
        yield f"node {node}: gain {float(own)} of {split}, the best is {float(best.gain)}"


def way_of_holes(
    tree: Any,
    node: int,
    data: Data,
    split: Split,
    parts: Sequence[Sequence[int]],
    rows: Sequence[int],
) -> Iterator[str]:
    """Nothing missing in the node: a hole will follow the branch with more weight; on a tie the
    first, under missing="learn" the last (scikit-learn's rule).
    """
    values = data.columns[split.column].values
    if any(values[row] is None for row in rows):
        return
    default, most = (
        int(tree.default_branch[node]),
        heaviest(data, parts, last=tree.missing == "learn"),
    )
    weights = [data.total_weight(part) for part in parts]
    # sums that differ by rounding only may be told apart or not
    if default != most and not near(weights[default], weights[most], weights[most]):
        yield f"node {node}: default branch {default} is not the heaviest"


def cut_between_neighbours(
    node: int, data: Data, rows: Sequence[int], split: Split
) -> Iterator[str]:
    """lower <= cut < upper, for the neighbouring values it parts; and it is their middle."""
    present = [v for v in (data.columns[split.column].values[row] for row in rows) if v is not None]
    lower = max(v for v in present if v <= split.cut)
    upper = min(v for v in present if v > split.cut)
    middle = (decimal(lower) + decimal(upper)) / 2
    if not near(split.cut, middle, max(abs(decimal(lower)), abs(decimal(upper)))):
        yield f"node {node}: cut {split.cut} is not the middle of {lower} and {upper}"


# --- helpers


def near(got: float | Number, true: Number, scale: Number) -> bool:
    return abs(minus(decimal(_plain(got)), decimal(true))) <= decimal(_plain(CLOSE)) * decimal(
        scale
    )


def _plain(value: Any) -> Any:
    from tests.reference.exact import exact

    return exact(float(value)) if isinstance(value, float) or hasattr(value, "dtype") else value


def impurity_scale(data: Data, rows: Sequence[int], rules: Rules) -> Number:
    criterion = "gini" if rules.criterion in OF_SPLIT else rules.criterion
    parts = distributions(data, rows, rules)
    return sum((decimal(IMPURITY[criterion](part)) for part in parts), decimal(0)) / len(parts)


def gain_scale(data: Data, rows: Sequence[int], rules: Rules, uneven: bool) -> Number:
    """What a gain is compared with: the node's impurity, or at least the target's unit."""
    scale = decimal(impurity_scale(data, rows, rules))
    if not uneven:
        return scale
    return max([scale, decimal(1), *(abs(decimal(t[row])) for t in data.targets for row in rows)])


def same_partition(
    data: Data, found: Found, parts: Sequence[Sequence[int]], rows: Sequence[int]
) -> bool:
    """The same branches, whatever their order."""
    theirs = branches_of(data, found.split, rows)
    return sorted(map(sorted, theirs)) == sorted(map(sorted, parts))
