"""chefboost, C4.5: written in Python, tries a few cuts per number; writes its rules into a folder.

Its CART takes the same cuts; C4.5 is the family that it shares with Weka. It has no
stopping rules, so the size settings do not apply.
"""

from __future__ import annotations

import atexit
import os
import shutil
import sys
import tempfile
from functools import cache
from importlib.metadata import version as installed
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.libraries import Settings, why_not_installed
from benchmarks.tables import Data

TARGET = "Decision"


def why_absent() -> str | None:
    return why_not_installed("chefboost")


def version() -> str:
    return installed("chefboost")


def prepare(data: Data) -> Any:
    """Return a frame of plain numbers and texts; a target not of type object is a number."""
    import pandas as pd

    if isinstance(data.X, np.ndarray):
        frame = pd.DataFrame(data.X, columns=[f"x{i}" for i in range(data.X.shape[1])])
    else:
        texts = [name for name in data.X if data.X[name].dtype.name == "category"]
        frame = data.X.astype(dict.fromkeys(texts, object)).fillna(dict.fromkeys(texts, "none"))
    frame[TARGET] = pd.Series([f"class {value}" for value in data.y], frame.index, dtype=object)
    return frame.reset_index(drop=True)


@cache
def _folder() -> str:
    """Return the folder where it writes and imports its rules; there has to be one per process."""
    folder = tempfile.mkdtemp(prefix="ceiba-chefboost-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    sys.path.insert(0, folder)
    return folder


def fit(frame: Any, settings: Settings) -> Any:
    from chefboost import Chefboost

    config = {"algorithm": "C4.5", "enableParallelism": False}
    before = Path.cwd()
    os.chdir(_folder())
    try:
        return Chefboost.fit(frame.copy(), config, silent=True)
    finally:
        os.chdir(before)


def leaves(model: Any, frame: Any) -> None:
    """Its tree is a Python program that gives classes, not leaves."""
