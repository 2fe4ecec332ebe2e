"""The arrays of a tree as JSON, and back.

Branch lists follow from the parents and are not written. ``value[k][c]`` holds the probability of
class c of output k (or the value) of every node, so that a column of the file is a column of the
tree. NaN (no cut, unknown risk) is null.
"""

from __future__ import annotations

from dataclasses import fields as fields_of
from typing import Any, Final, TypeVar, get_args

import numpy as np

from ceiba.criteria import TEST_CRITERIA, Task, criterion_names
from ceiba.errors import ModelFileError, TreeError
from ceiba.table import Schema
from ceiba.tree.arrays import Array
from ceiba.tree.certificate import UNITS, Certificate, Status
from ceiba.tree.construct.from_arrays import branches_of
from ceiba.tree.invariants import check
from ceiba.tree.model_file.field import Field
from ceiba.tree.model_file.notes_part import notes_from_json, notes_to_json
from ceiba.tree.model_file.values import from_json, to_json
from ceiba.tree.notes import check_notes
from ceiba.tree.splits.sentences import ALL_DIGITS
from ceiba.tree.splits.split_table import SplitTable
from ceiba.tree.splits.surrogates import CompetitorTable, SplitsByNode, SurrogateTable
from ceiba.tree.splits.tests import TEST_FIGURES, SplitTests
from ceiba.tree.tree import Missing, Tree, Unseen

Kind = TypeVar("Kind", bound=SplitsByNode)

_COUNT: Final = 2**62
_INT32: Final = 2**31 - 1
_KEYS: Final = (
    "criterion", "missing", "unseen", "parent", "splits", "default_branch", "n_rows",
    "sent_default", "weight", "impurity", "gain", "risk", "value", "counts", "cost_matrix",
    "class_prior", "surrogates", "competitors", "tests",
)  # fmt: skip
_SPLIT_KEYS: Final = (
    "kind", "column", "cut", "low_branch", "level_start", "level_code", "level_branch"
)  # fmt: skip
_INTERVAL_KEYS: Final = ("interval_start", "interval_cut")
_MARKS: Final = ("honest", "smoothed")
_TEST_NAMES: Final = ("chi2", "likelihood_ratio", "f_test", "search")
_EXACT: Final = 2**53
#: The criteria of grown trees by task.
CRITERIA: Final = {
    task: (
        *criterion_names(task),
        *(name for name, its_task in TEST_CRITERIA.items() if its_task == task),
    )
    for task in get_args(Task)
}


def tree_to_json(tree: Tree) -> dict[str, Any]:
    """Return the arrays and options of a tree as plain data (without its schema).

    What `tree_from_json` would refuse is refused here.
    """
    check_rules(tree)
    fields: dict[str, Any] = {
        "criterion": tree.criterion,
        "missing": tree.missing,
        "unseen": tree.unseen,
        "parent": tree.parent.tolist(),
        "splits": _splits_to_json(tree.splits),
    }
    for name in ("default_branch", "n_rows", "sent_default"):
        fields[name] = getattr(tree, name).tolist()
    for name in ("weight", "impurity", "gain"):
        fields[name] = _numbers(getattr(tree, name), name)
    fields["risk"] = _numbers(tree.risk)
    fields["value"] = _by_class(tree.value, "value")
    fields["counts"] = None if tree.counts is None else _by_class(tree.counts, "counts")
    costs, prior = tree.cost_matrix, tree.class_prior
    fields["cost_matrix"] = (
        None if costs is None else [_numbers(row, "cost_matrix") for row in costs]
    )
    fields["class_prior"] = None if prior is None else _numbers(prior, "class_prior")
    fields["surrogates"] = _table_to_json(tree.surrogates)
    if tree.surrogates is not None:
        fields["surrogates"]["in_use"] = tree.surrogates.in_use
    fields["competitors"] = _table_to_json(tree.competitors)
    fields["tests"] = _tests_to_json(tree.tests)
    # Only where true: other files stay as they were.
    fields |= {name: True for name in _MARKS if getattr(tree, name)}
    if tree.notes:
        fields["notes"] = notes_to_json(tree.notes)
    if tree.certificate is not None:
        fields["certificate"] = to_json(tree.certificate.to_dict())
    return fields


def _tests_to_json(tests: SplitTests | None) -> dict[str, Any] | None:
    if tests is None:
        return None
    figures = {name: _numbers(getattr(tests, name)) for name in TEST_FIGURES}
    return {"name": tests.name, "continues": np.flatnonzero(tests.continues).tolist(), **figures}


