"""Weights of the classes, as a weight of each row."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils.class_weight import compute_sample_weight

from ceiba.errors import OptionError
from ceiba.table import Target, split_target


def class_weights(class_weight: Any, target: Target) -> npt.NDArray[np.float64]:
    """Give each row the weight of its class: a dict, "balanced", or a list for several outputs.

    Examples
    --------
    >>> from ceiba.estimators.weights import class_weights
    >>> from ceiba.table import read_target
    >>> target = read_target(["no", "no", "no", "yes"], task="classification")
    >>> class_weights({"yes": 3.0}, target)
    array([1., 1., 1., 3.])
    """
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


def taken_out(X: Any, column: Any) -> tuple[Any, Any]:
    """Take a column that is given by name out of X; what is no name stays as it is.

    Examples
    --------
    >>> from ceiba.estimators.weights import taken_out
    >>> taken_out({"age": [31, 45], "w": [1.0, 2.0]}, "w")
    ({'age': [31, 45]}, [1.0, 2.0])
    """
    return split_target(X, column) if isinstance(column, str) else (X, column)
