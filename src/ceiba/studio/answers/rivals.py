"""The best split of every column at a node, best first.

One tree of one level is grown at the node, which keeps all columns' best splits as runners-up. With
many cells the search goes over the edges of 255 bins per column, and only the winner's cut is the
exact one ("exact": false says so of the others).

A p-value answers for the whole search over a column (`ceiba.grow.significance`). What bounds settle
is given at once: categories by the test of all their levels; a cut is the best of at most n - 1, so
its p-value lies between its own and n - 1 times that. The others are "pending" (`p_values.py`).
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

import numpy as np

from ceiba.edit import rules_at
from ceiba.edit.forced import Here
from ceiba.errors import CeibaError
from ceiba.grow import GrowOptions
from ceiba.grow.significance import SplitTest
from ceiba.studio.answers.bench import Bench
from ceiba.studio.answers.branches import (
    Counts,
    NodeTarget,
    branch_of,
    criterion_of,
    in_json,
    plain_p_value,
)
from ceiba.studio.work.splits import read_json, to_json
from ceiba.table import Kind
from ceiba.tree import SplitKind, SplitTable, Tree

MOST_CELLS: Final = 6_000_000  # rows times columns that are searched cut by cut
SETTLED: Final = 0.05
PERMUTED: Final = 50_000  # rows in which a pending p-value is found by permutation
_DRAWS: Final = 999  # permuted targets of a test


def rivals(bench: Bench, node: int) -> dict[str, Any]:
    """Return the best split of every column at a node."""
    here = bench.at(node)
    stump, exact = _stump(here)
    names = bench.problem.table.schema.names
    target = NodeTarget.of(here)
    offers = _offers(stump)
    listed = [_rival(bench, here, target, splits, gain) for splits, gain in offers]
    for offer in listed:
        offer["exact"] = exact or offer is listed[0]
    columns = {offer["column"] for offer in listed}
    listed += [_nothing(name) for name in names if name not in columns]
    forbidden = rules_at(bench.tree, node).forbid
    current = bench.tree.node(node).split
    for offer in listed:
        offer["forbidden"] = offer["column"] in forbidden
        offer["current"] = current is not None and current.column == offer["column"]
    return {
        "node": node,
        "n_rows": len(here.rows),
        "criterion": criterion_of(bench.problem).name,
        "rivals": listed,
    }


def _stump(here: Here) -> tuple[Tree, bool]:
    """Grow one level that keeps all runners-up; tell whether their cuts are the exact ones."""
    n_columns = here.problem.table.n_columns
    options = one_level(here.problem.options, here.depth, n_columns)
    whole = len(here.rows) == here.problem.n_rows
    rows = None if whole else here.rows.astype(np.uint32)

    def grown(**changes: Any) -> Tree:
        problem = here.problem.with_changes(options=replace(options, **changes))
        return problem.grow(rows, subtree=replace(here, problem=problem)._place())

    if len(here.rows) * n_columns <= MOST_CELLS or "bins" not in _growers(options):
        return grown(), True
    coarse = grown(max_bins=255)
    best = grown(max_competitors=0)
    return _with_best(coarse, best), False


def one_level(options: GrowOptions, depth: int, n_columns: int) -> GrowOptions:
    """Return the options of a search of one node for every column."""
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
    if options.chaid is not None:
        changes["criterion"] = ""
    return replace(options, **changes)


def _growers(options: GrowOptions) -> tuple[str, ...]:
    """Return the ways in which these options can grow; none besides if bins are refused."""
    try:
        return tuple(replace(options, max_bins=255).growers)
    except CeibaError:
        return ()


def _with_best(coarse: Tree, best: Tree) -> Tree:
    """Put the exact best split before the others, which may hold a coarse one of its column."""
    stored = coarse.competitors
    if best.n_nodes == 1 or stored is None:
        return coarse
    every = SplitTable.joined([coarse.splits.take(np.array([0])), stored.splits])
    gains = np.array([coarse.gain[0], *stored.gain.tolist()])
    others = np.flatnonzero(every.column != best.splits.column[0])
    competitors = replace(
        stored,
        start=np.append(0, np.full(best.n_nodes, len(others))),
        splits=every.take(others),
        gain=gains[others],
    )
    return replace(best, competitors=competitors)


def _offers(stump: Tree) -> list[tuple[SplitTable, float]]:
    if stump.n_nodes == 1:
        return []
    offers = [(stump.splits.take(np.array([0])), float(stump.gain[0]))]
    stored = stump.competitors
    if stored is not None:
        last = int(stored.start[1])
        offers += [(stored.splits.take(np.array([k])), float(stored.gain[k])) for k in range(last)]
    return sorted(offers, key=lambda offer: -offer[1])


def _rival(
    bench: Bench, here: Here, target: NodeTarget, splits: SplitTable, gain: float
) -> dict[str, Any]:
    schema = bench.problem.table.schema
    branch, n_branches, _ = branch_of(here, splits)
    counts = target.counts(branch, n_branches)
    split = splits.split(0, schema)
    assert split is not None
    texts = [split.sentence(b, schema, max_levels=8) for b in range(n_branches)]
    p_value, bound = _quick_p_value(here, target, splits, counts)
    return {
        "column": split.column,
        "split": texts[0],
        "given": to_json(split, schema),
        "gain": gain,
        "p_value": p_value,
        "p_bound": bound,
        "branches": in_json(counts, criterion_of(bench.problem), texts),
    }


def _quick_p_value(
    here: Here, target: NodeTarget, splits: SplitTable, counts: Counts
) -> tuple[float | None, str]:
    """Return the p-value of a column as far as it is known without permutations."""
    column = here.problem.table.columns[int(splits.column[0])]
    classes = bool(target.n_classes)
    if column.info.kind is Kind.CATEGORICAL and splits.kind[0] == SplitKind.LEVELS and classes:
        codes = column.values if len(here.rows) == here.problem.n_rows else column.values[here.rows]
        size = column.info.n_levels
        every = target.counts(np.where(codes < size, codes, -1), size)
        return plain_p_value(every), "exact"
    p_value = plain_p_value(counts)
    assert p_value is not None
    if p_value > SETTLED:
        return p_value, "at least"
    bound = min(1.0, p_value * max(len(here.rows) - 1, 1))
    if classes and (bound <= SETTLED or len(here.rows) > PERMUTED):
        return bound, "at most"
    if len(here.rows) > PERMUTED:
        return p_value, "at least"
    return None, "pending"


def _nothing(name: str) -> dict[str, Any]:
    return {
        "column": name, "split": None, "given": None, "gain": None, "p_value": None,
        "p_bound": "exact", "branches": [], "exact": True,
    }  # fmt: skip


def hidden(listing: dict[str, Any], names: tuple[str, ...]) -> dict[str, Any]:
    """Return the rivals of a lesson: the columns alone, in the order of the table."""
    nothing: dict[str, Any] = {
        "split": None,
        "given": None,
        "gain": None,
        "p_value": None,
        "branches": [],
    }
    by_name = {
        offer["column"]: {**offer, **nothing, "current": False} for offer in listing["rivals"]
    }
    return {**listing, "rivals": [by_name[name] for name in names]}


def p_values(bench: Bench, node: int) -> dict[str, Any]:
    """Return the p-values of a node that bounds do not settle: the search, on permuted targets."""
    here = bench.at(node)
    pending = [offer for offer in rivals(bench, node)["rivals"] if offer["p_bound"] == "pending"]
    tests = {}
    for offer in pending if len(here.rows) <= PERMUTED else []:
        stem, _ = here.forced(read_json(offer["given"], bench.problem.table.schema))
        test = SplitTest(
            stem, bench.problem, "search", "auto", 0.05, _DRAWS, 0, bench.problem.table.n_columns
        )
        result = test(0, here.rows)
        tests[offer["column"]] = {"p_value": result.p_value, "p_bound": result.bound}
    return {"node": node, "p_values": tests}