def check_rules(tree: Tree) -> None:
    """Check every rule of a tree and of its notes, on the way into a file and out of it."""
    try:
        check(tree)
        if tree.notes:
            check_notes(tree)
    except TreeError as error:
        raise ModelFileError(str(error)) from None
    Field(tree.criterion, "tree.criterion").text(CRITERIA[tree.task])
    if tree.tests is not None:
        Field(tree.tests.name, "tree.tests.name").text(_TEST_NAMES)


def _numbers(values: Array, known: str = "") -> list[Any]:
    """Return floats as JSON: NaN is null, whole numbers are written without a point.

    Figures that must be known are named, and refused if they are not.
    """
    if np.isinf(values).any():
        raise ModelFileError("The tree holds an infinite number, which JSON cannot say.")
    if known and np.isnan(values).any():
        raise ModelFileError(f"The tree holds an unknown {known} (NaN).")
    return [
        None
        if x != x
        else int(x)
        if (x.is_integer() and 0 < abs(x) < _EXACT) or (x == 0 and str(x) == "0.0")
        else x
        for x in values.tolist()
    ]


def _by_class(values: Array, name: str) -> list[list[list[Any]]]:
    outputs = np.moveaxis(values, 1, 0)
    return [[_numbers(column, name) for column in output.T] for output in outputs]


def _splits_to_json(splits: SplitTable) -> dict[str, Any]:
    fields = {
        name: _numbers(splits.cut) if name == "cut" else getattr(splits, name).tolist()
        for name in _SPLIT_KEYS
    }
    if splits.has_digits:
        fields["digits"] = splits.digits.tolist()
    if len(splits.interval_cut):  # an infinite one, for missing values, is null
        fields["interval_start"] = splits.interval_start.tolist()
        fields["interval_cut"] = _numbers(
            np.where(np.isinf(splits.interval_cut), np.nan, splits.interval_cut)
        )
    return fields


def _table_to_json(stored: SplitsByNode | None) -> dict[str, Any] | None:
    if stored is None:
        return None
    figures = {name: getattr(stored, name) for name in stored.figures()}
    return {
        "start": stored.start.tolist(),
        "splits": _splits_to_json(stored.splits),
        **{
            name: _numbers(values) if values.dtype.kind == "f" else values.tolist()
            for name, values in figures.items()
        },
    }


def tree_from_json(field: Field, schema: Schema) -> Tree:
    """Read a tree and check every rule it must keep, before anybody uses it."""
    field.object(_KEYS, (*_MARKS, "notes", "certificate"))
    marks: dict[str, Any] = {name: field[name].boolean() for name in _MARKS if name in field.value}
    n = len(field["parent"].entries())
    parent = field["parent"].integers(n, -1, max(n - 1, -1), np.int32)
    if n == 0 or parent[0] != -1 or np.any(parent[1:] < 0) or np.any(parent >= np.arange(n)):
        field["parent"].fail(
            "The root is node 0 with parent -1; every other node has a parent before it.",
            "parents out of order",
        )
    start, nodes = branches_of(parent)
    target = schema.target
    assert target is not None  # the schema was checked
    n_classes = max(target.n_classes, default=1)
    missing: Any = field["missing"].text(get_args(Missing))
    unseen: Any = field["unseen"].text(get_args(Unseen))
    floats: dict[str, Any] = {
        name: field[name].numbers(n) for name in ("weight", "impurity", "gain")
    }
    counts = field.get("counts")
    costs, prior = field.get("cost_matrix"), field.get("class_prior")
    tree = Tree(
        schema=schema,
        parent=parent,
        branch_start=start,
        branch_node=nodes,
        splits=_splits_from_json(field["splits"], n),
        default_branch=field["default_branch"].integers(n, -1, _INT32, np.int32),
        n_rows=field["n_rows"].integers(n, 0, _COUNT, np.int64),
        sent_default=field["sent_default"].integers(n, 0, _COUNT, np.int64),
        risk=field["risk"].numbers(n, null=True),
        value=_read_by_class(field["value"], n, target.n_outputs, n_classes),
        counts=None if counts is None else _read_by_class(counts, n, target.n_outputs, n_classes),
        surrogates=_table_from_json(SurrogateTable, field.get("surrogates"), n, ("in_use",)),
        competitors=_table_from_json(CompetitorTable, field.get("competitors"), n),
        tests=_tests_from_json(field.get("tests"), n),
        criterion=field["criterion"].text(CRITERIA[target.task]),
        missing=missing,
        unseen=unseen,
        cost_matrix=None
        if costs is None
        else np.array([row.numbers(n_classes) for row in costs.items(n_classes)]),
        class_prior=None if prior is None else prior.numbers(n_classes),
        notes=notes_from_json(field.get("notes"), n),
        **floats,
        **marks,
    )
    try:
        check_rules(tree)
    except ModelFileError as error:
        raise ModelFileError(f"Damaged model file, at {field.place}: {error}") from None
    proof = field.get("certificate")
    return tree if proof is None else tree.with_certificate(certificate_from_json(proof))


