"""The lowest versions that pyproject.toml declares, installed and tried: ``make test-oldest``.

Every ``name>=version`` of the package and of the extras below becomes ``name==version``; where a
package is named twice, the higher one. They go into an environment of their own, which is made
again when that list changes, with the package built as a wheel from this working tree. A part of
the suite runs there: reading, growing, predicting, saving, drawing, the command line, the studio.
"""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
import sys
import tomllib
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PLACE = ROOT / ".venv-oldest"
#: What users install; `test` is what runs the suite.
EXTRAS = ("plot", "parquet", "cli", "excel", "view", "studio", "dask")
TOOLS = ("pytest", "hypothesis", "pandas", "polars", "pyarrow", "scipy", "joblib", "httpx")
SMOKE = (
    "tests/estimators/test_fit.py",
    "tests/estimators/test_parameters.py",
    "tests/table/test_containers.py",
    "tests/table/test_pandas_types.py",
    "tests/table/test_scan.py",
    "tests/table/test_zones.py",
    "tests/plot/test_plot_tree.py",
    "tests/plot/test_pruning_curve.py",
    "tests/model_file/test_round_trip.py",
    "tests/cli/test_learn.py",
    "tests/cli/test_help.py",
    "tests/cli/test_predict.py",
    "tests/studio/test_node_analysis.py",
    "tests/families/test_rpart.py",
    "tests/estimators/test_beyond_memory.py",
)


def main() -> None:
    pins = lowest()
    key = hashlib.sha256("\n".join(pins).encode()).hexdigest()
    stamp = PLACE / "pins.sha256"
    python = PLACE / "bin" / "python"
    if not stamp.exists() or stamp.read_text() != key:
        print("installing", *pins)
        venv.create(PLACE, clear=True, with_pip=True)
        run(python, "-m", "pip", "install", "-q", "--disable-pip-version-check", *pins)
        stamp.write_text(key)
    wheels = PLACE / "wheels"
    for old in wheels.glob("*.whl"):
        old.unlink()
    # Without isolation and as strict as `make build`: its object files are used again.
    quick = ("--no-deps", "--no-build-isolation", "-q", "--disable-pip-version-check")
    strict = f"cmake.define.CEIBA_STRICT={os.environ.get('STRICT', 'OFF')}"
    run(sys.executable, "-m", "pip", "wheel", *quick, "-C", strict, "-w", wheels, ROOT)
    again = ("-q", "--no-deps", "--force-reinstall", "--disable-pip-version-check")
    run(python, "-m", "pip", "install", *again, *wheels.glob("*.whl"))
    tests = sys.argv[1:] or SMOKE
    # Old packages warn about each other; the suite's own rule makes errors of warnings.
    options = ("-q", "-m", "not slow", "-p", "no:cacheprovider", "-W", "default")
    run(python, "-m", "pytest", *options, *tests)


def lowest() -> list[str]:
    """Return the lowest declared version of each package, as pins."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    extras = project["optional-dependencies"]
    asked = [*project["dependencies"], *(one for name in EXTRAS for one in extras[name])]
    asked += [one for one in extras["test"] if re.split(r"[\[>=]", one)[0] in TOOLS]
    least: dict[str, tuple[tuple[int, ...], str]] = {}
    for requirement in asked:
        match = re.fullmatch(r"([\w-]+)(\[[\w,]+\])?>=([\d.]+)", requirement)
        if match is None:
            raise SystemExit(f"pyproject.toml: {requirement!r} has no lowest version (name>=1.2).")
        name, extra, version = match[1].lower(), match[2] or "", match[3]
        number = tuple(map(int, version.split(".")))
        if name not in least or number > least[name][0]:
            least[name] = (number, f"{name}{extra}=={version}")
    return sorted(pin for _, pin in least.values())


def run(*words: object) -> None:
    done = subprocess.run([str(word) for word in words], cwd=ROOT, check=False)
    if done.returncode:
        raise SystemExit(done.returncode)


if __name__ == "__main__":
    main()
