"""Encode a tree and its columns as plain lists for the report page.

Children are not listed: nodes are in pre-order, so the children of a node are the nodes with this
parent, in order. Class probabilities are omitted when they are the counts divided by their sum,
which the page computes to the same bit.

JSON has neither NaN nor infinity; both become None. Python's shortest repr of a float and
JavaScript's parser agree to the last bit, so numbers used in computations keep all digits; numbers
that are only displayed are rounded. Levels are text, with their values unless all are non-blank
strings.
"""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from ceiba.grow import search_mass
from ceiba.survival import SurvivalCurve
from ceiba.table import Table
from ceiba.tree import SplitTable, Tree, has_curve, node_curve, note_text
from ceiba.tree.splits import level_text

_MAX_CURVES: Final = 500  # maximum number of nodes with a survival curve
_MAX_STEPS: Final = 120  # approximate maximum number of steps per survival curve
_QUANTILES: Final = (0.0, 0.1, 0.25, 0.5, 0.75, 0.9, 1.0)


def exact_floats(values: npt.ArrayLike) -> list[Any]:
    """Return floats with all digits, integral values as ints, and NaN and infinities as None."""
    array = np.asarray(values, np.float64).ravel()
    is_whole = (array == np.rint(array)) & (np.abs(array) < 2.0**53)
    finite = np.isfinite(array)
    return [
        (int(v) if w else v) if f else None
        for v, w, f in zip(array.tolist(), is_whole.tolist(), finite.tolist(), strict=True)
    ]


def rounded_floats(values: npt.ArrayLike, digits: int = 7) -> list[Any]:
    """Return floats rounded to `digits` significant digits, for display only."""
    array = np.asarray(values, np.float64).ravel()
    size = np.where((array != 0) & np.isfinite(array), np.abs(array), 1.0)
    places = digits - 1 - np.floor(np.log10(size))
    # Divide by a power of ten, because multiplying by its inverse would lengthen the repr.
    scale = 10.0 ** np.clip(places, -300, 300)
    return exact_floats(np.where(np.isfinite(array), np.rint(array * scale) / scale, array))


def int_list(values: npt.ArrayLike) -> list[int]:
    """Return an array as a list of ints."""
    integers: list[int] = np.asarray(values, np.int64).ravel().tolist()
    return integers


def encode_nodes(tree: Tree, output: int = 0) -> dict[str, Any]:
    """Return the nodes of a tree as lists by field, with the predictions of one output."""
    columns: dict[str, Any] = {
        "parent": int_list(tree.parent),
        "splits": encode_splits(tree.splits),
        "default_branch": int_list(tree.default_branch),
        "n_rows": int_list(tree.n_rows),
        "weight": None if np.array_equal(tree.weight, tree.n_rows) else exact_floats(tree.weight),
        "share": None
        if tree.class_prior is None or tree.counts is None
        else exact_floats(tree.share),
        "impurity": rounded_floats(tree.impurity),
        "gain": rounded_floats(tree.gain),
        "importance": rounded_floats(
            search_mass(tree) * tree.gain / max(float(search_mass(tree)[0]), 1e-300)
        ),
        "sent_default": int_list(tree.sent_default) if tree.sent_default.any() else None,
        "surrogates": None if tree.surrogates is None else _encode_surrogates(tree),
        "competitors": None if tree.competitors is None else _encode_competitors(tree),
        "tests": None if tree.tests is None else _encode_tests(tree),
        "notes": _encode_notes(tree) if tree.notes else None,
    }
    value = tree.value[:, output, :]
    if not tree.task.has_classes:
        return {**columns, "value": exact_floats(value[:, 0]), "counts": None}
    n_classes = len(tree.target.classes[output])
    value = value[:, :n_classes]
    if tree.counts is None:
        return {**columns, "counts": None, "value": exact_floats(value)}
    counts = tree.counts[:, output, :n_classes]
    total = np.zeros(len(counts))
    for k in range(n_classes):  # add in the same order as the page, for equal rounding
        total = total + counts[:, k]
    with np.errstate(invalid="ignore", divide="ignore"):
        is_share = np.array_equal(counts / total[:, None], value)
    return {
        **columns,
        "counts": exact_floats(counts),
        "value": None if is_share else exact_floats(value),
    }


def encode_splits(splits: SplitTable) -> dict[str, Any]:
    """Return the arrays of a split table as lists, without optional arrays that no split uses."""
    columns: dict[str, Any] = {
        "kind": int_list(splits.kind),
        "column": int_list(splits.column),
        "cut": exact_floats(splits.cut),
    }
    if splits.has_digits:
        columns["digits"] = int_list(splits.digits)
    if splits.low_branch.any():
        columns["low_branch"] = int_list(splits.low_branch)
    if len(splits.level_code):
        columns["n_levels"] = int_list(np.diff(splits.level_start))
        columns["level_code"] = int_list(splits.level_code)
        columns["level_branch"] = int_list(splits.level_branch)
    if len(splits.interval_cut):  # an infinite cut (for missing values) becomes null
        columns["n_cuts"] = int_list(np.diff(splits.interval_start))
        cuts = splits.interval_cut
        columns["interval_cut"] = exact_floats(np.where(np.isinf(cuts), np.nan, cuts))
    return columns


