"""Find and rank the best split of every column at a node.

Columns are ranked by their gain minus the gain expected by chance (`chance.py`); those whose
p-value is above 0.05 come last. The order does not change when late p-values arrive.

A tree of one level is grown at the node; it keeps the best split of every column as a competitor.
With many cells, the search uses 255 bins per column, and only the best split has an exact cut (the
others have "exact": false).

P-values are corrected for the search over a column (`ceiba.grow.significance`). For a
categorical column and target, all levels are tested at once. A cut is the best of at most n - 1, so
its p-value is between that of the fixed cut and n - 1 times that. If a bound does not suffice, the
p-value is "pending" until `compute_p_values` has run permutations.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

import numpy as np

from ceiba.edit import rules_at
from ceiba.edit.forced import NodeSite
from ceiba.errors import CeibaError
from ceiba.grow import GrowOptions
from ceiba.grow.significance import SplitTest
from ceiba.studio.analysis.branches import (
    BranchCounts,
    NodeTarget,
    assign_branches,
    branches_to_json,
    fixed_split_p_value,
    impurity_before,
    needs_only_counts,
    node_criterion,
)
from ceiba.studio.analysis.chance import find_chance_gains
from ceiba.studio.analysis.node_analysis import NodeAnalysis
from ceiba.studio.work.splits import split_from_json, split_to_json
from ceiba.table import Kind
from ceiba.task import Task
from ceiba.tree import SplitKind, SplitTable, Tree

MAX_CELLS: Final = 6_000_000  # for nodes with more rows times columns, bin the columns
LEVEL: Final = 0.05  # significance level
MAX_PERMUTED_ROWS: Final = 50_000  # for larger nodes, compute bounds instead of exact p-values
_MAX_CURVE_ROWS: Final = 20_000  # for larger nodes, do not compute survival curves
_MAX_SOON: Final = 20_000  # maximum number of rows times columns for immediate p-values
_N_PERMUTATIONS: Final = 999  # per test


def find_rivals(analysis: NodeAnalysis, node: int, *, by_gain: bool = False) -> dict[str, Any]:
    """Return each column's best split, ranked by gain above chance, or by gain if `by_gain`."""
    site = analysis.at(node)
    target = NodeTarget.of(site)
    rivals = _list_rivals(analysis, site, target)
    if not by_gain and rivals:
        pending = [rival for rival in rivals if rival["p_bound"] == "pending"]
        if len(site.rows) * len(rivals) <= _MAX_SOON:  # no p-value stays pending
            for rival in pending:
                rival.update(_permute(analysis, site, rival))
        rivals = _rank_by_excess(site, rivals)
    columns = {rival["column"] for rival in rivals}
    names = analysis.problem.table.schema.names
    rivals += [_no_split(name) for name in names if name not in columns]
    forbidden = rules_at(analysis.tree, node).forbid
    current = analysis.tree.node(node).split
    in_tree = None if current is None else split_to_json(current, analysis.tree.schema)
    for rival in rivals:
        rival["forbidden"] = rival["column"] in forbidden
        rival["current"] = in_tree is not None and _is_same_split(rival["given"], in_tree)
    return {
        "node": node,
        "n_rows": len(site.rows),
        "criterion": node_criterion(analysis.problem).name,
        "impurity": _node_impurity(analysis, node, site, target),
        "rivals": rivals,
        "in_tree": None
        if in_tree is None or any(rival["current"] for rival in rivals)
        else _describe_current(analysis, node, site, target),
    }


def _list_rivals(
    analysis: NodeAnalysis, site: NodeSite, target: NodeTarget
) -> list[dict[str, Any]]:
    """List the best split of each column, sorted by gain."""
    copied = _copy_rows(site)
    stump, exact = _grow_stump(site, copied)
    rivals = [
        _describe_rival(analysis, copied, target, splits, gain)
        for splits, gain in _list_splits(stump)
    ]
    for rival in rivals:
        rival["exact"] = exact or rival is rivals[0]
    return rivals


