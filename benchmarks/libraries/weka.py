"""Weka's J48 (C4.5) through Java; the clock runs in Java and covers only growing, when warm.

The jar is that of CEIBA_WEKA, the one inside the package python-weka-wrapper3, or that of Debian's
package weka.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.libraries import Settings
from benchmarks.tables import Data

PROGRAM = Path(__file__).with_name("Weka.java")
OF_DEBIAN = Path("/usr/share/java/weka.jar")


def jar() -> Path:
    """Return the place where weka.jar is, or would be."""
    if "CEIBA_WEKA" in os.environ:
        return Path(os.environ["CEIBA_WEKA"])
    package = find_spec("weka")
    places = [] if package is None else list(package.submodule_search_locations or [])
    found = [path for place in places if (path := Path(place, "lib", "weka.jar")).exists()]
    return found[0] if found else OF_DEBIAN


def why_absent() -> str | None:
    if shutil.which("java") is None:
        return "java is not installed"
    return None if jar().exists() else "Weka is not installed"


def version() -> str:
    command = ["java", "-cp", str(jar()), "weka.core.Version"]
    said = subprocess.run(command, capture_output=True, text=True, check=False)
    return next(iter(said.stdout.split()), "of unknown version")  # tests of its own follow


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
