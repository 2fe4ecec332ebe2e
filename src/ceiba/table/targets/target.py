"""The target: columns of class codes (int32) or numbers (float64), C order, nothing missing.

Arrays, lists, Series and frames are taken; a 2-d target has several outputs. Errors speak scikit-
learn's words.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ceiba.errors import DataError, DataTypeError, DataWarning
from ceiba.table.levels import Levels
from ceiba.table.readers.frames import as_array, column_of_series
from ceiba.table.readers.mappings import open_mapping
from ceiba.table.readers.numeric import refuse_complex
from ceiba.table.readers.objects import column_of_objects, missing_mask
from ceiba.table.readers.sparse import is_sparse
from ceiba.table.schema import TargetInfo
from ceiba.table.targets.labels import code_labels, refuse_infinite
from ceiba.table.weights import exact_sums
from ceiba.task import Task, TaskName

Array = NDArray[Any]


@dataclass(frozen=True, eq=False)
class Target:
    """What is to be learned, row by row.

    Parameters
    ----------
    info : TargetInfo
        Name, task, classes.
    values : ndarray of shape (n_rows, n_outputs), C order
        int32 codes of ``info.classes`` (classification) or float64 (regression).

    Examples
    --------
    >>> target = read_target(["no", "yes", "no"], task="classification")
    >>> target.values.ravel().tolist(), target.info.classes[0].tolist()
    ([0, 1, 0], ['no', 'yes'])
    """

    info: TargetInfo
    values: Array

    def take(self, rows: Array) -> Target:
        """Return the target of these rows (positions or mask), with the same classes."""
        return Target(self.info, np.ascontiguousarray(self.values[rows]))

    def class_totals(self, weight: Array | None) -> NDArray[np.float64]:
        """Return the weight of each class of the first output."""
        n_classes = len(self.info.classes[0])
        if weight is None:
            return np.bincount(self.values[:, 0], minlength=n_classes).astype(float)
        codes = np.ascontiguousarray(self.values[:, 0])
        return exact_sums(weight, codes, n_classes)

    def __len__(self) -> int:
        return len(self.values)


def read_target(
    y: Any,
    *,
    task: Task | TaskName,
    n_rows: int | None = None,
    name: str | None = None,
    n_threads: int = 1,
) -> Target:
    """Read a target.

    Parameters
    ----------
    y : array-like, Series, frame or Target
        One value for each row, or several (2-d): several outputs. Class labels of any sortable
        type. What was read already is taken as it is.
    task : {"classification", "regression"}
        What is learned.
    n_rows : int, optional
        Rows of the table; another number of values is an error.
    name : str, optional
        Name of the target; else that of the Series.
    n_threads : int, default=1
        Threads that code whole numbers.

    Returns
    -------
    Target

    Raises
    ------
    DataError
        Missing or infinite values, another number of rows, continuous values as classes, strings as
        numbers.

    Examples
    --------
    >>> read_target([1.5, 2], task="regression", n_rows=2).values
    array([[1.5],
           [2. ]])
    """
    task = Task(task)
    if isinstance(y, Target):
        if y.info.task != task:
            raise DataError(
                f"This target was read for {y.info.task}, and {task} is to be learned from it."
            )
        _check_rows(list(y.values.T), n_rows)
        return y
    # The fast path, for classes as whole numbers: nothing can be missing or infinite.
    if task.has_classes and type(y) is np.ndarray and y.ndim == 1 and y.dtype == np.int64:
        _check_rows([y], n_rows)
        classes, codes = code_labels(y, n_threads)
        _warn_of_many_classes(classes, len(y))
        return Target(TargetInfo(name, task, (classes,), 1), codes.reshape(-1, 1))
    outputs, found_name = target_outputs(y)
    _check_rows(outputs, n_rows)
    for output in outputs:
        missing = _missing(output)
        if missing is not None:
            n_missing, row = int(np.count_nonzero(missing)), int(np.argmax(missing))
            raise DataError(
                f"Input y contains NaN. {n_missing} of {len(output)} rows have no target, the "
                f"first is row {row}. Pass drop_missing_target=True to fit to leave them "
                "out, or fill them in."
            )
        refuse_infinite(output)
    names = found_name if isinstance(found_name, tuple) else ()
    if name is None and isinstance(found_name, str):
        name = found_name
    columns: list[Array]
    classes_of_each: tuple[Array, ...] = ()
    if task.is_regression("Reading a target"):
        columns, dtype = [_numbers(output) for output in outputs], np.dtype(np.float64)
    else:
        coded = [code_labels(output, n_threads) for output in outputs]
        for classes, codes in coded:
            _warn_of_many_classes(classes, len(codes))
        columns, dtype = [codes for _, codes in coded], np.dtype(np.int32)
        classes_of_each = tuple(classes for classes, _ in coded)
    if len(columns) == 1:
        values = np.require(columns[0], dtype, ["C", "A"]).reshape(-1, 1)
    else:
        values = np.ascontiguousarray(np.stack(columns, axis=1), dtype=dtype)
    return Target(TargetInfo(name, task, classes_of_each, len(outputs), names), values)


def present_rows(y: Any) -> NDArray[np.bool_]:
    """Return the mask of the rows whose target is present, in all outputs."""
    outputs, _ = target_outputs(y)
    mask = np.ones(len(outputs[0]), dtype=bool)
    for output in outputs:
        missing = _missing(output)
        if missing is not None:
            mask &= ~missing
    return mask


def target_outputs(y: Any) -> tuple[list[Array], str | tuple[str, ...] | None]:
    """Return the outputs of a target as 1-d arrays, and its name, or theirs, if it has one."""
    if y is None:
        raise DataError(
            "This estimator requires y to be passed, but the target y is None. Pass y, or the "
            "name of the target column: fit(frame, 'name')."
        )
    name = None
    if isinstance(y, str):
        raise DataError(
            f"y={y!r} names a column, but the target is needed as an array here: one value for "
            "each row."
        )
    if isinstance(y, Mapping):
        source = open_mapping(y)
        return [_array_of(y[key]) for key in y], _names(source.names or ())
    if not isinstance(y, np.ndarray | list | tuple):
        if is_sparse(y):
            raise DataTypeError(
                "Sparse data was passed as y, but dense data is required. Use y.toarray() to "
                "convert it (it must fit into memory)."
            )
        y, name = _open_frame_or_series(y)
        if isinstance(y, dict):
            return list(y.values()), _names(y)
    y = _array_of(y)
    refuse_complex(y.dtype)
    if y.ndim == 1:
        return [y], name
    if y.ndim == 2 and y.shape[1]:
        return [y[:, k] for k in range(y.shape[1])], name
    raise DataError(
        "y should be a 1d array, or a 2d array with a column for each output, got an array of "
        f"shape {y.shape} instead."
    )


def _names(names: Iterable[Any]) -> str | tuple[str, ...] | None:
    """Return the name of one output, or the names of several."""
    listed = tuple(str(name) for name in names)
    if not listed:
        return None
    return listed[0] if len(listed) == 1 else listed


def _open_frame_or_series(y: Any) -> tuple[Any, str | None]:
    import narwhals as nw

    native = nw.from_native(y, pass_through=True, allow_series=True)
    if isinstance(native, nw.LazyFrame):
        native = native.collect()
    if isinstance(native, nw.DataFrame):
        return {name: _array_of_series(native[name]) for name in native.columns}, None
    if isinstance(native, nw.Series):
        name = native.name if isinstance(native.name, str) and native.name else None
        return _array_of_series(native), name
    if hasattr(y, "__array__") or hasattr(y, "__len__"):
        return np.asarray(y), None
    raise DataTypeError(
        f"Expected array-like (array or non-string sequence), got {y!r}. y is an array, a list, a "
        "Series, or the name of a column."
    )


def _array_of_series(series: Any) -> Array:
    import narwhals as nw

    if isinstance(series.dtype, nw.Categorical) and _is_of_arrow(series.to_native()):
        column = column_of_series("y", series.to_native())  # Arrow cannot decode all of them
        if column.info.is_numeric:  # nothing is present
            return column.values
        labels: Array = np.array([*column.info.levels, None], dtype=object)[column.values]
        return labels
    if isinstance(series.dtype, nw.Categorical | nw.Enum | nw.String):
        return np.asarray(series.to_numpy(), dtype=object)
    if isinstance(series.dtype, nw.Int128 | nw.UInt128):
        return np.array(series.to_list(), dtype=object)
    return as_array(series.name or "y", series)


def _is_of_arrow(values: Any) -> bool:
    """Return whether a column is one of Arrow, in a table of its own or of pandas."""
    return type(values).__name__ == "ChunkedArray" or hasattr(
        getattr(values, "dtype", None), "pyarrow_dtype"
    )


def take_rows(y: Any, rows: NDArray[np.bool_]) -> Any:
    """Return the target of some rows, whatever it came in; several outputs as a 2-d array."""
    if isinstance(y, Mapping):
        return {name: np.asarray(values, dtype=object)[rows] for name, values in y.items()}
    if _is_of_arrow(y):
        y = target_outputs(y)[0][0]
    return np.asarray(y, dtype=object)[rows]


def _array_of(y: Any) -> Array:
    """Make an array of a list without numpy's conversions: [1, 'a'] must not become strings."""
    if isinstance(y, np.ma.MaskedArray):
        if not np.ma.getmaskarray(y).any():
            return y.data
        filled = y.data.astype(object)
        filled[np.ma.getmaskarray(y)] = None
        return filled
    if isinstance(y, np.ndarray):
        return y
    if not isinstance(y, list | tuple):
        return target_outputs(y)[0][0]
    types = set(map(type, y))
    if len(types) <= 1 or types <= {int, float}:
        try:
            return np.asarray(y)
        except ValueError:
            lengths = sorted({len(row) for row in y if hasattr(row, "__len__")})
            raise DataError(
                f"y is ragged: its rows have {lengths} values. Use None for missing."
            ) from None
    result = np.empty(len(y), dtype=object)
    result[:] = y
    return result


