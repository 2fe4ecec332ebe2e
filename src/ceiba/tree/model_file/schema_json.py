"""Convert schemas to JSON and back: columns, kinds, levels, ranges and the target."""

from __future__ import annotations

import math
from collections import Counter
from typing import Any, Final, get_args

import numpy as np
import numpy.typing as npt

from ceiba.table import ColumnInfo, Display, Kind, Schema, TargetInfo
from ceiba.task import Task
from ceiba.tree.model_file.field import Field
from ceiba.tree.model_file.values import UnwritableError, check_integer_size, text_array

_COUNT: Final = 2**62
_COLUMN_KEYS: Final = ("name", "kind")
_OPTIONAL_COLUMN_KEYS: Final = ("levels", "display", "n_missing", "minimum", "maximum", "zone")
_LEVEL_TYPES: Final = (str, int, float, bool)
_LEVEL: Final = "A level must be a string, a number, true or false."
_LABEL_TYPES: Final = {
    "text": (str,),
    "object": (str, int, float, bool),
    "bool": (bool,),
    **dict.fromkeys(("int8", "int16", "int32", "int64"), (int,)),
    **dict.fromkeys(("uint8", "uint16", "uint32", "uint64"), (int,)),
    **dict.fromkeys(("float16", "float32", "float64"), (int, float)),
}


def schema_to_json(schema: Schema) -> dict[str, Any]:
    """Return a schema as JSON data; raise an error if the reader would reject it."""
    columns: list[dict[str, Any]] = []
    for info in schema.columns:
        path = f"schema.columns[{len(columns)}]"
        fields: dict[str, Any] = {"name": Field(info.name, f"{path}.name").text()}
        fields["kind"] = str(info.kind)
        if info.levels or not info.is_numeric:
            fields["levels"] = list(info.levels)
            _check_listed(fields["levels"], _LEVEL_TYPES, f"{path}.levels", _LEVEL, "level")
        if info.display != "number":
            fields["display"] = Field(info.display, f"{path}.display").text(get_args(Display))
        if info.n_missing:
            fields["n_missing"] = int(info.n_missing)
        for name in ("minimum", "maximum"):
            bound = getattr(info, name)
            if bound is not None and math.isfinite(bound):
                fields[name] = float(bound)
        if info.zone is not None:
            fields["zone"] = info.zone
        columns.append(fields)
    _check_names(columns, "schema.columns")
    target = schema.target
    if target is None:
        Field(None, "schema.target").fail("A tree must have a target.")
    classes: list[dict[str, Any]] = []
    for labels in target.classes:
        kind, values = "text" if labels.dtype.kind in "UT" else labels.dtype.name, labels.tolist()
        if kind not in _LABEL_TYPES or any(type(v) not in _LABEL_TYPES[kind] for v in values):
            odd = next((v for v in values if type(v) not in _LABEL_TYPES["object"]), values[0])
            raise UnwritableError(
                f"Class {odd!r} ({type(odd).__name__}) cannot be saved in a model file. Classes "
                "must be strings, numbers or booleans. Convert the target and refit."
            )
        _labels_of_kind(values, kind, f"schema.target.classes[{len(classes)}].labels")
        classes.append({"type": kind, "labels": values})
    return {
        "named": schema.named,
        "columns": columns,
        "target": {
            "name": target.name,
            "task": target.task,
            "n_outputs": target.n_outputs,
            **({"outputs": list(target.outputs)} if target.outputs else {}),
            "classes": classes,
        },
    }


def _check_names(columns: list[dict[str, Any]], path: str) -> None:
    names = Counter(column["name"] for column in columns)
    if len(names) < len(columns):
        twice = next(name for name, n in names.items() if n > 1)
        Field(columns, path).fail("Column names must be unique.", f"two columns called {twice!r}")


