"""Read the target as columns of class codes (int32) or numbers (float64) in C order.

It is read from arrays, lists, Series and frames; a 2-d target has several outputs. Error messages
are those of scikit-learn if it raises the same error.
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
from ceiba.table.readers.frames import as_array, series_to_column
from ceiba.table.readers.mappings import open_mapping
from ceiba.table.readers.numeric import refuse_complex
from ceiba.table.readers.objects import missing_mask, objects_to_column
from ceiba.table.readers.sparse import is_sparse
from ceiba.table.schema import TargetInfo
from ceiba.table.targets.labels import encode_labels, refuse_infinite
from ceiba.table.targets.survival import read_events, read_times, split_columns
from ceiba.table.weights import exact_sums
from ceiba.task import Task, TaskName

Array = NDArray[Any]


@dataclass(frozen=True, eq=False)
class Target:
    """The target of a table: one value per row and output.

    Parameters
    ----------
    info : TargetInfo
        Name, task, classes.
    values : ndarray of shape (n_rows, n_outputs), C order
        int32 codes of ``info.classes`` (classification) or float64 (regression). For survival,
        times in the first column, and 1.0 (observed) or 0.0 (censored) in the second.

    Examples
    --------
    >>> target = read_target(["no", "yes", "no"], task="classification")
    >>> target.values.ravel().tolist(), target.info.classes[0].tolist()
    ([0, 1, 0], ['no', 'yes'])
    """

    info: TargetInfo
    values: Array

    def take(self, rows: Array) -> Target:
        """Return the target of the given rows (positions or mask), with the same classes."""
        return Target(self.info, np.ascontiguousarray(self.values[rows]))

    def class_totals(self, weight: Array | None) -> NDArray[np.float64]:
        """Return the total weight of each class of the first output."""
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
    """Read a target and encode its classes.

    Parameters
    ----------
    y : array-like, Series, frame or Target
        One value per row, or several outputs (2-d). Class labels of any sortable type. A Target is
        returned as it is.
    task : {"classification", "regression", "survival"}
        The learning task.
    n_rows : int, optional
        Number of rows of the table, which the target must have too.
    name : str, optional
        Name of the target; by default, the name of the Series.
    n_threads : int, default=1
        Number of threads that encode integers.

    Returns
    -------
    Target

    Raises
    ------
    DataError
        Missing or infinite values, a wrong number of rows, continuous values as classes, strings as
        numbers.

    Examples
    --------
    >>> read_target([1.5, 2], task="regression", n_rows=2).values
    array([[1.5],
           [2. ]])
    """
    if type(task) is not Task:
        task = Task(task)
    if isinstance(y, Target):
        if y.info.task != task:
            raise DataError(f"y must be a target for {task}, got a target for {y.info.task}.")
        _check_rows(list(y.values.T), n_rows)
        return y
    outputs, found_name = read_outputs(y)
    _check_rows(outputs, n_rows)
    for output in outputs:
        missing = _find_missing(output)
        if missing is not None:
            n_missing, row = int(np.count_nonzero(missing)), int(np.argmax(missing))
            raise DataError(
                f"Input y contains NaN. {n_missing} of {len(output)} rows have no target (the "
                f"first is row {row}). Impute the target, or drop these rows with fit(..., "
                "drop_missing_target=True)."
            )
        refuse_infinite(output)
    names = found_name if isinstance(found_name, tuple) else ()
    if name is None and isinstance(found_name, str):
        name = found_name
    if task is Task.SURVIVAL:
        time, event = split_columns(outputs)
        times = read_times(time)
        events = np.ones(len(times)) if event is None else read_events(event)
        if name is None and len(names) == 2:
            name = f"Surv({', '.join(names if time is outputs[0] else names[::-1])})"
        return Target(TargetInfo(name, task), np.stack([times, events], axis=1))
    columns: list[Array]
    classes_of_each: tuple[Array, ...] = ()
    if task.is_regression("Reading a target"):
        columns, dtype = [_to_numbers(output) for output in outputs], np.dtype(np.float64)
    else:
        coded = [encode_labels(output, n_threads) for output in outputs]
        for classes, codes in coded:
            n = len(codes)
            if n > 20 and 2 * len(classes) > n and len(classes) > round(0.5 * n):
                text = (
                    "The number of unique classes is greater than 50% of the number of samples. "
                    "`y` could represent a regression problem, not a classification problem."
                )
                if classes.dtype.kind not in "iufb":
                    text = (
                        f"The target has {len(classes)} classes in {n} rows. Is it an identifier "
                        "or free text?"
                    )
                warnings.warn(text, DataWarning, stacklevel=2)
        columns, dtype = [codes for _, codes in coded], np.dtype(np.int32)  # type: ignore[assignment]
        classes_of_each = tuple(classes for classes, _ in coded)
    if len(columns) == 1:
        values = np.require(columns[0], dtype, ["C", "A"]).reshape(-1, 1)
    else:
        values = np.ascontiguousarray(np.stack(columns, axis=1), dtype=dtype)
    return Target(TargetInfo(name, task, classes_of_each, len(outputs), names), values)


def find_present_rows(y: Any, n_rows: int | None = None) -> NDArray[np.bool_]:
    """Return a mask of the rows whose target is present in all outputs."""
    outputs, _ = read_outputs(y)
    _check_rows(outputs, n_rows)
    mask = np.ones(len(outputs[0]), dtype=bool)
    for output in outputs:
        missing = _find_missing(output)
        if missing is not None:
            mask &= ~missing
    return mask


def read_outputs(y: Any) -> tuple[list[Array], str | tuple[str, ...] | None]:
    """Return the outputs of a target as 1-d arrays, and its name or the names of its outputs."""
    if y is None:
        raise DataError(
            "This estimator requires y to be passed, but the target y is None. Pass y, or the "
            "name of the target column: fit(frame, 'name')."
        )
    name = None
    if isinstance(y, str):
        raise DataError(f"y must be an array with one value per row, got the string {y!r}.")
    if isinstance(y, Mapping):
        source = open_mapping(y)
        return [_to_array(y[key]) for key in y], _output_names(source.names or ())
    if not isinstance(y, np.ndarray | list | tuple):
        import narwhals as nw

        if is_sparse(y):
            raise DataTypeError(
                "Sparse data was passed as y, but dense data is required. Use y.toarray() to "
                "convert it (it must fit into memory)."
            )
        native = nw.from_native(y, pass_through=True, allow_series=True)
        if isinstance(native, nw.LazyFrame):
            native = native.collect()
        if isinstance(native, nw.DataFrame):
            columns = [_series_to_array(native[name]) for name in native.columns]
            return columns, _output_names(native.columns)
        if isinstance(native, nw.Series):
            name = native.name if isinstance(native.name, str) and native.name else None
            y = _series_to_array(native)
        elif hasattr(y, "__array__") or hasattr(y, "__len__"):
            y = np.asarray(y)
        else:
            raise DataTypeError(
                f"Expected array-like (array or non-string sequence), got {y!r}. Pass an array, a "
                "list, a Series, or the name of a column."
            )
    y = _to_array(y)
    if y.dtype.names is not None:
        return [y[field] for field in y.dtype.names], _output_names(y.dtype.names)
    refuse_complex(y.dtype)
    if y.ndim == 1:
        return [y], name
    if y.ndim == 2 and y.shape[1]:
        return [y[:, k] for k in range(y.shape[1])], name
    raise DataError(
        "y should be a 1d array, or a 2d array with a column for each output, got an array of "
        f"shape {y.shape} instead."
    )


def _output_names(names: Iterable[Any]) -> str | tuple[str, ...] | None:
    texts = tuple(str(name) for name in names)
    if not texts:
        return None
    return texts[0] if len(texts) == 1 else texts


def _series_to_array(series: Any) -> Array:
    import narwhals as nw

    if isinstance(series.dtype, nw.Categorical) and _is_arrow(series.to_native()):
        column = series_to_column("y", series.to_native())  # numpy cannot read all Arrow categories
        if column.info.is_numeric:  # all values are missing
            return column.values
        labels: Array = np.array([*column.info.levels, None], dtype=object)[column.values]
        return labels
    if isinstance(series.dtype, nw.Categorical | nw.Enum | nw.String):
        return np.asarray(series.to_numpy(), dtype=object)
    if isinstance(series.dtype, nw.Int128 | nw.UInt128):
        return np.array(series.to_list(), dtype=object)
    return as_array(series.name or "y", series)


def _is_arrow(values: Any) -> bool:
    """Whether a column is stored by Arrow, in an Arrow table or a pandas frame."""
    return type(values).__name__ == "ChunkedArray" or hasattr(
        getattr(values, "dtype", None), "pyarrow_dtype"
    )


def take_rows(y: Any, rows: NDArray[np.bool_]) -> Any:
    """Return the selected rows of a target: an array, or a dict of arrays if `y` is a dict."""
    if isinstance(y, Mapping):
        return {name: np.asarray(values, dtype=object)[rows] for name, values in y.items()}
    if isinstance(y, np.ndarray) and y.dtype.names is not None:
        return y[rows]
    if _is_arrow(y):
        y = read_outputs(y)[0][0]
    return np.asarray(y, dtype=object)[rows]


def _to_array(y: Any) -> Array:
    """Convert a target to an array without type promotion, e.g. of [1, 'a'] to strings."""
    if isinstance(y, np.ma.MaskedArray):
        if not np.ma.getmaskarray(y).any():
            return y.data
        values = y.data.astype(object)
        values[np.ma.getmaskarray(y)] = None
        return values
    if isinstance(y, np.ndarray):
        return y
    if not isinstance(y, list | tuple):
        return read_outputs(y)[0][0]
    types = set(map(type, y))
    if len(types) <= 1 or types <= {int, float}:
        try:
            return np.asarray(y)
        except ValueError:
            lengths = sorted({len(row) for row in y if hasattr(row, "__len__")})
            raise DataError(
                f"y is ragged: its rows have different lengths {lengths}. Use None for missing."
            ) from None
    result = np.empty(len(y), dtype=object)
    result[:] = y
    return result


def _check_rows(outputs: list[Array], n_rows: int | None) -> None:
    n = len(outputs[0])
    if n_rows is not None and n != n_rows:
        raise DataError(
            f"Found input variables with inconsistent numbers of samples: [{n_rows}, {n}]. X has "
            f"{n_rows} rows, y has {n}; every row needs one target."
        )
    if n == 0:
        raise DataError("Found array with 0 sample(s) as y while a minimum of 1 is required.")


def _find_missing(output: Array) -> NDArray[np.bool_] | None:
    kind = output.dtype.kind
    if kind == "f":
        if not output.size or not np.isnan(output.min()):  # one pass without a mask
            return None
        return np.isnan(output)
    if kind in "Mm":
        mask = np.isnat(output)
        return mask if mask.any() else None
    return missing_mask(output.tolist()) if kind == "O" else None


def _to_numbers(output: Array) -> Array:
    if output.dtype.kind in "fiub":
        return output
    if output.dtype.kind == "O":
        column = objects_to_column("y", output.tolist())
        if column.info.is_numeric and column.info.display in ("number", "boolean"):
            refuse_infinite(column.values)
            return column.values
    raise DataTypeError(
        f"Regression requires a numeric target, got {output.dtype} ({output[0]!r}, ...). Convert "
        "it, or use a classifier."
    )


def order_as_declared(target: Target, y: Any) -> Target:
    """Return the target with its classes in the order that ``y`` declares, if it declares one."""
    # scikit-learn sorts classes, but R users pass priors and losses in the declared order.
    declared = declared_classes(y)
    if declared is None or target.info.n_outputs != 1:
        return target
    classes = target.info.classes[0]
    position = {label: code for code, label in enumerate(classes.tolist())}
    order = [position[label] for label in declared if label in position]
    if len(order) < len(classes):  # the labels do not have the type of the declared classes
        return target
    rank = np.empty(len(order), np.int32)
    rank[order] = np.arange(len(order), dtype=np.int32)
    return Target(replace(target.info, classes=(classes[order],)), rank[target.values])


def declared_classes(y: Any) -> list[Any] | None:
    """Return the classes in the order that the type of a target declares, or None."""
    if isinstance(y, Levels):
        return list(y.levels)
    if isinstance(y, np.ndarray | list | tuple):
        return None
    dtype = getattr(y, "dtype", getattr(y, "type", None))
    categories = getattr(dtype, "categories", None)  # set for pandas categories and polars Enums
    if categories is not None and type(dtype).__name__ != "Categorical":
        return list(categories.tolist() if hasattr(categories, "tolist") else categories)
    if getattr(dtype, "ordered", False):  # pyarrow cannot unify chunks with null levels
        levels = (chunk.dictionary.to_pylist() for chunk in getattr(y, "chunks", [y]))
        return [level for level in dict.fromkeys(chain(*levels)) if level is not None]
    return None


def read_target_like(y: Any, info: TargetInfo, n_rows: int) -> Target:
    """Read a target for an existing tree, with the outputs and class codes of `info`."""
    if isinstance(y, Target) and y.info == info and len(y) == n_rows:
        return y
    target = read_target(y, task=info.task, n_rows=n_rows)
    if target.info.n_outputs != info.n_outputs:
        raise DataError(
            f"y must have as many outputs as the tree ({info.n_outputs}), got "
            f"{target.info.n_outputs} outputs."
        )
    if not info.task.has_classes:
        return Target(info, target.values)
    codes = np.empty_like(target.values)
    for k, (classes, labels) in enumerate(zip(info.classes, target.info.classes, strict=True)):
        code_of = {label: code for code, label in enumerate(classes.tolist())}
        unknown = [label for label in labels.tolist() if label not in code_of]
        if unknown:
            raise DataError(
                f"The target contains {unknown[0]!r}, which is not a class of this tree. "
                f"Classes: {', '.join(map(repr, code_of))}."
            )
        lookup = np.array([code_of[label] for label in labels.tolist()], np.int32)
        codes[:, k] = lookup[target.values[:, k]]
    return Target(info, codes)
