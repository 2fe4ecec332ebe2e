"""Random trees with ugly names, cuts and levels through every export, in its real runtime.

Runtimes that are not installed are left out; `tests/export` says so when it skips them.
"""

from __future__ import annotations

import random
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from tests.export import runtimes
from tests.export.drawn_trees import Drawn
from tests.export.drawn_trees import draw as draw_tree
from tests.hardening.fuzz.shrinking import without_part

_FLAT = ("learn", "surrogate", "majority")
_ROWS = 200


def _in_folder(run: Callable[[list[Drawn], Path], None]) -> Callable[[Drawn], None]:
    def one(drawn: Drawn) -> None:
        with tempfile.TemporaryDirectory() as folder:
            run([drawn], Path(folder))

    return one


#: How an export is run; queries and ONNX have no fractional rows.
RUNTIMES: dict[str, Callable[[Drawn], None]] = {
    "python": runtimes.run_python,
    "sqlite": runtimes.run_sqlite,
}
if find_spec("duckdb"):
    RUNTIMES["duckdb"] = runtimes.run_duckdb
if find_spec("onnx") and find_spec("onnxruntime"):
    RUNTIMES["onnx float64"] = lambda drawn: runtimes.run_onnx(drawn, "float64")
    RUNTIMES["onnx float32"] = lambda drawn: runtimes.run_onnx(drawn, "float32")
if runtimes.NODE:
    RUNTIMES["javascript"] = _in_folder(runtimes.run_javascript)
if runtimes.COMPILER:
    RUNTIMES["c"] = _in_folder(runtimes.run_c)
_ANY = ("python", "javascript", "c")


def draw(seed: int) -> dict[str, Any]:
    rng = random.Random(seed)
    runtime = rng.choice(sorted(RUNTIMES))
    missing = (*_FLAT, "fractional") if runtime in _ANY else _FLAT
    return {
        "runtime": runtime,
        "tree": rng.randrange(10**6),
        "n_inner": rng.choice([1, 3, 8, 14, 30]),
        "missing": rng.choice(missing),
        "rows": list(range(_ROWS)),
    }


def check(case: dict[str, Any]) -> None:
    runtime = case["runtime"]
    if runtime not in RUNTIMES:
        return
    drawn = draw_tree(
        case["tree"],
        _ROWS,
        missing=case["missing"],
        float32=runtime == "onnx float32",
        n_inner=case["n_inner"],
    )
    rows = {name: [cells[i] for i in case["rows"]] for name, cells in drawn.rows.items()}
    RUNTIMES[runtime](replace(drawn, rows=rows))


def smaller(case: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for rows in without_part(case["rows"]):
        if rows:
            yield {**case, "rows": rows}
