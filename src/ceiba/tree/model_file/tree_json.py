"""Convert the arrays of a tree to JSON and back.

Branch lists follow from the parents and are not stored. ``value[k][c]`` holds the probability of
class c of output k (or the value) of every node, so that an array of the file is an array of
the tree. NaN (no cut, unknown risk) is null. Notes are a list of objects, one per node.
"""

from __future__ import annotations

from dataclasses import fields as fields_of
from typing import Any, Final, TypeVar, get_args

import numpy as np

from ceiba.criteria import TEST_CRITERIA, criterion_names, quantile_level
from ceiba.errors import ModelFileError, TreeError
from ceiba.table import Schema
from ceiba.task import Task
from ceiba.tree.arrays import Array
from ceiba.tree.attachments import Attachment
from ceiba.tree.certificate import UNITS, Certificate, Status
from ceiba.tree.construct.from_arrays import branches_from_parents
from ceiba.tree.invariants import check
from ceiba.tree.model_file.field import Field
from ceiba.tree.model_file.values import from_json, to_json
from ceiba.tree.notes import NodeNote, check_notes
from ceiba.tree.splits.sentences import ALL_DIGITS
from ceiba.tree.splits.split_table import SplitTable
from ceiba.tree.splits.surrogates import CompetitorTable, SplitsByNode, SurrogateTable
from ceiba.tree.splits.tests import TEST_FIGURES, SplitTests
from ceiba.tree.tree import Missing, Tree, Unseen

TableT = TypeVar("TableT", bound=SplitsByNode)

_COUNT: Final = 2**62
_INT32: Final = 2**31 - 1
_EXACT: Final = 2**53
_KEYS: Final = (
    "criterion", "missing", "unseen", "parent", "splits", "default_branch", "n_rows",
    "sent_default", "weight", "impurity", "gain", "risk", "value", "counts", "cost_matrix",
    "class_prior", "surrogates", "competitors", "tests",
)  # fmt: skip
#: Allowed minimum, allowed maximum and dtype of each integer array over the nodes.
_INTEGER_ARRAYS: Final = {
    "default_branch": (-1, _INT32, np.int32),
    "n_rows": (0, _COUNT, np.int64),
    "sent_default": (0, _COUNT, np.int64),
}
_FLOAT_ARRAYS: Final = ("weight", "impurity", "gain")
_SPLIT_KEYS: Final = (
    "kind", "column", "cut", "low_branch", "level_start", "level_code", "level_branch"
)  # fmt: skip
_INTERVAL_KEYS: Final = ("interval_start", "interval_cut")
_FLAGS: Final = ("honest", "smoothed")
_TEST_NAMES: Final = ("chi2", "likelihood_ratio", "f_test", "search")
_NOTE_KEYS: Final = tuple(item.name for item in fields_of(NodeNote))
#: Allowed criteria of a tree in a model file, by task.
CRITERIA: Final = {
    task: (
        *criterion_names(task),
        *(name for name, its_task in TEST_CRITERIA.items() if its_task == task),
    )
    for task in Task
}


def check_tree(tree: Tree) -> None:
    """Check the invariants of a tree and its notes before writing or after reading."""
    try:
        check(tree)
        if tree.notes:
            check_notes(tree)
    except TreeError as error:
        raise ModelFileError(str(error)) from None
    names = tree.task.lookup(CRITERIA, "The model file")
    if "absolute_error" not in names or quantile_level(tree.criterion) is None:
        Field(tree.criterion, "tree.criterion").text(names)
    if tree.tests is not None:
        Field(tree.tests.name, "tree.tests.name").text(_TEST_NAMES)


# ---------------------------------------------------------------------- writing


