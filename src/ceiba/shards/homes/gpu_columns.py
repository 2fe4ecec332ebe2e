"""Read columns and targets of tables on a GPU, and copy them only if necessary."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from ceiba import _core
from ceiba.errors import DataError, DataTypeError, OptionError
from ceiba.shards.first_pass import PieceSummary
from ceiba.table import ColumnInfo, Schema, find_categorical, read, read_target
from ceiba.table.scanning import is_device_array, is_device_frame
from ceiba.task import Task

_MOST_LEVELS: Final = 255
_MOST_NUMBERS: Final = 1024  # maximum range of integer classes that a kernel counts
_LEVEL_TYPE: Final = 9
_TYPES: Final = {
    name: code
    for code, name in enumerate(
        ["float64", "float32", "int64", "int32", "int16", "int8", "uint32", "uint16", "uint8"]
    )
} | {"bool": 8}


def split_frame(X: Any) -> Any:
    """Convert a frame on the GPU to a dict of its columns; return other tables unchanged."""
    return {name: X[name] for name in X.columns} if is_device_frame(X) else X


def to_device(device: Any, array: Any) -> Any:
    """Return an array on the device, copied only if needed, with NaN for masked values."""
    if isinstance(array, np.ndarray | device.xp.ndarray):
        return device.xp.asarray(array)
    try:
        interface = getattr(array, "__cuda_array_interface__", None)
    except (NotImplementedError, RuntimeError, TypeError):  # raised by cuDF for strings
        interface = None
    if interface is not None and interface.get("mask") is not None:
        return _fill_masked(device, array, dict(interface))
    if hasattr(array, "__dlpack__"):
        return device.xp.from_dlpack(array)
    if interface is not None:
        return device.view(array, interface)
    if is_device_array(array):
        raise DataTypeError(
            f"A column on a GPU must contain numbers, got {getattr(array, 'dtype', type(array))}. "
            "Pass numbers, or copy the table to the host."
        )
    return device.xp.asarray(array)


def _fill_masked(device: Any, owner: Any, interface: dict[str, Any]) -> Any:
    """Replace masked values by NaN; the mask has one bit or bool per value."""
    xp, mask = device.xp, interface.pop("mask")
    values = device.view(owner, interface)
    bits = dict(mask.__cuda_array_interface__)
    if bits["typestr"][1:] == "t1":
        bits |= {"shape": ((len(values) + 7) // 8,), "typestr": "|u1", "strides": None}
        packed = xp.ascontiguousarray(device.view(mask, bits))
        valid = xp.unpackbits(packed, bitorder="little")[: len(values)]
    else:
        valid = device.view(mask, bits)
    dtype = values.dtype if values.dtype.kind == "f" else np.dtype(np.float64)
    return xp.where(valid != 0, values, dtype.type(np.nan)).astype(dtype)


@dataclass
class DeviceColumn:
    """A column of numbers or level codes on the device."""

    name: str
    values: Any
    info: ColumnInfo

    @property
    def core(self) -> tuple[int, int, int, int]:
        """The column's address, stride, type and number of levels for the C++ core."""
        if self.info.is_numeric:
            return _describe(self.values, _TYPES[self.values.dtype.name])
        return *_describe(self.values, _LEVEL_TYPE)[:3], self.info.n_levels


def address_of(array: Any) -> int:
    """Return the address of a CuPy array (or a numpy array in the emulator of the tests)."""
    return int(array.data.ptr if hasattr(array.data, "ptr") else array.ctypes.data)


def _describe(array: Any, kind: int) -> tuple[int, int, int, int]:
    return address_of(array), array.strides[0] if len(array) > 1 else array.itemsize, kind, 0


