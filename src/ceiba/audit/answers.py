"""Compute predictions of models: estimators, callables, model files or arrays of predictions."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Mapping
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from ceiba.errors import CeibaError, DataError, OptionError
from ceiba.inspection import mean_interval, wilson
from ceiba.table import Table, read
from ceiba.table.readers import as_frame, missing_mask
from ceiba.table.targets import pop_target
from ceiba.task import Task
from ceiba.tree import Tree, load

Array = npt.NDArray[Any]
_MOST_CLASSES: Final = 20


def open_model(model: Any, name: str = "model") -> Any:
    """Return `model`, or load it from a model file if it is a path."""
    if isinstance(model, str | os.PathLike):
        model = load(model)
    if isinstance(model, type):
        raise OptionError(f"{name} must be a fitted model, got the class {model.__name__}.")
    if isinstance(tree := getattr(model, "tree_", model), Tree):
        tree.task.require((Task.CLASSIFICATION, Task.REGRESSION), "Auditing a model")
    return model


def predict_with(model: Any, X: Any, n_rows: int, name: str = "model") -> Array:
    """Return one prediction per row of X."""
    if hasattr(model, "predict"):
        values = _call(model.predict, columns_for(model, X), name)
    elif callable(model):
        values = _call(model, X, name)
    else:
        values = model
    answers = np.asarray(values)
    if answers.ndim == 2 and answers.shape[1] == 1:
        answers = answers[:, 0]
    if answers.shape != (n_rows,):
        raise DataError(f"Predictions of {name} must have shape ({n_rows},), got {answers.shape}.")
    _check_present(answers, f"Predictions of {name}")
    return answers


def columns_for(model: Any, X: Any) -> Any:
    """Select the model's columns of X in order; return X unchanged if that is not possible."""
    names = getattr(model, "feature_names_in_", None)
    if isinstance(model, Tree) and model.schema.named:
        names = model.schema.names
    if names is None:
        return X
    inputs = [str(name) for name in names]
    if isinstance(X, Table):
        columns = X.schema.names
        return X.select([columns.index(n) for n in inputs]) if set(inputs) <= set(columns) else X
    if isinstance(X, Mapping):
        return {name: X[name] for name in inputs} if set(inputs) <= set(X) else X
    if hasattr(X, "columns") and (frame := as_frame(X)) is not None:
        return frame[inputs].to_native() if set(inputs) <= set(frame.columns) else X
    return X


def classes_of(model: Any) -> list[Any] | None:
    """Return the class labels of a single-output model, or None if they are unknown."""
    if isinstance(model, Tree):
        has_one = model.task.has_classes and model.n_outputs == 1
        return model.target.classes[0].tolist() if has_one else None
    classes = getattr(model, "classes_", None)
    return None if classes is None or np.ndim(classes) != 1 else np.asarray(classes).tolist()


def predict_shares(model: Any, X: Any, n_rows: int, name: str) -> tuple[Array, list[Any]] | None:
    """Return the class probabilities of each row and the class labels, or None if unavailable."""
    classes = classes_of(model)
    if classes is None or not hasattr(model, "predict_proba"):
        return None
    shares = np.asarray(_call(model.predict_proba, columns_for(model, X), name))
    return (shares, classes) if shares.shape == (n_rows, len(classes)) else None


def are_numbers(model: Any, *answers: Array) -> bool:
    """Whether a model is a regressor, judged by its type or, if unknown, by its predictions.

    Numeric predictions with a fraction or more than twenty distinct values are not classes.
    """
    from sklearn.base import is_classifier, is_regressor

    if isinstance(model, Tree):
        return not model.task.has_classes
    if hasattr(model, "predict"):
        try:
            if is_regressor(model) or is_classifier(model):
                return bool(is_regressor(model))
        except (AttributeError, TypeError):  # the model is not a scikit-learn estimator
            pass
    return all(values.dtype.kind in "fiu" for values in answers) and any(
        bool((values != np.round(values)).any()) or len(np.unique(values)) > _MOST_CLASSES
        for values in answers
    )


def read_rows(X: Any, y: Any) -> tuple[Any, Any, Table]:
    """Return the features, the target (None if not given), and the features as a `Table`."""
    X, y = pop_target(X, y)
    table = read(X)
    if y is not None:
        y = np.asarray(y)
        if y.shape != (table.n_rows,):
            raise DataError(f"y must have shape ({table.n_rows},), got {y.shape}.")
        _check_present(y, "y")
    return X, y, table


def as_numbers(values: Array, name: str) -> Array:
    """Convert values to finite floats, or raise an error."""
    try:
        numbers = values.astype(float)
    except (TypeError, ValueError):
        raise DataError(f"{name} must be numeric, got dtype {values.dtype}.") from None
    if not (finite := np.isfinite(numbers)).all():
        raise DataError(f"{name} must contain only finite numbers, got {numbers[~finite][0]}.")
    return numbers


def check_labels(model: Any, answers: Array, truth: Array, name: str = "model") -> None:
    """Raise an error if the true labels and the model have no class in common."""
    labels = classes_of(model)
    if labels is None:
        labels = answers.tolist()
        if (answers.dtype.kind in "US") == (truth.dtype.kind in "US"):
            return  # a sample of predictions may lack some classes
    if not set(labels) & set(truth.tolist()):
        raise DataError(
            f"y and {name} have no class in common: y has {_some(truth.tolist())}, but {name} "
            f"predicts {_some(labels)}."
        )


def divide_rows(n_rows: int, n_first: int, random_state: Any) -> tuple[Array, Array]:
    """Return the sorted indices of `n_first` random rows and of all other rows."""
    if not isinstance(random_state, int | np.integer) or random_state < 0:
        raise OptionError(f"random_state must be a non-negative int, got {random_state!r}.")
    order = np.random.default_rng(random_state).permutation(n_rows)
    return np.sort(order[:n_first]), np.sort(order[n_first:])


def mean_with_interval(values: Array) -> tuple[float, float, float]:
    """Return the mean of numbers or booleans with its 95 % confidence interval."""
    n = len(values)
    if not n:
        return (math.nan,) * 3
    mean = float(values.mean())
    is_share = values.dtype.kind == "b"
    return mean, *(wilson(mean, n) if is_share else mean_interval(values, np.ones(n), n))


def _check_present(values: Array, name: str) -> None:
    missing = missing_mask(values.tolist())
    if missing is not None:
        raise DataError(
            f"{name} must not have missing values, got {int(missing.sum())} (the first in row "
            f"{int(np.argmax(missing))}). Drop these rows."
        )


def _some(labels: list[Any]) -> str:
    different = list(dict.fromkeys(labels))
    return f"[{', '.join(map(repr, different[:5]))}{', ...' if len(different) > 5 else ''}]"


def _call(function: Callable[[Any], Any], X: Any, name: str) -> Any:
    """Call a model; re-raise any error that is not from ceiba as a `DataError`."""
    try:
        return function(X)
    except CeibaError:
        raise
    except Exception as error:
        raise DataError(f"Model {name!r} cannot predict X: {error}") from error