def _check_rows(outputs: list[Array], n_rows: int | None) -> None:
    got = len(outputs[0])
    if n_rows is not None and got != n_rows:
        raise DataError(
            f"Found input variables with inconsistent numbers of samples: [{n_rows}, {got}]. X has "
            f"{n_rows} rows, y has {got}; every row needs one target."
        )
    if got == 0:
        raise DataError("Found array with 0 sample(s) as y while a minimum of 1 is required.")


def _missing(output: Array) -> NDArray[np.bool_] | None:
    kind = output.dtype.kind
    if kind == "f":
        if not output.size or not np.isnan(output.min()):  # one pass, no mask
            return None
        return np.isnan(output)
    if kind in "Mm":
        mask = np.isnat(output)
        return mask if mask.any() else None
    return missing_mask(output.tolist()) if kind == "O" else None


def _numbers(output: Array) -> Array:
    if output.dtype.kind in "fiub":
        return output
    if output.dtype.kind == "O":
        column = column_of_objects("y", output.tolist())
        if column.info.is_numeric and column.info.display in ("number", "boolean"):
            refuse_infinite(column.values)
            return column.values
    raise DataTypeError(
        f"Regression needs a target of numbers, got {output.dtype} ({output[0]!r}, ...). Convert "
        "it, or use the classifier."
    )


