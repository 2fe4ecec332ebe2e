"""onnxruntime: predicts with the tree that ceiba grew and exported; there is nothing to fit."""

from __future__ import annotations

from importlib.metadata import version as installed
from typing import Any

import numpy as np

from benchmarks.libraries import Settings, ceiba, why_not_installed
from benchmarks.tables import Data


def why_absent() -> str | None:
    return why_not_installed("onnx") or why_not_installed("onnxruntime")


def version() -> str:
    return installed("onnxruntime")


def prepare(data: Data) -> Data:
    """Give float32, all that the tree operator of ONNX takes without a cast."""
    return Data(np.asarray(data.X, np.float32), data.y, data.task)


def fit(data: Data, settings: Settings) -> Any:
    import onnxruntime

    written = ceiba.fit(data, settings).tree_.export("onnx")
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = settings.n_threads
    return onnxruntime.InferenceSession(written, options, providers=["CPUExecutionProvider"])


def predict(model: Any, data: Data, n_rows: int | None = None) -> Any:
    (given,) = model.get_inputs()
    return model.run(None, {given.name: data.X[:n_rows]})
