"""Recognize tables that are not in memory, without importing the libraries that hold them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import numpy as np

from ceiba.errors import DataError
from ceiba.table.scanning.scan import Scan, is_dask
from ceiba.table.table import Table

_CUDA, _MANAGED, _ROCM = 2, 13, 10  # device types of DLPack
_ON_GPU: Final = (_CUDA, _MANAGED)


def is_beyond_memory(X: Any) -> bool:
    """Whether a table is a scan of files, a dask collection or a table on a GPU."""
    if type(X) is np.ndarray or isinstance(X, Table):
        return False
    return isinstance(X, Scan) or is_dask(X) or is_on_gpu(X)


def is_on_gpu(X: Any) -> bool:
    """Whether X is a cuDF frame, an array on a GPU, or a dict with an array on a GPU."""
    if is_device_frame(X):
        return True
    if isinstance(X, Mapping):
        return any(map(is_device_array, X.values()))
    return is_device_array(X)


def is_device_array(array: Any) -> bool:
    """Whether an array is on a GPU; raise an error if the GPU is not a CUDA device."""
    kind = type(array)
    if hasattr(kind, "__dlpack_device__"):
        device = int(array.__dlpack_device__()[0])
        if device == _ROCM:
            raise DataError("Tables on a GPU require CUDA; ROCm is not supported.")
        return device in _ON_GPU
    return hasattr(kind, "__cuda_array_interface__")


def is_device_frame(X: Any) -> bool:
    """Whether X is a cuDF frame, without importing cuDF."""
    return hasattr(type(X), "to_cupy") and hasattr(type(X), "columns")
