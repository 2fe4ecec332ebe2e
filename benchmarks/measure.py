"""One measurement = one fresh process: CPU time, wall time, peak memory above the data.

The parent sends a JSON request on standard input, the child prints a JSON reply on its last line.
The child loads the table, warms up on a few rows (imports, first calls), records its memory as the
floor, and starts the clock. Calls shorter than 0.2 s run in blocks; the best block counts.

Memory is the peak of the resident set during the call minus the floor (Linux only: the kernel can
reset the peak). The kernel also enforces the CPU limit: it ends a process that exceeds it, and the
measurement is a lower bound. Wall time means little on busy cores, so the cores used by other
processes are recorded, and wall-time measurements wait for an idle machine.
"""

from __future__ import annotations

import json
import math
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from benchmarks.libraries import Settings, library
from benchmarks.races import Contender

ROOT = Path(__file__).parents[1]
BLOCK = 0.2
QUIET = 0.1  # cores
MOMENT = 0.3  # seconds
STATUS = Path("/proc/self/status")

IMPORTS = {
    "ceiba": ("", "import ceiba"),
    # What scikit-learn brings in is loaded first: the rest is ours.
    "ceiba estimators": (
        "import sklearn.base, sklearn.utils.metadata_routing",
        "from ceiba import DecisionTreeClassifier",
    ),
    "ceiba --help": (
        "import contextlib, io, sys; sys.argv = ['ceiba', '--help']",
        "from ceiba.cli.main import main\n"
        "with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit): main()",
    ),
}


@dataclass(frozen=True)
class Measurement:
    """Seconds per call, bytes above the floor, and the training impurity of the grown tree."""

    cpu: float = math.nan
    wall: float = math.nan
    extra_bytes: int | None = None
    peak_bytes: int | None = None  # of the whole process, its table included
    impurity: float | None = None
    n_leaves: int | None = None
    float64_bytes: int | None = None
    others: float | None = None  # cores that other processes used meanwhile
    at_least: bool = False
    error: str | None = None


# ---------------------------------------------------------------------------------- the parent


def measure(
    contender: Contender, place: Path, judge: bool = True, python: str = sys.executable
) -> Measurement:
    """Run a contender once, in a process of its own, on the table stored in `place`.

    `judge`: look at the grown tree too (outside the clock, but it takes time); `python`: the
    interpreter that has the ceiba to measure.
    """
    if contender.action == "import":
        return _measure_import(contender.library, place.parent / "bytecode")
    question = {
        "library": contender.library,
        "action": contender.action,
        "settings": asdict(contender.settings),
        "place": str(place),
        "limit": contender.limit,
        "judge": judge,
    }
    child = ["-m", "benchmarks.measure"]
    return _ask(child, question, contender.limit, contender.settings.n_threads, python=python)


def _measure_import(name: str, bytecode: Path) -> Measurement:
    """Time an import from bytecode, as installed packages have it: the first time compiles."""
    before, statement = IMPORTS[name]
    question = {"before": before, "statement": statement}
    cached = {"PYTHONPYCACHEPREFIX": str(bytecode), "PYTHONDONTWRITEBYTECODE": ""}
    for _ in range(2):
        taken = _ask(["-c", _IMPORT_PROBE], question, None, 1, cached)
    return taken


_IMPORT_PROBE = """
import json, sys, time
question = json.load(sys.stdin)
exec(question["before"])
wall, cpu = time.perf_counter(), time.process_time()
exec(question["statement"])
print(json.dumps({"cpu": time.process_time() - cpu, "wall": time.perf_counter() - wall}))
"""


def _ask(
    arguments: list[str],
    question: dict[str, Any],
    limit: float | None,
    n_threads: int,
    environment: dict[str, str] | None = None,
    python: str = sys.executable,
) -> Measurement:
    pools = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
    said = subprocess.run(
        [python, *arguments],
        input=json.dumps(question),
        capture_output=True,
        text=True,
        cwd=ROOT,
        env={**os.environ, **dict.fromkeys(pools, str(n_threads)), **(environment or {})},
        check=False,
    )
    if limit is not None and said.returncode == -getattr(signal, "SIGXCPU", 0):
        return Measurement(cpu=limit, wall=limit, at_least=True)
    if said.returncode:
        lines = said.stderr.strip().splitlines() or [f"exit status {said.returncode}"]
        return Measurement(error=lines[-1])
    return Measurement(**json.loads(said.stdout.splitlines()[-1]))


# ---------------------------------------------------------------------------------- the child


def answer_or_error(question: dict[str, Any]) -> Measurement:
    """Measure in this process; an error becomes its first line (the rest may be a stack)."""
    try:
        return answer(question)
    except Exception as error:
        lines = str(error).strip().splitlines() or [""]
        return Measurement(error=f"{type(error).__name__}: {lines[0]}")


