"""Create estimators from command line options."""

from __future__ import annotations

import ast
import contextlib
import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from ceiba._polars import pl
from ceiba.cli.options.shared_options import split_pair
from ceiba.errors import DataError, OptionError, did_you_mean
from ceiba.table.files import ReadOptions, load_table
from ceiba.task import Task

_FEW: Final = 20
_RECIPES: Final = ("cart", "rpart", "id3", "c45", "chaid")


def read_task(name: str) -> Task:
    """Return the task named by ``--task``."""
    from ceiba.estimators.parameters import ESTIMATORS

    if name not in ESTIMATORS:
        raise OptionError(f"--task must be one of {', '.join(ESTIMATORS)}, got {name!r}.")
    return Task(name)


def infer_task(y: pl.Series, name: str | None) -> Task:
    """Return the task `name`, or the task inferred from the target if `name` is None."""
    if name is not None:
        return read_task(name)
    if not y.dtype.is_numeric():
        return Task.CLASSIFICATION
    if y.dtype.is_float() and not (y == y.round()).all():
        return Task.REGRESSION
    return Task.CLASSIFICATION if y.n_unique() <= _FEW else Task.REGRESSION


def read_settings(texts: Sequence[str] | None) -> dict[str, Any]:
    """Parse ``name=value`` settings into a dict; values other than Python literals are strings."""
    settings: dict[str, Any] = {}
    for text in texts or ():
        name, value = split_pair("--set", text, "NAME=VALUE")
        name = name.strip().replace("-", "_")
        settings[name] = value
        with contextlib.suppress(ValueError, SyntaxError):
            settings[name] = ast.literal_eval(value)
    return settings


def read_pairs(text: str, option: str, labels: Sequence[Any]) -> dict[Any, float]:
    """Parse a text such as ``yes=0.4,no=0.6`` into a dict from class labels to numbers."""
    by_text = {str(label): label for label in labels}
    numbers: dict[Any, float] = {}
    for pair in text.split(","):
        name, equals, value = pair.partition("=")
        try:
            number = float(value)
        except ValueError:
            equals = ""
        if not equals:
            raise OptionError(f"{option} must be a list such as yes=2,no=1, got {text!r}.")
        numbers[_find_label(name.strip(), by_text, option)] = number
    return numbers


def _find_label(text: str, by_text: Mapping[str, Any], option: str) -> Any:
    if text not in by_text:
        hint = did_you_mean(text, by_text)
        raise OptionError(f"{option}: class not found in the target: {text!r}.{hint}")
    return by_text[text]


def read_costs(path: str, labels: Sequence[Any]) -> dict[tuple[Any, Any], float]:
    """Return costs by (true class, predicted class) from a CSV file with three columns."""
    frame = load_table(path, ReadOptions()).frame
    if frame.width != 3:
        raise DataError(
            f"{path} must have three columns (truth, predicted, cost), got {frame.width}."
        )
    by_text = {str(label): label for label in labels}
    costs = {}
    for truth, predicted, cost in frame.rows():
        if not isinstance(cost, int | float):
            raise DataError(f"{path}: cost must be a number, got {cost!r}.")
        pair = (
            _find_label(str(truth), by_text, "--costs"),
            _find_label(str(predicted), by_text, "--costs"),
        )
        costs[pair] = float(cost)
    return costs


def make_model(task: Task, recipe: str | None, options: Mapping[str, Any]) -> Any:
    """Create the estimator for a task or recipe; options that are None are not passed."""
    from ceiba import estimators, families
    from ceiba.estimators.parameters import ESTIMATORS, PARAMETERS
    from ceiba.families.rpart import RPART_OPTIONS

    params = {name: value for name, value in options.items() if value is not None}
    make: Callable[..., Any]
    if recipe is None:
        make = getattr(estimators, task.lookup(ESTIMATORS, "An estimator"))
    elif recipe in _RECIPES:
        make = getattr(families, recipe)
    else:
        raise OptionError(
            f"Unknown --recipe {recipe!r}. Allowed values: {', '.join(_RECIPES)}."
            f"{did_you_mean(recipe, _RECIPES)}"
        )
    signature = inspect.signature(make).parameters
    allowed = {*signature, *(RPART_OPTIONS if recipe == "rpart" else PARAMETERS[task])}
    if recipe == "rpart":
        params.setdefault("method", "class" if task.is_classification("rpart") else "anova")
        renamed = {"class_prior": "prior", "cost_matrix": "loss", "max_depth": "maxdepth",
                   "min_samples_split": "minsplit", "min_samples_leaf": "minbucket",
                   "max_competitors": "maxcompete"}  # fmt: skip
        params = {renamed.get(name, name): value for name, value in params.items()}
    elif recipe is not None and "task" in signature:
        params.setdefault("task", task)
    nested = {name: params.pop(name) for name in list(params) if "__" in name}
    for name in params:
        if name not in allowed:
            hint = did_you_mean(name, allowed)
            owner = recipe or f"{task} trees"
            raise OptionError(f"Unknown option for {owner}: {name!r}.{hint}")
    model = make(**params)
    return model.set_params(**nested) if nested else model


def check_before_reading(
    task: str | None, recipe: str | None, options: Mapping[str, Any], settings: Mapping[str, Any]
) -> None:
    """Raise an error before reading a file if the options are invalid for every possible task."""
    from ceiba.cli.options.flags import use_flag_names
    from ceiba.estimators.parameters import ESTIMATORS, grow_options

    failures = []
    for kind in ESTIMATORS if task is None else (read_task(task),):
        try:
            model = make_model(kind, recipe, {**options, **settings})
            params = model._check_parameters()
            if hasattr(model, "_task"):
                grow_options(params, model._task)
        except OptionError as error:
            failures.append(use_flag_names(str(error)))
        else:
            return
    if len(set(failures)) == 1:  # the error does not depend on the task
        raise OptionError(failures[0])


def split_rows(y: Any, share: float, seed: int, task: Task) -> tuple[Any, Any]:
    """Return the indices of training and held-out rows, stratified if the target has classes."""
    from ceiba.inspection import split_held_out_rows

    codes = None
    if task.has_classes:
        codes = y.cast(pl.String).rank("dense").to_numpy()
    return split_held_out_rows(codes, len(y), share, seed)