def _encode_surrogates(tree: Tree) -> dict[str, Any] | None:
    table = tree.surrogates
    if table is None or not len(table):
        return None
    return {
        "n": int_list(np.diff(table.start)),
        "splits": encode_splits(table.splits),
        "agreement": rounded_floats(table.agreement),
        "adjusted": rounded_floats(table.adjusted),
        "sent": int_list(table.sent),
        "in_use": tree.active_surrogates is not None,
    }


def _encode_competitors(tree: Tree) -> dict[str, Any] | None:
    table = tree.competitors
    if table is None or not len(table.splits):
        return None
    return {
        "n": int_list(np.diff(table.start)),
        "splits": encode_splits(table.splits),
        "gain": rounded_floats(table.gain),
    }


def _encode_notes(tree: Tree) -> list[dict[str, Any]]:
    """Return the notes of all nodes; "answer" is the class index of a prediction set by hand."""
    classes = tree.task.has_classes and tree.n_outputs == 1
    return [
        {"node": node, "text": note_text(tree, node), "name": note.name, "note": note.note}
        | ({"answer": int(tree.answer[node])} if classes and note.answer is not None else {})
        for node, note in sorted((tree.notes or {}).items())
    ]


def _encode_tests(tree: Tree) -> dict[str, Any] | None:
    """Return the significance test of each split, or None if there are no tests."""
    table = tree.tests
    if table is None or np.isnan(table.p_value).all():
        return None
    tests = [table.of(i) for i in range(tree.n_nodes)]
    nothing = float("nan")
    return {
        "name": table.name,
        "statistic": rounded_floats(table.statistic),
        "df": [None if test is None else list(test.df) for test in tests],
        "p": exact_floats([nothing if test is None else test.adjusted_p_value for test in tests]),
    }


def encode_columns(tree: Tree, rows: Table | None = None) -> dict[str, Any]:
    """Return the schema as lists by column; if `rows` are given, add quantiles and modes."""
    infos = tree.schema.columns
    columns: dict[str, Any] = {
        "name": [str(info.name) for info in infos],
        "kind": [str(info.kind) for info in infos],
        "display": [info.display for info in infos],
        "levels": [[level_text(level) for level in info.levels] for info in infos],
        "level_values": [],
        "n_missing": [int(info.n_missing) for info in infos],
        "minimum": [info.minimum for info in infos],
        "maximum": [info.maximum for info in infos],
        "quantiles": [None] * len(infos),
        "common": [None] * len(infos),
    }
    for j, info in enumerate(infos):
        levels = info.levels  # level_values is None if all levels are nonblank strings
        is_text = all(isinstance(level, str) and level.strip() for level in levels)
        plain = [level.item() if isinstance(level, np.generic) else level for level in levels]
        columns["level_values"].append(None if is_text else plain)
        if rows is None:
            continue
        values = np.asarray(rows.columns[j].values)
        if rows.columns[j].info.is_numeric:
            present = values[np.isfinite(values)].astype(np.float64)
            if len(present):
                columns["quantiles"][j] = rounded_floats(np.quantile(present, _QUANTILES))
        else:
            codes = values[(values >= 0) & (values < rows.columns[j].info.n_levels)]
            if len(codes):
                columns["common"][j] = int(np.bincount(codes).argmax())
    return columns


def encode_survival(tree: Tree) -> dict[str, Any] | None:
    """Return the survival curves of the largest nodes, or None if the tree has no curves."""
    if not has_curve(tree):
        return None
    largest = set(np.argsort(-tree.weight, kind="stable")[:_MAX_CURVES].tolist())
    nodes = [
        encode_curve(node_curve(tree, node)) if node in largest and has_curve(tree, node) else None
        for node in range(tree.n_nodes)
    ]
    return {"end": float(node_curve(tree, 0).time[-1]), "nodes": nodes}


def encode_curve(curve: SurvivalCurve) -> dict[str, Any]:
    """Return a survival curve as steps with confidence bands, event count and median."""
    last = len(curve.time) - 1
    steps = np.unique(np.append(np.arange(0, last, last // _MAX_STEPS + 1), last))
    low, high = curve.bands()
    return {
        "time": _figures(curve.time[steps]),
        "survival": _figures(curve.survival[steps]),
        "low": _figures(low[steps]),
        "high": _figures(high[steps]),
        "events": curve.n_events,
        "median": _figures(np.array(curve.median())),
    }


def _figures(values: Any) -> list[float | None]:
    """Return numbers with six significant digits, and non-finite numbers as None."""
    return [float(f"{v:.6g}") if math.isfinite(v) else None for v in values.tolist()]