def _rank_by_excess(site: NodeSite, rivals: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Sort splits by gain above chance, with insignificant splits last."""
    chance = _chance_gains(site)
    for rival in rivals:
        rival["chance_gain"], limit = chance[rival["column"]]
        rival["by_chance"] = _is_by_chance(rival, limit)
    return sorted(
        rivals, key=lambda rival: (rival["by_chance"], rival["chance_gain"] - rival["gain"])
    )


def _chance_gains(site: NodeSite) -> dict[str, tuple[float, float]]:
    options = one_level_options(site.problem.options, 0, site.problem.table.n_columns)
    return find_chance_gains(site, options)


def _is_by_chance(rival: dict[str, Any], limit: float) -> bool:
    """Whether a split is insignificant by its p-value or, if only bounds are known, by its gain."""
    p_value, bound = rival["p_value"], rival["p_bound"]
    if bound == "exact" or (bound == "at least" and p_value > LEVEL):
        return bool(p_value > LEVEL)
    if bound == "at most" and p_value <= LEVEL:
        return False
    return bool(rival["gain"] <= limit)


def find_first_rival(analysis: NodeAnalysis, node: int) -> dict[str, Any] | None:
    """Return the first-ranked significant split, or None if there is none."""
    site, forbidden = analysis.at(node), rules_at(analysis.tree, node).forbid
    copied, target, chance = _copy_rows(site), NodeTarget.of(site), _chance_gains(site)
    names = analysis.problem.table.schema.names
    candidates = [
        (names[int(splits.column[0])], splits, gain)
        for splits, gain in _list_splits(_grow_stump(site, copied)[0])
    ]
    for name, splits, gain in sorted(candidates, key=lambda item: chance[item[0]][0] - item[2]):
        mean, limit = chance[name]
        # Skip forbidden columns, and gains that are too small to be significant.
        if name in forbidden or gain <= (mean + limit) / 2:
            continue
        rival = _describe_rival(analysis, copied, target, splits, gain)
        if rival["p_bound"] == "pending" and len(site.rows) * len(candidates) <= _MAX_SOON:
            rival.update(_permute(analysis, site, rival))
        if not _is_by_chance(rival, limit):
            return rival
    return None


def _node_impurity(
    analysis: NodeAnalysis, node: int, site: NodeSite, target: NodeTarget
) -> float | None:
    """Return the node impurity, or None if gains do not measure its decrease."""
    problem = analysis.problem
    if node_criterion(problem).name in ("absolute_error", "poisson"):
        return float(analysis.tree.impurity[node])
    if not needs_only_counts(problem) or node_criterion(problem).name == "friedman_mse":
        return None
    return impurity_before(target.counts(np.zeros(len(site.rows), np.int64), 1), problem)


def _is_same_split(a: dict[str, Any] | None, b: dict[str, Any]) -> bool:
    """Whether two splits are equal, regardless of the order of level sets."""
    if a is None or "branches" not in a or "branches" not in b:
        return a == b
    sets = [{frozenset(group) for group in split["branches"]} for split in (a, b)]
    return a["column"] == b["column"] and sets[0] == sets[1]


def _describe_current(
    analysis: NodeAnalysis, node: int, site: NodeSite, target: NodeTarget
) -> dict[str, Any]:
    """Describe the current split of a node if it is not the best split of its column."""
    splits = analysis.tree.splits.take(np.array([node]))
    described = _describe_rival(analysis, site, target, splits, float(analysis.tree.gain[node]))
    return {**described, "p_value": None, "p_bound": "exact"}  # no search to correct for


def _copy_rows(site: NodeSite) -> NodeSite:
    """Copy the rows of a small node, because searching scattered rows takes twice as long."""
    problem = site.problem
    is_survival = problem.options.task is Task.SURVIVAL  # scaled survival times depend on all rows
    if 2 * len(site.rows) > problem.n_rows or site.weight is not None or is_survival:
        return site
    copied = replace(problem.take(site.rows), fixed_scales=problem.scales)
    return replace(site, problem=copied, rows=np.arange(len(site.rows)))


def _grow_stump(site: NodeSite, copied: NodeSite) -> tuple[Tree, bool]:
    """Return a tree with the best split of each column, and whether no column was binned."""
    n_columns = site.problem.table.n_columns
    options = one_level_options(site.problem.options, site.depth, n_columns)
    all_rows = len(copied.rows) == copied.problem.n_rows
    rows = None if all_rows else copied.rows.astype(np.uint32)

    def grow(**changes: Any) -> Tree:
        problem = copied.problem.with_changes(options=replace(options, **changes))
        return problem.grow(rows, subtree=site._subtree_context())

    if len(site.rows) * n_columns <= MAX_CELLS or "bins" not in _allowed_growers(options):
        return grow(), True
    coarse = grow(max_bins=255)
    best = grow(max_competitors=0)
    return _put_best_first(coarse, best), False


def one_level_options(options: GrowOptions, depth: int, n_columns: int) -> GrowOptions:
    """Return options for a one-level tree that stores the best split of every column."""
    changes: dict[str, Any] = {
        "max_depth": depth + 1,
        "max_competitors": max(n_columns - 1, 1),
        "min_impurity_decrease": 0.0,
        "min_samples_split": 2,
        "max_leaf_nodes": None,
        "max_features": None,
        "splitter": "best",
        "min_significance": None,
        "forced_splits": None,
        "search": "greedy",
        "max_bins": None,
        "column_cost": None,
    }
    if "tests" in options.growers:
        changes["criterion"] = ""
    return replace(options, **changes)


def _allowed_growers(options: GrowOptions) -> tuple[str, ...]:
    """Return the names of the growing algorithms that can bin columns under these options."""
    try:
        return tuple(replace(options, max_bins=255).growers)
    except CeibaError:
        return ()


def _put_best_first(coarse: Tree, best: Tree) -> Tree:
    """Replace the binned split of the best column by the exact split in the tree `best`."""
    table = coarse.competitors
    if best.n_nodes == 1 or table is None:
        return coarse
    every = SplitTable.concatenate([coarse.splits.take(np.array([0])), table.splits])
    gains = np.array([coarse.gain[0], *table.gain.tolist()])
    indices = np.flatnonzero(every.column != best.splits.column[0])
    competitors = replace(
        table,
        start=np.append(0, np.full(best.n_nodes, len(indices))),
        splits=every.take(indices),
        gain=gains[indices],
    )
    return replace(best, competitors=competitors)


def _list_splits(stump: Tree) -> list[tuple[SplitTable, float]]:
    if stump.n_nodes == 1:
        return []
    splits_by_gain = [(stump.splits.take(np.array([0])), float(stump.gain[0]))]
    table = stump.competitors
    if table is not None:
        last = int(table.start[1])
        splits_by_gain += [
            (table.splits.take(np.array([k])), float(table.gain[k])) for k in range(last)
        ]
    return sorted(splits_by_gain, key=lambda rival: -rival[1])


def _describe_rival(
    analysis: NodeAnalysis, site: NodeSite, target: NodeTarget, splits: SplitTable, gain: float
) -> dict[str, Any]:
    schema = analysis.problem.table.schema
    branch, n_branches, _ = assign_branches(site, splits)
    counts = target.counts(branch, n_branches)
    split = splits.split(0, schema)
    assert split is not None
    texts = [split.sentence(b, schema, max_levels=8) for b in range(n_branches)]
    p_value, bound = _quick_p_value(site, target, splits, counts)
    curves = target.curves(branch, n_branches) if len(site.rows) <= _MAX_CURVE_ROWS else None
    return {
        "column": split.column,
        "split": texts[0],
        "given": split_to_json(split, schema),
        "gain": gain,
        "p_value": p_value,
        "p_bound": bound,
        "branches": branches_to_json(counts, node_criterion(analysis.problem), texts, curves),
    }


def _quick_p_value(
    site: NodeSite, target: NodeTarget, splits: SplitTable, counts: BranchCounts
) -> tuple[float | None, str]:
    """Return a p-value and its kind: "exact", "at least", "at most" or (for None) "pending"."""
    column = site.problem.table.columns[int(splits.column[0])]
    classes = bool(target.n_classes)
    if column.info.kind is Kind.CATEGORICAL and splits.kind[0] == SplitKind.LEVELS and classes:
        codes = column.values if len(site.rows) == site.problem.n_rows else column.values[site.rows]
        size = column.info.n_levels
        every = target.counts(np.where(codes < size, codes, -1), size)
        return fixed_split_p_value(every), "exact"
    p_value = fixed_split_p_value(counts)
    assert p_value is not None
    if p_value > LEVEL:
        return p_value, "at least"
    bound = min(1.0, p_value * max(len(site.rows) - 1, 1))
    if classes and (bound <= LEVEL or len(site.rows) > MAX_PERMUTED_ROWS):
        return bound, "at most"
    if len(site.rows) > MAX_PERMUTED_ROWS:
        return p_value, "at least"
    return None, "pending"


def _no_split(name: str) -> dict[str, Any]:
    return {
        "column": name, "split": None, "given": None, "gain": None, "p_value": None,
        "p_bound": "exact", "branches": [], "exact": True, "by_chance": True,
    }  # fmt: skip


def hide_splits(listing: dict[str, Any], names: tuple[str, ...]) -> dict[str, Any]:
    """Remove the splits from a listing for a lesson, and sort the columns as in the table."""
    nothing = dict.fromkeys(("split", "given", "gain", "p_value"))
    hidden: dict[str, Any] = {**nothing, "branches": [], "current": False}
    by_name = {rival["column"]: {**rival, **hidden} for rival in listing["rivals"]}
    return {**listing, "in_tree": None, "rivals": [by_name[name] for name in names]}


def compute_p_values(analysis: NodeAnalysis, node: int) -> dict[str, Any]:
    """Compute the pending p-values of a node by permutation."""
    site = analysis.at(node)
    rivals = _list_rivals(analysis, site, NodeTarget.of(site))
    pending = [rival for rival in rivals if rival["p_bound"] == "pending"]
    tests = {rival["column"]: _permute(analysis, site, rival) for rival in pending}
    return {"node": node, "p_values": tests}


def _permute(analysis: NodeAnalysis, site: NodeSite, rival: dict[str, Any]) -> dict[str, Any]:
    """Compute the p-value of a split by permutation."""
    problem = analysis.problem
    stem, _ = site.force_split(split_from_json(rival["given"], problem.table.schema))
    test = SplitTest(
        stem, problem, "search", "auto", LEVEL, _N_PERMUTATIONS, 0, problem.table.n_columns
    )
    result = test(0, site.rows)
    return {"p_value": result.p_value, "p_bound": result.bound}
