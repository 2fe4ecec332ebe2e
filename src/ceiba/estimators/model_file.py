"""Write and read estimators in model files: class, parameters and fitted attributes.

The tree is written by `ceiba.tree.model_file`. Only classes of ceiba are supported; their
parameters and attributes are plain values, trees, or objects of `ceiba.grow` and `ceiba.prune`
(`values.py` there). Other values are omitted with a warning.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Mapping
from typing import Any, Final

import numpy as np

from ceiba import grow, prune
from ceiba.errors import CeibaError, CeibaWarning, ModelFileError
from ceiba.estimators.base import BaseTree
from ceiba.estimators.parameters import ESTIMATORS
from ceiba.listing import Listing
from ceiba.options import OptionObject
from ceiba.prune.cross_validation import StepFunctions
from ceiba.tree import Tree
from ceiba.tree.model_file import (
    Document,
    Field,
    UnwritableError,
    check_depth,
    from_json,
    schema_from_json,
    schema_to_json,
    to_json,
    tree_from_json,
    tree_to_json,
)

# Fitted attributes that are derived from the tree and therefore not stored.
_FROM_TREE: Final = frozenset(
    {"tree_", "n_features_in_", "n_outputs_", "max_features_", "feature_names_in_", "classes_",
     "n_classes_", "unique_times_", "metadata_", "certificate_", "_present"}
)  # fmt: skip
#: The classes allowed for parameters and fitted attributes, by name.
_OBJECTS: Final = {
    cls.__name__: cls
    for cls in (
        *(getattr(room, name) for room in (grow, prune) for name in room.__all__),
        Listing,
        StepFunctions,
    )
    if isinstance(cls, type)
    and issubclass(cls, OptionObject | Listing | prune.CrossValidation | StepFunctions)
}
_LEFT_OUT: Final = {"$object": ["left out", {}]}
_MAX_REPR: Final = 80  # maximum length of a value in a warning
_FITTED_NAME: Final = re.compile(r"_?[a-z][a-z0-9_]*")


def model_to_json(model: BaseTree) -> dict[str, Any]:
    """Return the class, parameters and fitted attributes of an estimator as plain data."""
    cls, name = type(model), type(model).__name__
    if not cls.__module__.startswith("ceiba.") or name.startswith("_"):
        raise ModelFileError(
            f"{name} is not a ceiba class, so it cannot be saved. Save its tree: "
            "model.tree_.save(path)."
        )
    parameters = {
        key: _to_plain(key, value, "set the parameter again before the next fit.")
        for key, value in model.get_params(deep=False).items()
    }
    fitted, attributes = {}, {}
    for key, value in vars(model).items():
        if key not in parameters and key not in _FROM_TREE and _FITTED_NAME.fullmatch(key):
            plain = _to_plain(key, value, "fit again to compute the attribute.")
            if plain != _LEFT_OUT:
                fitted[key], attributes[key] = plain, value
    fields = {"class": name, "parameters": parameters, "fitted": fitted}
    _refuse_unusable(model, attributes, model._tree, Field(fields, "model"))
    return fields


def _refuse_unusable(model: BaseTree, fitted: Mapping[str, Any], tree: Tree, field: Field) -> None:
    """Raise an error if the parameters or fitted attributes of a stored model are invalid."""
    check_depth(field)
    cls = type(model)
    if isinstance(cls._task, str) and cls._task != tree.task:  # rpart models have no fixed task
        field["class"].fail(f"Must be a class for {tree.task} trees.")
    try:
        model._check_parameters()
    except CeibaError as error:
        field["parameters"].fail(str(error), "parameters that no model has")
    reserved = {*_FROM_TREE, *cls._get_param_names()}
    for key, value in fitted.items():
        if key in reserved or not _FITTED_NAME.fullmatch(key) or hasattr(cls, key):
            field["fitted"].fail("Must be an unused name in lowercase.", f"the name {key!r}")
        if key in _FITTED and not _FITTED[key](value):
            field["fitted"][key].fail(f"Must be a valid {key}.")


def _to_plain(name: str, value: Any, advice: str) -> Any:
    """Convert a value to plain data; if it cannot be written, warn and return a placeholder."""
    if isinstance(value, Tree):
        return {"$tree": {"schema": schema_to_json(value.schema), "tree": tree_to_json(value)}}
    try:
        return to_json(value, _OBJECTS)
    except UnwritableError:
        text = repr(value)
        text = text if len(text) <= _MAX_REPR else f"<{type(value).__name__}>"
        warnings.warn(
            f"{name}={text} cannot be written to a model file and is omitted. The fitted tree is "
            f"not affected; {advice}",
            CeibaWarning,
            stacklevel=5,
        )
        return _LEFT_OUT


def restore(document: Document) -> Any:
    """Return the fitted estimator of a model file, or the tree if the file has no estimator."""
    tree, field = document.tree, document.model
    if field is None:
        return tree
    field.object(("class", "parameters", "fitted"))
    check_depth(field)
    classes = _estimator_classes()
    cls = classes[field["class"].text(sorted(classes))]
    settings, fitted = field["parameters"].object((), cls._get_param_names()), field["fitted"]
    if not isinstance(fitted.value, dict):
        fitted.fail("Must be an object {...}.")
    parameters = {
        key: from_json(settings[key], _OBJECTS)
        for key in settings.value
        if settings.value[key] != _LEFT_OUT
    }
    model = cls(**parameters)
    attributes = {}
    for key, value in fitted.value.items():
        if isinstance(value, dict) and "$tree" in value:
            parts = fitted[key].object(("$tree",))["$tree"].object(("schema", "tree"))
            attributes[key] = tree_from_json(parts["tree"], schema_from_json(parts["schema"]))
        else:
            attributes[key] = from_json(fitted[key], _OBJECTS)
    _refuse_unusable(model, attributes, tree, field)
    try:
        model._set_fitted(tree)
    except CeibaError as error:
        field["parameters"].fail(str(error), "parameters that no model has")
    model.__dict__.update(attributes)
    return model


def _is_figures(value: Any) -> bool:
    """Whether a value is an array of numbers, or None."""
    return value is None or _are_numbers("iuf", value)


def _is_pruning_table(value: Any) -> bool:
    """Whether a value is a valid pruning table."""
    if not isinstance(value, Listing) or not all(
        isinstance(text, str) for text in (value.title, value.legend, *value.columns)
    ):
        return False
    names = set(value.columns)
    if not isinstance(value, prune.PruningTable):
        return names.isdisjoint({"alpha", "cv_risk", "chosen"})
    if not {"alpha", "cp", "n_leaves", "n_splits", "chosen"} <= names:
        return False
    chosen, n_leaves = value["chosen"], value["n_leaves"]
    return (
        (chosen.dtype == bool and chosen.ndim == 1 and int(chosen.sum()) == 1)
        and (n_leaves.dtype.kind in "iu" and bool((n_leaves > 0).all()))
        and ("cv_se" in names or "cv_risk" not in names)
        and all(_is_figures(value[name]) for name in names - {"chosen"})
    )


def _is_cross_validation(value: Any) -> bool:
    """Whether a value is a `CrossValidation` object with valid arrays."""
    if not isinstance(value, prune.CrossValidation) or not _are_numbers(
        "f", value.alpha, value.risk, value.se, value.sd, value.row_weight
    ):
        return False
    classes, costs, held_out = value.classes, value.costs, value.held_out
    codes: Any = value.codes
    if classes is not None:
        size = len(classes) if isinstance(classes, np.ndarray) and classes.ndim == 1 else 0
        if not (_are_numbers("iu", codes) and _within(codes, size)):
            return False
        if codes.shape != value.row_weight.shape or not (
            costs is None or (_are_numbers("f", costs, ndim=2) and costs.shape == (size, size))
        ):
            return False
    return (
        len({len(values) for values in (value.alpha, value.risk, value.se, value.sd)}) == 1
        and len(value.alpha) > 0
        and all(type(count) is int and count > 0 for count in (value.n_folds, value.n_repeats))
        and (held_out is None or (isinstance(held_out, tuple) and len(held_out) == value.n_repeats))
        and all(_are_step_functions(functions, value) for functions in held_out or ())
    )


def _are_step_functions(value: Any, of: prune.CrossValidation) -> bool:
    """Whether a value contains valid held-out predictions for each pruning step."""
    if not isinstance(value, StepFunctions) or not (
        _are_numbers("iu", value.row, value.start, value.step)
        and _are_numbers("f" if of.classes is None else "iu", value.answer)
    ):
        return False
    start = value.start
    return (
        (len(start) == len(value.row) + 1 and start[0] == 0 and bool((np.diff(start) > 0).all()))
        and start[-1] == len(value.step) == len(value.answer)
        and _within(value.row, len(of.row_weight))
        and _within(value.step, len(of.alpha))
        and not value.step[start[:-1]].any()
        and (of.classes is None or _within(value.answer, len(of.classes)))
    )


def _are_numbers(kinds: str, *arrays: Any, ndim: int = 1) -> bool:
    return all(
        isinstance(array, np.ndarray) and array.ndim == ndim and array.dtype.kind in kinds
        for array in arrays
    )


def _within(numbers: Any, size: int) -> bool:
    """Whether all numbers are indices from 0 to `size` - 1."""
    return len(numbers) == 0 or (int(numbers.min()) >= 0 and int(numbers.max()) < size)


#: Functions that validate the fitted attributes in a model file, by attribute name.
_FITTED: Final[Mapping[str, Callable[[Any], bool]]] = {
    **dict.fromkeys(
        ("alpha_", "leaf_strength_", "_last_cp"),
        lambda value: type(value) in (int, float) and value == value,
    ),
    "pruning_table_": _is_pruning_table,
    "cross_validation_": _is_cross_validation,
    "unpruned_tree_": lambda value: isinstance(value, Tree),
    "n_rows_dropped_": lambda value: type(value) is int and value >= 0,
    "_counts_rows": lambda value: value is True,
    "_matches_names": lambda value: value is True,
    "_cv_risk": _is_figures,
    "_cv_se": _is_figures,
}


def _estimator_classes() -> dict[str, type[BaseTree]]:
    """Return all imported ceiba estimators by name."""
    from ceiba.estimators import classifier, regressor, survival  # noqa: F401 - the subclasses

    family: list[type[BaseTree]] = [BaseTree]
    for cls in family:
        family += cls.__subclasses__()
    # Omit base classes, which do not define __init__.
    return {
        cls.__name__: cls
        for cls in family
        if cls.__module__.startswith("ceiba.") and "__init__" in vars(cls)
    }


def wrap_tree(tree: Tree) -> Any:
    """Wrap a tree in a fitted estimator of the class that matches the task of the tree."""
    return _estimator_classes()[tree.task.lookup(ESTIMATORS, "An estimator")].from_tree(tree)


def replace_tree(model: BaseTree, tree: Tree) -> Any:
    """Return a fitted estimator with the parameters of `model` and a new tree."""
    other = type(model)(**model.get_params(deep=False))
    marks = ("_counts_rows", "_matches_names")
    other.__dict__.update({name: True for name in marks if name in model.__dict__})
    other._set_fitted(tree)
    return other
