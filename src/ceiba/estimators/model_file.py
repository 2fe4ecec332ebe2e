"""Estimators in the model file: class name, parameters, fitted attributes; and back.

The tree is written by `ceiba.tree.model_file`. Only classes of ceiba are written and made; their
parameters and attributes are plain values or objects of the pruning room (`values.py` there).
A fitted attribute that is no such value is left out: it can be had again by fitting.
"""

from __future__ import annotations

import os
import re
import warnings
from collections.abc import Iterator, Mapping
from typing import Any, BinaryIO, Final

from ceiba import grow, prune
from ceiba.errors import CeibaError, CeibaWarning, ModelFileError
from ceiba.estimators.base import BaseTree
from ceiba.estimators.old_parameters import OLD_NAMES, with_todays_names
from ceiba.listing import Listing
from ceiba.options import OptionObject
from ceiba.tree import Tree
from ceiba.tree.model_file import Document, write
from ceiba.tree.model_file.field import Field
from ceiba.tree.model_file.values import UnwritableError, from_json, refuse_deep, to_json

# Made again from the tree.
_FROM_TREE: Final = frozenset(
    {"tree_", "n_features_in_", "n_outputs_", "max_features_", "feature_names_in_", "classes_",
     "n_classes_", "metadata_"}
)  # fmt: skip
_FITTED_NAME: Final = re.compile(r"_?[a-z][a-z0-9_]*")


def save(
    model: BaseTree,
    path: str | os.PathLike[str] | BinaryIO,
    *,
    metadata: Mapping[str, Any] | None = None,
    compress: bool | None = None,
) -> None:
    """Write a fitted estimator into a model file; see its method `save`."""
    tree = model._fitted()
    name = type(model).__name__
    if _classes().get(name) is not type(model):
        raise ModelFileError(
            f"{name} is not a class of ceiba, so it cannot be made again from a file. Save its "
            "tree: model.tree_.save(path)."
        )
    known = _objects()
    parameters = {
        key: _parameter(key, value, known) for key, value in model.get_params(deep=False).items()
    }
    fitted = {}
    for key, value in vars(model).items():
        if key not in parameters and key not in _FROM_TREE and _FITTED_NAME.fullmatch(key):
            try:
                fitted[key] = to_json(value, known)
            except UnwritableError:
                continue
    stored = {"class": name, "parameters": parameters, "fitted": fitted}
    write(path, tree, model=stored, metadata=metadata, compress=compress)


def _parameter(name: str, value: Any, known: Mapping[str, type]) -> Any:
    try:
        return to_json(value, known)
    except UnwritableError:
        warnings.warn(
            f"{name}={value!r} cannot be written into a model file and is left out. The fitted "
            "tree is not affected; set the parameter again before fitting anew.",
            CeibaWarning,
            stacklevel=4,
        )
        return {"$object": ["left out", {}]}


def restore(document: Document) -> Any:
    """Make the fitted estimator of a model file; its tree if the file holds no estimator.

    Examples
    --------
    >>> import ceiba
    >>> from ceiba.estimators.model_file import restore
    >>> from ceiba.tree.model_file import dumps, loads
    >>> restore(loads(dumps(ceiba.tree.build(("x <= 2.5", "a", "b")))))
    <Tree: classification, 2 leaves, depth 1>
    """
    tree, stored = document.tree, document.model
    if stored is None:
        return tree
    stored.object(("class", "parameters", "fitted"))
    refuse_deep(stored)
    classes, known = _classes(), _objects()
    cls = classes[stored["class"].text(sorted(classes))]
    if cls._task != tree.task:
        stored["class"].fail(f"The tree is one of {tree.task}.")
    model = cls(**_read_parameters(stored["parameters"], cls, known))
    try:
        model._check_parameters()
        _around(model, tree)
    except CeibaError as error:
        stored["parameters"].fail(str(error), "parameters that no model has")
    fitted = stored["fitted"]
    if not isinstance(fitted.value, dict):
        fitted.fail("An object {...} is needed.")
    taken = {*_FROM_TREE, *cls._get_param_names()}
    for key in fitted.value:
        if key in taken or not _FITTED_NAME.fullmatch(key) or hasattr(cls, key):
            fitted.fail("A fitted attribute has a name of its own.", f"the name {key!r}")
        setattr(model, key, from_json(fitted[key], known))
    if hasattr(model, "certificate_"):
        tree.certified(model.certificate_)
    return model


def _read_parameters(
    field: Field, cls: type[BaseTree], known: Mapping[str, type]
) -> dict[str, Any]:
    field.object((), [*cls._get_param_names(), *OLD_NAMES])
    left_out = {"$object": ["left out", {}]}
    given = {
        key: from_json(field[key], known) for key in field.value if field.value[key] != left_out
    }
    return with_todays_names(given) if any(name in given for name in OLD_NAMES) else given


def _classes() -> dict[str, type[BaseTree]]:
    """Give all estimators of ceiba by name; those of families if their room was opened."""
    from ceiba.estimators import classifier, regressor  # noqa: F401 - in a fresh process

    return {
        cls.__name__: cls
        for cls in _below(BaseTree)
        if cls.__module__.startswith("ceiba.") and not cls.__name__.startswith("_")
    }


def _below(cls: type[BaseTree]) -> Iterator[type[BaseTree]]:
    for one in cls.__subclasses__():
        yield one
        yield from _below(one)


def _objects() -> dict[str, type]:
    """Give the classes that parameters and fitted attributes may be of, by name."""
    public = [getattr(room, name) for room in (grow, prune) for name in room.__all__]
    kept = (OptionObject, Listing, grow.Certificate)
    classes = [one for one in (*public, Listing) if isinstance(one, type)]
    return {one.__name__: one for one in classes if issubclass(one, kept)}


def wrap(tree: Tree) -> Any:
    """Give an estimator around a tree that was loaded, converted or written by hand.

    Examples
    --------
    >>> import ceiba
    >>> from ceiba.estimators.model_file import wrap
    >>> wrap(ceiba.tree.build(("x <= 2.5", "a", "b"))).predict({"x": [9.0]})
    array(['b'], dtype='<U1')
    """
    name = "Classifier" if tree.task == "classification" else "Regressor"
    return _around(_classes()[f"DecisionTree{name}"](), tree)


def _around(model: BaseTree, tree: Tree) -> BaseTree:
    """Set the fitted attributes that follow from a tree."""
    model._keep(tree)
    return model


def replace_tree(model: BaseTree, tree: Tree) -> Any:
    """Give an estimator with the parameters of another one and a tree of its own."""
    made = type(model)(**model.get_params(deep=False))
    return _around(made, tree)