def _warn_of_many_classes(classes: Array, n_rows: int) -> None:
    if n_rows > 20 and len(classes) > max(2, round(0.5 * n_rows)):
        text = (
            "The number of unique classes is greater than 50% of the number of samples. `y` "
            "could represent a regression problem, not a classification problem."
        )
        if classes.dtype.kind not in "iufb":
            text = (
                f"The target has {len(classes)} classes in {n_rows} rows. A class that occurs once "
                "cannot be learned: is the target an identifier or free text?"
            )
        warnings.warn(text, DataWarning, stacklevel=3)


def in_declared_order(target: Target, y: Any) -> Target:
    """Return the target with its classes in the order that ``y`` declares, if it declares one.

    Classes are sorted, as in scikit-learn; R keeps the order of levels, in which priors and losses
    are then given, and the recipes that follow R ask for it.
    """
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


def read_target_like(y: Any, info: TargetInfo, n_rows: int) -> Target:
    """Read a target by what a tree predicts: same outputs, class codes in the tree's order."""
    if isinstance(y, Target) and y.info == info and len(y) == n_rows:
        return y
    target = read_target(y, task=info.task, n_rows=n_rows)
    if target.info.n_outputs != info.n_outputs:
        raise DataError(
            f"Target: {target.info.n_outputs} outputs, but the tree predicts {info.n_outputs}."
        )
    if not info.task.has_classes:
        return Target(info, target.values)
    codes = np.empty_like(target.values)
    for k, (classes, labels) in enumerate(zip(info.classes, target.info.classes, strict=True)):
        code_of = {label: code for code, label in enumerate(classes.tolist())}
        unknown = [label for label in labels.tolist() if label not in code_of]
        if unknown:
            raise DataError(
                f"Target: class {unknown[0]!r} is not a class of this tree. "
                f"Its classes: {', '.join(map(str, code_of))}."
            )
        lookup = np.array([code_of[label] for label in labels.tolist()], np.int32)
        codes[:, k] = lookup[target.values[:, k]]
    return Target(info, codes)
