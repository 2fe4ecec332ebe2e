"""Classes in the order in which a category type declares them.

scikit-learn sorts the classes of a target, and so do our estimators. R keeps the order of a
factor's levels, in which priors and losses are then given; the recipes that follow R ask for it
here. Declared are pandas categories, polars Enums, ordered Arrow dictionaries and
`ceiba.table.Levels`; everything else stays sorted.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import chain
from typing import Any

import numpy as np

from ceiba.table.declared import Levels
from ceiba.table.targets.target import Target


def in_declared_order(target: Target, y: Any) -> Target:
    """Return the target with its classes in the order that ``y`` declares, if it declares one."""
    declared = declared_classes(y)
    if declared is None or target.info.n_outputs != 1:
        return target
    classes = target.info.classes[0]
    position = {label: code for code, label in enumerate(classes.tolist())}
    order = [position[label] for label in declared if label in position]
    if len(order) < len(classes):  # the labels are written in another way than they are declared
        return target
    rank = np.empty(len(order), np.int32)
    rank[order] = np.arange(len(order), dtype=np.int32)
    return Target(replace(target.info, classes=(classes[order],)), rank[target.values])


def declared_classes(y: Any) -> list[Any] | None:
    """Return the declared classes of a target in their order; None if there is no such order."""
    if isinstance(y, Levels):
        return list(y.levels)
    if isinstance(y, np.ndarray | list | tuple):
        return None
    dtype = getattr(y, "dtype", getattr(y, "type", None))
    categories = getattr(dtype, "categories", None)  # pandas; polars Enum
    if categories is not None and type(dtype).__name__ != "Categorical":
        return list(categories.tolist() if hasattr(categories, "tolist") else categories)
    if getattr(dtype, "ordered", False):  # pyarrow, which cannot unify dictionaries that hold null
        levels = (chunk.dictionary.to_pylist() for chunk in getattr(y, "chunks", [y]))
        return [level for level in dict.fromkeys(chain(*levels)) if level is not None]
    return None