def tree_to_json(tree: Tree) -> dict[str, Any]:
    """Return a tree as JSON data; raise an error if the reader would reject it."""
    check_tree(tree)
    costs, prior, tests = tree.cost_matrix, tree.class_prior, tree.tests
    fields: dict[str, Any] = {
        "criterion": tree.criterion,
        "missing": tree.missing,
        "unseen": tree.unseen,
        "parent": tree.parent.tolist(),
        "splits": _splits_to_json(tree.splits),
        **{name: getattr(tree, name).tolist() for name in _INTEGER_ARRAYS},
        **{name: _floats_to_json(getattr(tree, name), name) for name in _FLOAT_ARRAYS},
        "risk": _floats_to_json(tree.risk),
        **{
            name: values
            if values is None
            else [
                [_floats_to_json(v, name) for v in output.T] for output in np.moveaxis(values, 1, 0)
            ]
            for name, values in (("value", tree.value), ("counts", tree.counts))
        },
        "cost_matrix": None
        if costs is None
        else [_floats_to_json(row, "cost_matrix") for row in costs],
        "class_prior": None if prior is None else _floats_to_json(prior, "class_prior"),
        "surrogates": None if tree.surrogates is None else _table_to_json(tree.surrogates),
        "competitors": None if tree.competitors is None else _table_to_json(tree.competitors),
        "tests": None
        if tests is None
        else {"name": tests.name}
        | {name: _floats_to_json(getattr(tests, name)) for name in TEST_FIGURES},
    }
    if tree.surrogates is not None:
        fields["surrogates"]["in_use"] = tree.surrogates.in_use
    fields |= {name: True for name in _FLAGS if getattr(tree, name)}
    if tree.notes:
        fields["notes"] = [
            {"node": node}
            | {
                name: list(value) if isinstance(value, tuple) else to_json(value)
                for name in _NOTE_KEYS
                if (value := getattr(note, name)) is not None
            }
            for node, note in sorted(tree.notes.items())
        ]
    if tree.attachments is not None:
        fields["attachments"] = {
            name: {"start": arrays.start.tolist(), "values": _floats_to_json(arrays.values)}
            for name, arrays in tree.attachments.items()
        }
    if tree.certificate is not None:
        fields["certificate"] = to_json(tree.certificate.to_dict())
    return fields


def _floats_to_json(values: Array, figure: str = "") -> list[Any]:
    """Convert floats to JSON, with NaN as null; if `figure` names the array, reject NaN."""
    if np.isinf(values).any():
        raise ModelFileError("The tree contains infinity, which a model file cannot store.")
    if figure and np.isnan(values).any():
        raise ModelFileError(f"The tree contains NaN in {figure}, which a model file cannot store.")
    return [
        None
        if x != x
        else int(x)
        if (x.is_integer() and 0 < abs(x) < _EXACT) or (x == 0 and str(x) == "0.0")
        else x
        for x in values.tolist()
    ]


def _splits_to_json(splits: SplitTable) -> dict[str, Any]:
    fields = {
        name: _floats_to_json(splits.cut) if name == "cut" else getattr(splits, name).tolist()
        for name in _SPLIT_KEYS
    }
    if splits.has_digits:
        fields["digits"] = splits.digits.tolist()
    if len(splits.interval_cut):  # an infinite cut, for missing values, is stored as null
        finite = np.where(np.isinf(splits.interval_cut), np.nan, splits.interval_cut)
        fields |= {
            "interval_start": splits.interval_start.tolist(),
            "interval_cut": _floats_to_json(finite),
        }
    return fields


def _table_to_json(table: SplitsByNode) -> dict[str, Any]:
    figures = {name: getattr(table, name) for name in table.figures()}
    return {
        "start": table.start.tolist(),
        "splits": _splits_to_json(table.splits),
        **{
            name: _floats_to_json(values) if values.dtype.kind == "f" else values.tolist()
            for name, values in figures.items()
        },
    }


# ---------------------------------------------------------------------- reading