def read_columns(device: Any, X: Any, categorical: Any = None) -> tuple[Schema, list[DeviceColumn]]:
    """Return the schema, without ranges, and the columns of a table on the device."""
    X = split_frame(X)
    if isinstance(X, Mapping):
        arrays = {str(name): to_device(device, column) for name, column in X.items()}
        shapes = sorted({array.shape for array in arrays.values()})
        if len(shapes) != 1 or len(shapes[0]) != 1:
            raise DataError(
                f"The columns of X must be 1-d arrays of the same length, got shapes {shapes}."
            )
    else:
        matrix = to_device(device, X)
        if matrix.ndim != 2 or not matrix.shape[1]:
            raise DataError(
                f"X must be a 2-d array on the GPU with at least one column, got shape "
                f"{matrix.shape}. Pass X.reshape(-1, 1) for a single column."
            )
        arrays = {f"x{j}": matrix[:, j] for j in range(matrix.shape[1])}
    for name, array in arrays.items():
        if array.dtype.name not in _TYPES:
            raise DataTypeError(
                f"Column {name!r} must have a supported numeric type, got {array.dtype}. "
                f"Allowed types: {', '.join(_TYPES)}. Pass it as float32."
            )
        if not len(array):
            raise DataError("Found array with 0 sample(s) while a minimum of 1 is required.")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # ignore the warning of constant columns
        row = {name: np.zeros(1, array.dtype) for name, array in arrays.items()}
        if isinstance(X, Mapping):
            schema = read(row).schema
        else:
            schema = read(np.stack(list(row.values()), axis=1)).schema
    chosen = find_categorical(categorical, tuple(arrays))
    columns = [
        _read_levels(device, name, array) if j in chosen else DeviceColumn(name, array, info)
        for j, ((name, array), info) in enumerate(zip(arrays.items(), schema.columns, strict=True))
    ]
    infos = tuple(column.info for column in columns)
    return Schema(infos, schema.target, schema.named), columns


def _read_levels(device: Any, name: str, values: Any) -> DeviceColumn:
    """Encode a column of numbers as level codes, with the same levels as for a table in memory."""
    xp = device.xp
    floats = values.dtype.kind == "f"
    numbers = xp.unique(values[~xp.isnan(values)] if floats else values)
    table = read({name: device.to_host(numbers)}, categorical_features=[name])
    column = table.columns[0]
    if column.info.n_levels > _MOST_LEVELS:
        raise OptionError(
            f"Column {name!r} must have at most {_MOST_LEVELS} levels on a GPU, got "
            f"{column.info.n_levels}. Remove it from categorical_features, or fit on the host."
        )
    codes = xp.asarray(column.values.astype(np.int32))[
        xp.clip(xp.searchsorted(numbers, values), 0, max(len(numbers) - 1, 0))
    ]
    if floats:
        codes = xp.where(xp.isnan(values), np.int32(-1), codes)
    return DeviceColumn(name, xp.ascontiguousarray(codes), column.info)


def encode_levels(device: Any, column: DeviceColumn, info: ColumnInfo) -> DeviceColumn:
    """Encode a column of numbers by the levels of a tree; unknown levels get the code n_levels."""
    xp, values = device.xp, column.values
    try:
        levels = np.array(info.levels, np.float64)
    except ValueError:
        raise DataError(
            f"The levels of column {info.name!r} must be numbers on a GPU, got "
            f"{list(info.levels)}. Predict on the host."
        ) from None
    order = np.argsort(levels)
    numbers = values.astype(np.float64)
    index = xp.searchsorted(xp.asarray(levels[order]), numbers)
    index = xp.minimum(index, max(len(levels) - 1, 0))
    is_level = xp.asarray(levels[order])[index] == numbers
    codes = xp.where(is_level, xp.asarray(order.astype(np.int32))[index], np.int32(len(levels)))
    codes = xp.where(xp.isnan(numbers), np.int32(-1), codes)
    return DeviceColumn(info.name, xp.ascontiguousarray(codes, dtype=np.int32), info)


# --- the target


@dataclass
class DeviceTarget:
    """The target and weights on the device, with their summary for the first pass."""

    summary: PieceSummary
    labels: Any = None
    numbers: Any = None
    weights: Any = None


