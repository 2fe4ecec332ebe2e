"""Weka's J48 (C4.5) through Java; the clock runs in Java, around the growing alone, when warm.

The jar is that of CEIBA_WEKA, or the one inside the package python-weka-wrapper3.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
from importlib.metadata import PackageNotFoundError
from importlib.metadata import version as installed
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.libraries import Settings
from benchmarks.tables import Data

PROGRAM = Path(__file__).with_name("Weka.java")


def jar() -> Path | None:
    """Find weka.jar."""
    if "CEIBA_WEKA" in os.environ:
        return Path(os.environ["CEIBA_WEKA"])
    package = find_spec("weka")
    places = [] if package is None else list(package.submodule_search_locations or [])
    return next((Path(place, "lib", "weka.jar") for place in places), None)


def why_absent() -> str | None:
    if shutil.which("java") is None:
        return "java is not installed"
    found = jar()
    return None if found is not None and found.exists() else "Weka is not installed"


def version() -> str:
    try:
        return f"of python-weka-wrapper3 {installed('python-weka-wrapper3')}"
    except PackageNotFoundError:
        return "of CEIBA_WEKA"


def measure(data: Data, settings: Settings) -> dict[str, Any]:
    """Grow in Java with J48's own pruning, as `ceiba.c45()` does by default."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "table.arff").write_text(arff(data), "utf-8")
        command = ["java", "-Xmx6g", "-cp", str(jar()), str(PROGRAM), folder]
        said = subprocess.run(
            [*command, str(settings.min_samples_leaf)], capture_output=True, text=True, check=False
        )
    if said.returncode:
        raise RuntimeError(f"java failed: {said.stderr.strip()[-500:]}")
    result: dict[str, Any] = json.loads(said.stdout.splitlines()[-1])
    return {**result, "leaves": None}


def arff(data: Data) -> str:
    """Write the table in Weka's own format: "?" is missing, the class stands last."""
    lines = ["@relation table"]
    columns: list[list[str]] = []
    for name, values in _columns(data.X):
        kind = values.dtype.name
        if kind == "category":
            names = [f"'{level}'" for level in values.cat.categories]
            columns.append([names[code] if code >= 0 else "?" for code in values.cat.codes])
            lines.append(f"@attribute '{name}' {{{','.join(names)}}}")
        else:
            columns.append(["?" if np.isnan(x) else repr(float(x)) for x in np.asarray(values)])
            lines.append(f"@attribute '{name}' numeric")
    labels = [f"c{value}" for value in data.y]
    lines.append(f"@attribute class {{{','.join(sorted(set(labels)))}}}")
    rows = (",".join(cells) for cells in zip(*columns, labels, strict=True))
    return "\n".join([*lines, "@data", *rows, ""])


def _columns(X: Any) -> list[tuple[str, Any]]:
    if isinstance(X, np.ndarray):
        return [(f"x{i}", X[:, i]) for i in range(X.shape[1])]
    return [(str(name), X[name]) for name in X]