def tree_from_json(field: Field, schema: Schema) -> Tree:
    """Read a tree from JSON and check all its invariants."""
    field.object(_KEYS, (*_FLAGS, "notes", "attachments", "certificate"))
    n = len(field["parent"].entries())
    parent = field["parent"].integers(n, -1, max(n - 1, -1), np.int32)
    if n == 0 or parent[0] != -1 or np.any(parent[1:] < 0) or np.any(parent >= np.arange(n)):
        field["parent"].fail(
            "The root must be node 0 with parent -1; any other node must follow its parent.",
            "parents out of order",
        )
    start, nodes = branches_from_parents(parent)
    target = schema.target
    assert target is not None  # checked with the schema
    n_outputs, n_classes = target.n_outputs, max(target.n_classes, default=1)

    def by_class(values: Field) -> Array:
        # Read the lists before allocating an array, so that a short file cannot cause a large
        # allocation.
        outputs = [
            [column.numbers(n) for column in output.items(n_classes)]
            for output in values.items(n_outputs)
        ]
        return np.ascontiguousarray(np.moveaxis(np.array(outputs), 2, 0))

    options: dict[str, Any] = {
        "missing": field["missing"].text(get_args(Missing)),
        "unseen": field["unseen"].text(get_args(Unseen)),
        **{name: field[name].integers(n, *limits) for name, limits in _INTEGER_ARRAYS.items()},
        **{name: field[name].numbers(n) for name in _FLOAT_ARRAYS},
        **{name: field[name].boolean() for name in _FLAGS if name in field.value},
    }
    tree = Tree(
        schema=schema,
        parent=parent,
        branch_start=start,
        branch_node=nodes,
        splits=_splits_from_json(field["splits"], n),
        risk=field["risk"].numbers(n, null=True),
        value=by_class(field["value"]),
        counts=field.optional("counts", by_class),
        surrogates=_table_from_json(SurrogateTable, field.get("surrogates"), n, ("in_use",)),
        competitors=_table_from_json(CompetitorTable, field.get("competitors"), n),
        tests=field.optional("tests", lambda tests: _tests_from_json(tests, n)),
        criterion=field["criterion"].text(),
        cost_matrix=field.optional(
            "cost_matrix",
            lambda rows: np.array([row.numbers(n_classes) for row in rows.items(n_classes)]),
        ),
        class_prior=field.optional("class_prior", lambda prior: prior.numbers(n_classes)),
        notes=field.optional("notes", lambda notes: _notes_from_json(notes, n)),
        attachments=field.optional("attachments", lambda named: _attachments_from_json(named, n)),
        **options,
    )
    try:
        check_tree(tree)
    except ModelFileError as error:
        raise ModelFileError(f"Damaged model file, at {field.place}: {error}") from None
    proof = field.optional("certificate", _certificate_from_json)
    return tree if proof is None else tree.with_certificate(proof)


def _certificate_from_json(field: Field) -> Certificate:
    field.object([item.name for item in fields_of(Certificate)])
    numbers = {
        name: from_json(field[name]) for name in ("objective", "lower_bound", "penalty", "seconds")
    }
    for name, number in numbers.items():
        if type(number) not in (int, float) or number != number:
            field[name].fail("Must be a number.")
    status: Any = field["status"].text(get_args(Status))
    return Certificate(
        status=status,
        loss=field["loss"].text(UNITS),
        max_depth=field.optional("max_depth", lambda depth: depth.integer(0, _COUNT)),
        n_leaves=field["n_leaves"].integer(1, _COUNT),
        all_level_sets=field["all_level_sets"].boolean(),
        nodes=field["nodes"].integer(0, _COUNT),
        **numbers,
    )