def _check_listed(
    values: list[Any], types: tuple[type, ...], path: str, rule: str, noun: str
) -> None:
    """Reject duplicates, types not in `types`, infinite levels and integers of over 64 bits."""
    for at, value in enumerate(values):
        if type(value) not in types or (noun == "level" and value in (math.inf, -math.inf)):
            Field(value, f"{path}[{at}]").fail(rule)
        if type(value) is int:
            check_integer_size(Field(value, f"{path}[{at}]"))
    if len(set(values)) < len(values):
        plural = {"level": "Levels", "class": "Classes"}[noun]
        Field(values, path).fail(f"{plural} must be unique.", f"a duplicate {noun}")


def _labels_of_kind(values: list[Any], kind: str, path: str) -> npt.NDArray[Any]:
    """Return labels as an array of the given kind; reject labels of other types."""
    rule = f"Must be a label of type {kind}."
    _check_listed(values, _LABEL_TYPES[kind], path, rule, "class")
    labels = Field(values, path)
    if kind == "object":
        array = np.empty(len(values), dtype=object)
        array[:] = values
        return array
    if kind == "text":
        return text_array(labels, values)
    try:
        array = np.array(values, dtype=kind)
    except OverflowError:
        labels.fail(f"Labels must fit {kind}.", "a larger number")
    if kind.startswith("float") and not np.isfinite(array).all():
        labels.fail("Labels must be finite.", "an infinite label")
    return array


def schema_from_json(field: Field) -> Schema:
    """Read a schema from JSON; raise `ModelFileError` with the position of the first error."""
    field.object(("named", "columns", "target"))
    columns = tuple(_column_from_json(column) for column in field["columns"].items())
    _check_names(field["columns"].value, field["columns"].place)
    target = field.get("target")
    if target is None:
        field["target"].fail("A tree must have a target.")
    return Schema(columns, _target_from_json(target), field["named"].boolean())


def _column_from_json(field: Field) -> ColumnInfo:
    field.object(_COLUMN_KEYS, _OPTIONAL_COLUMN_KEYS)
    kind = Kind(field["kind"].text([str(kind) for kind in Kind]))
    levels: tuple[Any, ...] = ()
    if kind is Kind.NUMERIC:
        if "levels" in field.value:
            field["levels"].fail("A numeric column has no levels.")
    elif "levels" not in field.value:
        field.fail(f"A column of kind {kind} must have levels.", "no levels")
    else:
        levels = tuple(field["levels"].entries())
        _check_listed(list(levels), _LEVEL_TYPES, field["levels"].place, _LEVEL, "level")
        if len(levels) >= 2**31:
            field["levels"].fail("Must have fewer than 2**31 levels.")
    return ColumnInfo(
        name=field["name"].text(),
        kind=kind,
        levels=levels,
        display=field.optional("display", lambda entry: entry.text(get_args(Display)), "number"),
        n_missing=field.optional("n_missing", lambda entry: entry.integer(0, _COUNT), 0),
        minimum=field.optional("minimum", Field.number),
        maximum=field.optional("maximum", Field.number),
        zone=field.optional("zone", Field.text),
    )


def _target_from_json(field: Field) -> TargetInfo:
    field.object(("name", "task", "n_outputs", "classes"), ("outputs",))
    task = Task(field["task"].text(Task))
    n_outputs = field["n_outputs"].integer(1, 2**31)
    n_arrays = n_outputs if task.has_classes else 0
    return TargetInfo(
        name=field.optional("name", Field.text),
        task=task,
        classes=tuple(_labels_from_json(labels) for labels in field["classes"].items(n_arrays)),
        n_outputs=n_outputs,
        outputs=tuple(output.text() for output in field["outputs"].items(n_outputs))
        if "outputs" in field.value
        else (),
    )


def _labels_from_json(field: Field) -> npt.NDArray[Any]:
    field.object(("type", "labels"))
    kind = field["type"].text(_LABEL_TYPES)
    labels = field["labels"]
    if not labels.entries():
        labels.fail("Must have at least one class.")
    return _labels_of_kind(labels.value, kind, labels.place)