def answer(question: dict[str, Any]) -> Measurement:
    """Measure in this process."""
    from benchmarks.judging import count, impurity
    from benchmarks.problems import load

    data = load(Path(question["place"]))
    settings = Settings(**question["settings"])
    runner = library(question["library"])
    if hasattr(runner, "measure"):
        told = runner.measure(data, settings)
        found = told.pop("leaves")
        fitted = None if found is None else impurity(found, data, settings.criterion)
        return Measurement(**told, impurity=fitted, float64_bytes=data.float64_bytes)

    form = runner.prepare(data)
    runner.fit(_first_rows(data, runner), settings)
    if question["action"] in ("cross_val_score", "GridSearchCV"):
        return _select(runner.fit(form, settings), form, question["action"])
    if question["action"] != "fit":
        return _predict(runner, form, settings, question["action"])
    floor = start_peak()
    set_cpu_limit(question["limit"])
    busy, started, own = busy_seconds(), time.perf_counter(), time.process_time()
    cpu, wall, model = clock(lambda: runner.fit(form, settings))
    peak = read_peak()
    others = _others(busy, started, own)
    found = runner.leaves(model, form) if question["judge"] else None
    return Measurement(
        cpu=cpu,
        wall=wall,
        extra_bytes=None if floor is None or peak is None else max(0, peak - floor),
        peak_bytes=peak,
        impurity=None if found is None else impurity(found, data, settings.criterion),
        n_leaves=None if found is None else count(found),
        float64_bytes=data.float64_bytes,
        others=others,
    )


def _predict(runner: Any, form: Any, settings: Settings, action: str) -> Measurement:
    model = runner.fit(form, settings)
    n_rows = 1 if action == "predict one row" else None
    runner.predict(model, form, n_rows)
    cpu, wall, _ = clock(lambda: runner.predict(model, form, n_rows))
    return Measurement(cpu=cpu, wall=wall)


def _select(model: Any, data: Any, action: str) -> Measurement:
    """Time scikit-learn's model selection: ten folds, or 12 combinations of parameters."""
    from sklearn.model_selection import GridSearchCV, cross_val_score

    if action == "cross_val_score":
        cpu, wall, _ = clock(lambda: cross_val_score(model, data.X, data.y, cv=10))
    else:
        grid = {"max_depth": [2, 3, 4, 5], "min_samples_leaf": [1, 5, 10]}
        search = GridSearchCV(model, grid, cv=5)
        cpu, wall, _ = clock(lambda: search.fit(data.X, data.y))
    return Measurement(cpu=cpu, wall=wall)


def _first_rows(data: Any, runner: Any) -> Any:
    """Return a few rows for the warm-up, with every class among them."""
    import numpy as np

    from benchmarks.tables import Data

    classes = data.y if data.task == "classification" else data.y[:1]
    rows = np.unique(np.r_[0:200, np.unique(classes, return_index=True)[1]])
    rows = rows[rows < len(data.y)]
    X = data.X[rows] if isinstance(data.X, np.ndarray) else data.X.iloc[rows]
    return runner.prepare(Data(X, data.y[rows], data.task))


def clock(call: Callable[[], Any]) -> tuple[float, float, Any]:
    """Return CPU seconds, wall seconds and the result of a call; short calls by the best block."""
    cpu, wall, result = _timed(call, 1)
    if wall >= BLOCK:
        return cpu, wall, result
    number = max(1, math.ceil(BLOCK / 5 / max(wall, 1e-7)))
    blocks = [_timed(call, number)[:2] for _ in range(5)]
    return min(block[0] for block in blocks), min(block[1] for block in blocks), result


def _timed(call: Callable[[], Any], number: int) -> tuple[float, float, Any]:
    wall, cpu = time.perf_counter(), time.process_time()
    for _ in range(number):
        result = call()
    cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
    return cpu / number, wall / number, result


def busy_seconds() -> float | None:
    """Return the CPU seconds that all processes of the machine have used (None where unknown)."""
    try:
        first = Path("/proc/stat").read_text("ascii").splitlines()[0].split()
    except OSError:
        return None
    user, nice, system, _, _, interrupt, soft = map(int, first[1:8])
    return (user + nice + system + interrupt + soft) / os.sysconf("SC_CLK_TCK")


def _others(busy: float | None, started: float, own: float) -> float | None:
    now = busy_seconds()
    if busy is None or now is None:
        return None
    wall, mine = time.perf_counter() - started, time.process_time() - own
    return max(0.0, now - busy - mine) / wall


def wait_until_quiet(most: float) -> None:
    """Wait, so many seconds at most, for a moment in which nobody uses a tenth of a core."""
    end = time.monotonic() + most
    while time.monotonic() < end:
        busy, started = busy_seconds(), time.perf_counter()
        time.sleep(min(MOMENT, most))
        now = busy_seconds()
        if busy is None or now is None or (now - busy) / (time.perf_counter() - started) < QUIET:
            return


def start_peak() -> int | None:
    """Forget the peak so far; give the resident bytes of now (None where that cannot be done)."""
    try:
        Path("/proc/self/clear_refs").write_text("5", "ascii")
        return _status("VmRSS")
    except OSError:
        return None


def read_peak() -> int | None:
    """Return the highest resident bytes since `start_peak`."""
    try:
        return _status("VmHWM")
    except OSError:
        return None


def _status(name: str) -> int:
    for line in STATUS.read_text("ascii").splitlines():
        if line.startswith(f"{name}:"):
            return int(line.split()[1]) * 1024
    raise OSError(f"{STATUS} has no {name}")


def set_cpu_limit(seconds: float | None) -> None:
    """Let the kernel end this process after so many more CPU seconds."""
    if seconds is not None:
        import resource

        most = resource.getrlimit(resource.RLIMIT_CPU)[1]
        resource.setrlimit(resource.RLIMIT_CPU, (math.ceil(time.process_time() + seconds), most))


if __name__ == "__main__":
    print(json.dumps(asdict(answer_or_error(json.load(sys.stdin)))))