def _splits_from_json(field: Field, m: int) -> SplitTable:
    """Read a `SplitTable` from JSON; the keys for intervals and digits are optional."""
    has_intervals = isinstance(field.value, dict) and any(k in field.value for k in _INTERVAL_KEYS)
    field.object((*_SPLIT_KEYS, *(_INTERVAL_KEYS if has_intervals else ())), ("digits",))
    options: dict[str, Any] = {}
    if "digits" in field.value:
        options["digits"] = field["digits"].integers(m, 0, ALL_DIGITS, np.int8)
    if has_intervals:
        n_cuts = len(field["interval_cut"].entries())
        cuts = field["interval_cut"].numbers(n_cuts, null=True)
        options["interval_cut"] = np.where(np.isnan(cuts), np.inf, cuts)
        options["interval_start"] = field["interval_start"].integers(m + 1, 0, n_cuts, np.int64)
    n_levels = len(field["level_code"].entries())
    return SplitTable(
        kind=field["kind"].integers(m, 0, 4, np.int8),
        column=field["column"].integers(m, -1, _INT32, np.int32),
        cut=field["cut"].numbers(m, null=True),
        low_branch=field["low_branch"].integers(m, 0, 1, np.int8),
        level_start=field["level_start"].integers(m + 1, 0, n_levels, np.int64),
        level_code=field["level_code"].integers(n_levels, 0, _INT32, np.int32),
        level_branch=field["level_branch"].integers(n_levels, 0, _INT32, np.int32),
        **options,
    )


def _table_from_json(
    kind: type[TableT], field: Field | None, n: int, flags: tuple[str, ...] = ()
) -> TableT | None:
    """Read a table of surrogates or competitors; `flags` are additional boolean fields."""
    if field is None:
        return None
    field.object(("start", "splits", *kind.figures(), *flags))
    m = len(field[kind.figures()[-1]].entries())
    figures: dict[str, Any] = {
        name: field[name].numbers(m, null=True)
        if np.dtype(kind._DTYPES[name]).kind == "f"
        else field[name].integers(m, 0, _COUNT, np.int64)
        for name in kind.figures()
    }
    return kind(
        start=field["start"].integers(n + 1, 0, m, np.int32),
        splits=_splits_from_json(field["splits"], m),
        **figures,
        **{name: field[name].boolean() for name in flags},
    )


def _attachments_from_json(field: Field, n: int) -> dict[str, Attachment]:
    attachments = {}
    for name in field.object((), field.value).value:
        arrays = field[name].object(("start", "values"))
        m = len(arrays["values"].entries())
        start = arrays["start"].integers(n + 1, 0, m, np.int64)
        attachments[name] = Attachment(start, arrays["values"].numbers(m, null=True))
    return attachments


def _tests_from_json(field: Field, n: int) -> SplitTests:
    field.object(("name", *TEST_FIGURES))
    figures = {name: field[name].numbers(n, null=True) for name in TEST_FIGURES}
    return SplitTests(field["name"].text(_TEST_NAMES), **figures)


def _notes_from_json(field: Field, n: int) -> dict[int, NodeNote] | None:
    """Read the notes on a tree with `n` nodes from JSON; return them as a dict by node."""
    notes: dict[int, NodeNote] = {}
    for entry in field.items():
        entry.object(("node",), _NOTE_KEYS)
        node = entry["node"].integer(0, n - 1)
        if node in notes:
            entry.fail("A node may have at most one note.", f"node {node} twice")
        values: dict[str, Any] = {}
        for name in (name for name in _NOTE_KEYS if name in entry.value):
            if name in ("forbid", "prefer"):
                texts = entry[name].value
                if not isinstance(texts, list) or not all(isinstance(t, str) for t in texts):
                    entry[name].fail("Must be a list of column names.")
                values[name] = tuple(texts)
            else:
                values[name] = from_json(entry[name], {})
        for name in ("name", "note", "reason"):
            if not isinstance(values.get(name, ""), str):
                entry[name].fail("Must be a string.")
        if not isinstance(values.get("answer"), str | int | float | None):
            entry["answer"].fail("Must be a label or a number.")
        if values.get("sealed") not in (None, True):
            entry["sealed"].fail("Must be true.")
        notes[node] = NodeNote(**values)
    return notes or None
