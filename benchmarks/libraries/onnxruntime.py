"""onnxruntime: predicts with the tree that ceiba grew; there is nothing to fit.

skl2onnx writes it as one tree operator on a float32 matrix, the fastest form for onnxruntime;
ceiba's export takes columns by name, supports levels and missing values, and costs more.
"""

from __future__ import annotations

from importlib.metadata import version as installed
from typing import Any

import numpy as np

from benchmarks.libraries import Settings, ceiba, why_not_installed
from benchmarks.tables import Data


def why_absent() -> str | None:
    return why_not_installed("skl2onnx") or why_not_installed("onnxruntime")


def version() -> str:
    return installed("onnxruntime")


def prepare(data: Data) -> Data:
    """Return float32, all that the tree operator of ONNX takes without a cast."""
    return Data(np.asarray(data.X, np.float32), data.y, data.task)


def fit(data: Data, settings: Settings) -> Any:
    import onnxruntime
    from skl2onnx import to_onnx

    tree = ceiba.fit(data, settings).tree_.to_sklearn()
    plain = {"zipmap": False} if data.task == "classification" else {}
    written = to_onnx(tree, data.X[:1], options={id(tree): plain})
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = settings.n_threads
    return onnxruntime.InferenceSession(
        written.SerializeToString(), options, providers=["CPUExecutionProvider"]
    )


def predict(model: Any, data: Data, n_rows: int | None = None) -> Any:
    (given,) = model.get_inputs()
    first = model.get_outputs()[0].name
    return model.run([first], {given.name: data.X[:n_rows]})[0]
