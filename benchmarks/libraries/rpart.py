"""rpart, the R package, through Rscript; the clock runs in R and covers only the call."""

from __future__ import annotations

import json
import shutil
import subprocess
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.libraries import Settings
from benchmarks.tables import Data

SCRIPT = Path(__file__).with_suffix(".R")


@cache
def _found() -> tuple[str | None, str]:
    """Return (reason of absence, version)."""
    if shutil.which("Rscript") is None:
        return "Rscript is not installed", ""
    said = subprocess.run(
        ["Rscript", "-e", 'cat(as.character(packageVersion("rpart")))'],
        capture_output=True,
        text=True,
        check=False,
    )
    return ("R has no package rpart", "") if said.returncode else (None, said.stdout.strip())


def why_absent() -> str | None:
    return _found()[0]


def version() -> str:
    return _found()[1]


def measure(data: Data, settings: Settings) -> dict[str, Any]:
    """Grow in R as the others grow: no cross-validation, no runner-up splits, no cp stop.

    With cp = 0 rpart would still collapse what does not lower the misclassification; -1 keeps all.
    """
    control = {
        "minsplit": settings.min_samples_split,
        "minbucket": settings.min_samples_leaf,
        "maxdepth": settings.max_depth or 30,
        "maxsurrogate": settings.max_surrogates,
        "cp": -1,
        "maxcompete": 0,
        "xval": 0,
    }
    method = "class" if data.task == "classification" else "anova"
    with tempfile.TemporaryDirectory() as folder:
        np.asfortranarray(data.X, dtype=np.float64).ravel("F").tofile(Path(folder, "X.bin"))
        data.y.astype(np.float64).tofile(Path(folder, "y.bin"))
        shape = [str(size) for size in data.X.shape]
        pairs = [f"{name}={value}" for name, value in control.items()]
        said = subprocess.run(
            ["Rscript", str(SCRIPT), folder, *shape, method, *pairs],
            capture_output=True,
            text=True,
            check=False,
        )
        if said.returncode:
            raise RuntimeError(f"Rscript failed: {said.stderr.strip()[-500:]}")
        result: dict[str, Any] = json.loads(said.stdout.splitlines()[-1])
        result["leaves"] = np.fromfile(Path(folder, "where.bin"), np.int32)
    return result
