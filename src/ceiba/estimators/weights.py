"""Weights of the classes, as a weight of each row."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils.class_weight import compute_sample_weight

from ceiba.errors import OptionError
from ceiba.table import Target
from ceiba.table.targets.split_target import split_target


def class_weights(class_weight: Any, target: Target) -> npt.NDArray[np.float64]:
    """Return the weight of each row implied by `class_weight` (per output if a list)."""
    labels = [classes[target.values[:, k]] for k, classes in enumerate(target.info.classes)]
    y = labels[0] if len(labels) == 1 else np.stack(labels, axis=1)
    if isinstance(class_weight, list) and len(class_weight) != len(labels) > 1:
        raise OptionError(  # in the words of scikit-learn, whose tests ask for them
            "The number of elements in class_weight should match number of outputs. "
            f"Got {len(class_weight)} for {len(labels)} outputs; give one dict for each."
        )
    try:
        weight = compute_sample_weight(class_weight, y)
    except (TypeError, ValueError) as error:
        classes = "; ".join(", ".join(map(repr, one.tolist())) for one in target.info.classes)
        raise OptionError(
            f"class_weight={class_weight!r} does not fit the target, whose classes are {classes}. "
            'Give "balanced", or a dict of these classes and their weights (several outputs: a '
            "list of dicts)."
        ) from error
    return np.ascontiguousarray(weight, dtype=np.float64)


def pop_column(X: Any, column: Any) -> tuple[Any, Any]:
    """Return X without a column that is given by name, and the column."""
    return split_target(X, column) if isinstance(column, str) else (X, column)
