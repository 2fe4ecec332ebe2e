"""treelite and tl2cgen: the tree that ceiba grew as compiled C; there is nothing to fit."""

from __future__ import annotations

import shutil
import tempfile
from importlib.metadata import version as installed
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.libraries import Settings, ceiba, why_not_installed
from benchmarks.tables import Data


def why_absent() -> str | None:
    no_compiler = None if shutil.which("gcc") else "tl2cgen needs gcc"
    return why_not_installed("treelite") or why_not_installed("tl2cgen") or no_compiler


def version() -> str:
    return installed("tl2cgen")


def prepare(data: Data) -> Data:
    return Data(np.asarray(data.X, np.float32), data.y, data.task)


def fit(data: Data, settings: Settings) -> Any:
    import tl2cgen
    import treelite

    forest = _as_forest(ceiba.fit(data, settings).tree_.to_sklearn(), data)
    path = Path(tempfile.mkdtemp(), "tree.so")
    model = treelite.sklearn.import_model(forest)
    tl2cgen.export_lib(model, toolchain="gcc", libpath=path, params={"parallel_comp": 2})
    return tl2cgen.Predictor(path, nthread=settings.n_threads)


def _as_forest(tree: Any, data: Data) -> Any:
    """Return a forest of one tree: treelite takes no tree alone."""
    from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

    kind = RandomForestClassifier if data.task == "classification" else RandomForestRegressor
    forest = kind(n_estimators=1, bootstrap=False).fit(data.X[:100], data.y[:100])
    forest.estimators_ = [tree]
    return forest


def predict(model: Any, data: Data, n_rows: int | None = None) -> Any:
    import tl2cgen

    out = model.predict(tl2cgen.DMatrix(data.X[:n_rows]))
    out = out.reshape(len(out), -1)
    return out.argmax(axis=1) if out.shape[1] > 1 else out[:, 0]