def certificate_from_json(field: Field) -> Certificate:
    """Read a certificate."""
    field.object([one.name for one in fields_of(Certificate)])
    numbers = {
        name: from_json(field[name]) for name in ("objective", "lower_bound", "penalty", "seconds")
    }
    for name, number in numbers.items():
        if type(number) not in (int, float) or number != number:
            field[name].fail("A number is needed.")
    status: Any = field["status"].text(get_args(Status))
    return Certificate(
        status=status,
        loss=field["loss"].text(UNITS),
        max_depth=None if field.get("max_depth") is None else field["max_depth"].integer(0, _COUNT),
        n_leaves=field["n_leaves"].integer(1, _COUNT),
        all_level_sets=field["all_level_sets"].boolean(),
        nodes=field["nodes"].integer(0, _COUNT),
        **numbers,
    )


def _read_by_class(field: Field, n: int, n_outputs: int, n_classes: int) -> Array:
    # All is read before room is made for it: a short file must not ask for much.
    outputs = [
        [column.numbers(n) for column in output.items(n_classes)]
        for output in field.items(n_outputs)
    ]
    return np.ascontiguousarray(np.moveaxis(np.array(outputs), 2, 0))


def _splits_from_json(field: Field, m: int) -> SplitTable:
    """Read a table of splits; a table without intervals has no keys for them."""
    field.object(_SPLIT_KEYS, (*_INTERVAL_KEYS, "digits"))
    more: dict[str, Any] = {}
    if "digits" in field.value:
        more["digits"] = field["digits"].integers(m, 0, ALL_DIGITS, np.int8)
    if any(key in field.value for key in _INTERVAL_KEYS):
        field.object((*_SPLIT_KEYS, *_INTERVAL_KEYS), ("digits",))  # one needs the other
        n_cuts = len(field["interval_cut"].entries())
        cuts = field["interval_cut"].numbers(n_cuts, null=True)
        more["interval_cut"] = np.where(np.isnan(cuts), np.inf, cuts)
        more["interval_start"] = field["interval_start"].integers(m + 1, 0, n_cuts, np.int64)
    n_levels = len(field["level_code"].entries())
    return SplitTable(
        kind=field["kind"].integers(m, 0, 4, np.int8),
        column=field["column"].integers(m, -1, _INT32, np.int32),
        cut=field["cut"].numbers(m, null=True),
        low_branch=field["low_branch"].integers(m, 0, 1, np.int8),
        level_start=field["level_start"].integers(m + 1, 0, n_levels, np.int64),
        level_code=field["level_code"].integers(n_levels, 0, _INT32, np.int32),
        level_branch=field["level_branch"].integers(n_levels, 0, _INT32, np.int32),
        **more,
    )


def _table_from_json(
    kind: type[Kind], field: Field | None, n: int, marks: tuple[str, ...] = ()
) -> Kind | None:
    """Read surrogates or competitors; marks are further fields, true or false."""
    if field is None:
        return None
    field.object(("start", "splits", *kind.figures(), *marks))
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
        **{name: field[name].boolean() for name in marks},
    )


def _tests_from_json(field: Field | None, n: int) -> SplitTests | None:
    if field is None:
        return None
    field.object(("name", "continues", *TEST_FIGURES))
    listed = len(field["continues"].entries())
    continues = np.zeros(n, bool)
    continues[field["continues"].integers(listed, 0, n - 1, np.int64)] = True
    return SplitTests(
        field["name"].text(_TEST_NAMES),
        continues=continues,
        **{name: field[name].numbers(n, null=True) for name in TEST_FIGURES},
    )
