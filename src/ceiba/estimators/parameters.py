"""Parameters of the estimators, and functions that check and convert their values."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from numbers import Integral
from types import MappingProxyType
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from ceiba.errors import CeibaWarning, OptionError
from ceiba.grow import (
    LEAF_VALUES,
    OPTIONS,
    GrowOptions,
    Honest,
    MEstimate,
    Shrinkage,
    expand_leaf_values,
    resolve_min_leaf,
    resolve_min_split,
)
from ceiba.grow import expand as expand_grow_option
from ceiba.options import (
    Check,
    Option,
    array_like,
    check_options,
    instance,
    nothing,
    number,
    one_of,
)
from ceiba.prune import PRUNING_NAMES, Pruning, read_pruning
from ceiba.prune.cross_validation import read_seed
from ceiba.table import Target
from ceiba.table.targets import split_target
from ceiba.task import Task

_RANDOM_STATE: Final = Option(
    "random_state",
    None,
    (
        Check(
            "an int in the range [0, 4294967295]",
            lambda value: (
                isinstance(value, Integral)
                and not isinstance(value, bool)
                and 0 <= int(value) < 2**32
            ),
        ),
        instance("an instance of 'numpy.random.mtrand.RandomState'", np.random.RandomState),
        nothing,
    ),
    "int, RandomState instance or None",
    'Seed of `max_features`, `splitter="random"` and the folds of `prune`. None is the fixed seed '
    "0, so two fits return the same tree.",
    flag=int,
)

_ESTIMATOR_OPTIONS: Final = (
    _RANDOM_STATE,
    Option(
        "ccp_alpha",
        0.0,
        (number(0.0),),
        "non-negative float",
        "Cost per leaf, in units of impurity, as in scikit-learn's cost-complexity pruning.",
        flag=float,
    ),
    Option(
        "categorical_features",
        "from_dtype",
        (one_of("from_dtype"), array_like(), nothing),
        '"from_dtype", list or mask',
        "Categorical columns. By default, columns of strings, categories or enums.",
    ),
    Option(
        "prune",
        None,
        (nothing, one_of(*PRUNING_NAMES), instance("an object from ceiba.prune", Pruning)),
        '{"cv", "1se"} or pruning object',
        'Pruning method. "cv": the tree with the lowest cross-validated risk. "1se": the smallest '
        "tree within one standard error of it. Or an object of `ceiba.prune`, such as "
        '`CostComplexity(folds=5, rule="1se")`. None: no pruning.',
        flag=str,
    ),
    Option(
        "leaf_values",
        "share",
        (
            one_of(*LEAF_VALUES, "honest"),
            instance("MEstimate, Shrinkage or Honest", MEstimate, Shrinkage, Honest),
        ),
        '{"share", "laplace", "m_estimate", "shrinkage", "honest"}, MEstimate, Shrinkage or Honest',
        'Values of leaves. "share": the share of each class in the leaf, or the mean. "laplace": '
        'the shares after adding a row of each class. "m_estimate": shrunk towards the root. '
        '"shrinkage": shrunk towards the nodes above. Cross-validation chooses the strength of '
        'these two unless an object sets it. "honest": from half of the rows, which are not used '
        "for the splits; `Honest(share=0.3, values=...)` for another share or smoothing.",
        flag=str,
    ),
)

_CLASS_WEIGHT: Final = Option(
    "class_weight",
    None,
    (instance("a dict", dict), instance("a list of dicts", list), one_of("balanced"), nothing),
    'dict, list of dict or "balanced"',
    "Weight of each class, times the weight of the row.",
)
_LEAF_QUANTILES: Final = Option(
    "leaf_quantiles",
    None,
    (array_like("a sequence of levels between 0 and 1"), nothing),
    "sequence of float",
    "Quantiles of the target that are stored for each node, such as `(0.1, 0.5, 0.9)`. "
    "`predict_quantiles` and `evaluate` use them.",
    flag=tuple,
)
_SKLEARN_ORDER: Final = (
    "criterion", "splitter", "max_depth", "min_samples_split", "min_samples_leaf",
    "min_weight_fraction_leaf", "max_features", "random_state", "max_leaf_nodes",
    "min_impurity_decrease", "class_weight", "ccp_alpha", "monotonic_cst",
)  # fmt: skip
#: Pairs of parameters that exclude each other, with the reason.
_EXCLUSIVE: Final = (
    ("class_weight", "class_prior", "both change how much a class counts"),
    ("prune", "ccp_alpha", "both prune the tree"),
)
PLAIN: Final = (int, float, str, bool)  # cacheable types: immutable and hashable


def _order_options(task: Task) -> Mapping[str, Option]:
    """Return the parameters of a task's estimator in signature order, scikit-learn's first."""
    rows = {**OPTIONS[task], **{row.name: row for row in _ESTIMATOR_OPTIONS}}
    del rows["frequency_weights"]  # an argument of `fit` sets this option
    if task.has_classes:
        rows["class_weight"] = _CLASS_WEIGHT
    elif task is Task.REGRESSION:
        rows["leaf_quantiles"] = _LEAF_QUANTILES
    first = [name for name in _SKLEARN_ORDER if name in rows]
    order = [*first, *(name for name in rows if name not in first)]
    return MappingProxyType({name: rows[name] for name in order})


ESTIMATORS: Final = MappingProxyType(
    {
        Task.CLASSIFICATION: "DecisionTreeClassifier",
        Task.REGRESSION: "DecisionTreeRegressor",
        Task.SURVIVAL: "DecisionTreeSurvival",
    }
)
PARAMETERS: Final[Mapping[Task, Mapping[str, Option]]] = MappingProxyType(
    {task: _order_options(task) for task in OPTIONS}
)

_ALLOWED: Final = {
    task: {name: row.allowed for name, row in rows.items()} for task, rows in PARAMETERS.items()
}


def check_params(params: Mapping[str, Any], task: Task, owner: str) -> None:
    """Raise an error for invalid values and for values that cannot be combined."""
    check_options(params, _ALLOWED[task], owner)
    for name, other, why in _EXCLUSIVE:
        if params.get(name) is not None and params.get(other) is not None:
            raise OptionError(
                f"{name}={params[name]!r} and {other}={params[other]!r} {why}. Pass only one."
            )


def expand(name: str, value: Any) -> Any:
    """Return the option object for a short form such as "1se"; return other values unchanged."""
    if name == "prune" and isinstance(value, str) and value in PRUNING_NAMES:
        return read_pruning(value)
    if name == "leaf_values":
        return expand_leaf_values(value)
    return expand_grow_option(name, value)


def grow_options(params: Mapping[str, Any], task: Task) -> GrowOptions:
    """Return the growing options for the non-default parameters."""
    chosen = {name: value for name, value in params.items() if name in OPTIONS[task]}
    if "random_state" in params:
        chosen["seed"] = read_seed(params["random_state"])
    return GrowOptions(task=task, **chosen)


def warn_of_idle_split(params: Mapping[str, Any], n_rows: int) -> None:
    """Warn if `min_samples_split` has no effect because of `min_samples_leaf`."""
    leaf = resolve_min_leaf(params["min_samples_leaf"], n_rows)
    split = resolve_min_split(params["min_samples_split"], 0, n_rows)
    if leaf >= split:
        warnings.warn(
            f"min_samples_split={params['min_samples_split']!r} has no effect: "
            f"min_samples_leaf={params['min_samples_leaf']!r} requires {2 * leaf} rows to split a "
            f"node. Omit one of them.",
            CeibaWarning,
            stacklevel=4,
        )


def class_weights(class_weight: Any, target: Target) -> npt.NDArray[np.float64]:
    """Return the weight of each row implied by `class_weight`."""
    from sklearn.utils.class_weight import compute_sample_weight  # slow import

    labels = [classes[target.values[:, k]] for k, classes in enumerate(target.info.classes)]
    y = labels[0] if len(labels) == 1 else np.stack(labels, axis=1)
    if isinstance(class_weight, list) and len(class_weight) != len(labels) > 1:
        raise OptionError(  # scikit-learn's tests require this wording
            "The number of elements in class_weight should match number of outputs. "
            f"Got {len(class_weight)} for {len(labels)} outputs; pass one dict for each."
        )
    try:
        weight = compute_sample_weight(class_weight, y)
    except (TypeError, ValueError) as error:
        classes = "; ".join(", ".join(map(repr, names.tolist())) for names in target.info.classes)
        raise OptionError(
            f"class_weight={class_weight!r} does not match the classes {classes}. Pass 'balanced', "
            "or a dict from class to weight (for several outputs, a list of dicts)."
        ) from error
    return np.ascontiguousarray(weight, dtype=np.float64)


def pop_column(X: Any, column: Any) -> tuple[Any, Any]:
    """Remove a column that is given by name from X; return X and the column."""
    return split_target(X, column) if isinstance(column, str) else (X, column)