def read_device_target(
    device: Any, y: Any, sample_weight: Any, task: Task, n_rows: int
) -> DeviceTarget:
    """Read target and weights; either may be on the host."""
    for name, array in (("y", y), ("sample_weight", sample_weight)):
        shape = np.shape(array) if array is None or not hasattr(array, "shape") else array.shape
        if array is not None and tuple(shape) != (n_rows,):
            raise DataError(
                f"{name} must be a 1-d array with {n_rows} values, got shape {tuple(shape)}."
            )
    target = DeviceTarget(PieceSummary(n_rows=n_rows))
    if task.is_classification("A table on a GPU"):
        _read_classes(device, y, target)
    else:
        numbers = to_device(device, y)
        (least, most), bits, n_bad = _scan(device, numbers)
        if n_bad:
            raise DataError(
                f"Input y contains NaN or infinity in {n_bad} of {n_rows} rows. Drop these rows."
            )
        target.numbers = numbers
        target.summary.least, target.summary.most = least, most
        if bits != (0, 0):
            target.summary.bits = bits
    if sample_weight is not None:
        target.weights = device.xp.ascontiguousarray(
            to_device(device, sample_weight), dtype=np.float64
        )
        (least, _), bits, n_bad = _scan(device, target.weights)
        if n_bad or least < 0:
            bad = f"{n_bad} values that are not finite" if n_bad else least
            raise DataError(f"sample_weight must contain finite, non-negative numbers, got {bad}.")
        target.summary.weight, target.summary.weight_bits = "sample_weight", bits
        if bits == (0, 0):
            raise DataError("sample_weight must contain a positive weight, got only zeros.")
    return target


def _scan(device: Any, numbers: Any) -> tuple[tuple[float, float], tuple[int, int], int]:
    """Return the range of numbers, the range of their bits, and the number of non-finite values."""
    column = _describe(numbers, _TYPES[numbers.dtype.name])
    return _core.device_scan_numbers(device, column, len(numbers))


def _read_classes(device: Any, y: Any, target: DeviceTarget) -> None:
    n_rows, xp = target.summary.n_rows, device.xp
    labels = xp.empty(n_rows, np.uint8)
    if not is_device_array(y) and xp is not np:
        host = read_target(y, task="classification", n_rows=n_rows)
        values = host.info.classes[0]
        codes = host.values[:, 0]
        counts = np.bincount(codes, minlength=len(values))
        _check_classes(len(values))
        labels[:] = xp.asarray(codes.astype(np.uint8))
    else:
        y = to_device(device, y)
        low, high = (0.0, np.inf)
        if y.dtype.kind in "iub" and y.dtype.name in _TYPES:
            (low, high), _, _ = _scan(device, y)
        if high - low < _MOST_NUMBERS and abs(low) < 2**53:
            column = _describe(y, _TYPES[y.dtype.name])
            class_counts = np.asarray(
                _core.device_count_labels(device, column, n_rows, int(low), int(high - low) + 1)
            )
            present = np.flatnonzero(class_counts)
            values = (present + int(low)).astype(y.dtype.name)
            counts = class_counts[present]
            _check_classes(len(values))
            code_of = np.cumsum(class_counts > 0) - 1
            table = np.maximum(code_of, 0).tolist()
            _core.device_write_labels(device, column, n_rows, int(low), table, address_of(labels))
        else:  # labels are fractions, or their range is wide
            unique, inverse, number = xp.unique(y, return_inverse=True, return_counts=True)
            values, counts = device.to_host(unique), device.to_host(number)
            _check_classes(len(values))
            labels[:] = inverse.reshape(-1).astype(np.uint8)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # ignore the warning that all classes are distinct
        classes = read_target(values, task="classification").info.classes[0]
    target.labels = labels
    target.summary.classes, target.summary.counts = [classes], [counts.astype(float)]


def _check_classes(n_classes: int) -> None:
    if n_classes > _MOST_LEVELS:
        raise OptionError(
            f"y must have at most {_MOST_LEVELS} classes on a GPU, got {n_classes}. Fit on the "
            "host."
        )
