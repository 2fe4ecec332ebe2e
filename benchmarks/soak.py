"""Repeat everything in one process and check that nothing grows.

    python -m benchmarks.soak [--minutes 60]

A round fits, predicts, explains, saves, reports, runs the command line, opens the studio and sends
requests to its server, and fits a scan of files. After each round, garbage is collected and unused
memory released; then private memory (RssAnon), threads, open files, child processes and temporary
files are counted. The exit status is 1 if any of them grows. Linux only.
"""

from __future__ import annotations

import argparse
import contextlib
import ctypes
import gc
import io
import json
import statistics
import sys
import tempfile
import threading
import time
import urllib.request
import warnings
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import ceiba
from benchmarks.beyond_memory import private_memory
from ceiba.datasets import load_iris, load_restaurant

#: Rounds that come before the first measurement: imports, caches, arenas of the allocator.
WARM_UP = 3
#: Growth of memory that is noise: a share of it, and megabytes.
MEMORY_NOISE = (0.02, 4.0)

Sample = dict[str, float]


def rows(n: int = 4_000) -> tuple[dict[str, Any], Any, Any]:
    """Numbers, levels and holes; classes and numbers to predict."""
    rng = np.random.default_rng(0)
    x, z = rng.normal(size=(2, n))
    level = np.array(list("abcdef"), dtype=object)[rng.integers(0, 6, n)]
    level[rng.random(n) < 0.1] = None
    holes = np.where(rng.random(n) < 0.2, np.nan, z)
    signal = x + (level == "a") + rng.normal(size=n)
    return {"x": x, "holes": holes, "level": level}, np.where(signal > 0.5, "yes", "no"), signal


def fit_and_predict(folder: Path) -> None:
    X, classes, numbers = rows()
    for options in (
        {}, {"missing": "surrogate"}, {"missing": "fractional"}, {"prune": "1se", "max_depth": 6},
        {"criterion": "entropy", "categorical_splits": "multiway"}, {"n_jobs": 2},
        {"min_significance": 0.05}, {"search": "optimal", "max_depth": 2},
    ):  # fmt: skip
        model = ceiba.DecisionTreeClassifier(**options).fit(X, classes)
        model.predict_proba(X)
        model.save(folder / "model.ceiba")
        ceiba.load(folder / "model.ceiba").predict(X)
    for options in (
        {},
        {"criterion": "absolute_error", "max_depth": 4},
        {"leaf_values": "honest"},
    ):
        ceiba.DecisionTreeRegressor(**options).fit(X, numbers).apply(X)
    for family in (ceiba.cart, ceiba.c45, ceiba.chaid):
        family().fit(X, classes).predict(X)


def fit_wrongly(folder: Path) -> None:
    """Errors leave nothing behind either."""
    X, classes, _ = rows(50)
    for wrong in ({"max_depth": -1}, {"missing": "error"}, {"criterion": "no"}):
        with contextlib.suppress(ceiba.CeibaError):
            ceiba.DecisionTreeClassifier(**wrong).fit(X, classes)
    (folder / "wrong.ceiba").write_bytes(b"{")
    with contextlib.suppress(ceiba.CeibaError):
        ceiba.load(folder / "wrong.ceiba")


def explain_and_export(folder: Path) -> None:
    X, classes, _ = rows(1_000)
    model = ceiba.DecisionTreeClassifier(max_depth=5, prune="cv").fit(X, classes)
    few = {name: column[:50] for name, column in X.items()}
    str(model.explain(few))
    str(model.summary())
    for name in ("text", "rules", "sql", "python", "c", "javascript", "json", "pmml", "dot", "svg"):
        model.tree_.export(name)
    edited = model.collapse(1) if model.tree_.n_nodes > 3 else model
    edited.predict(few)


def report(folder: Path) -> None:
    iris = load_iris()
    model = ceiba.DecisionTreeClassifier(prune="1se").fit(iris.X, iris.y)
    model.report(folder / "iris.html", train=(iris.X, iris.y))


def command_line(folder: Path) -> None:
    data = load_restaurant()
    names = list(data.X)
    lines = [",".join([*names, "wait"])]
    lines += [",".join(map(str, row)) for row in zip(*data.X.values(), data.y, strict=True)]
    table, model = folder / "restaurant.csv", folder / "restaurant.ceiba"
    table.write_text("\n".join(lines) + "\n", "utf-8")
    model.unlink(missing_ok=True)
    for words in (
        ["learn", table, "--target", "wait", "--model", model], ["show", model], ["rules", model],
        ["predict", model, table], ["evaluate", model, table], ["describe", table],
        ["export", model, "sql"], ["report", model, "--out", folder / "restaurant.html"],
    ):  # fmt: skip
        printed, code = ceiba_command(*words)
        if code:
            raise SystemExit(f"ceiba {words[0]} ended with {code}: {printed}")
    if not ceiba_command("show", folder / "absent")[1]:
        raise SystemExit("a model that is not there was shown")


def ceiba_command(*words: Any) -> tuple[str, Any]:
    """Run a command in this process; give what it prints and its exit status."""
    from ceiba.cli.main import main

    before, code = sys.argv, 0
    sys.argv = ["ceiba", *map(str, words)]
    printed = io.BytesIO()
    stream = io.TextIOWrapper(printed, "utf-8", write_through=True)
    try:
        with contextlib.redirect_stdout(stream), contextlib.redirect_stderr(stream):
            main()
    except SystemExit as ended:
        code = ended.code or 0
    finally:
        sys.argv = before
    return printed.getvalue().decode(), code


def studio(folder: Path) -> None:
    """Open the studio on a port of its own, ask over the network, and close it."""
    from ceiba.studio.launch import Address, initial_setup, run
    from ceiba.studio.prepare import read_whole_table
    from ceiba.studio.work.source import Source
    from ceiba.studio.work.workspace import Workspace

    X, classes, _ = rows(2_000)
    table, name = read_whole_table({**X, "y": classes}, "y")
    source = Source(name, table)
    asking: list[threading.Thread] = []
    failures: list[str] = []

    def begin(text: str) -> None:
        address, _, token = text.split()[-1].partition("/?token=")
        asking.append(threading.Thread(target=talk, args=(address, token, failures)))
        asking[0].start()

    run(Workspace(source, initial_setup(source, name, {})), Address(), browser=False, tell=begin)
    asking[0].join()
    if failures:
        raise SystemExit(failures[0])


def talk(address: str, token: str, failures: list[str]) -> None:
    def ask(path: str, body: Any = None) -> Any:
        content = None if body is None else json.dumps(body).encode()
        headers = {"X-Ceiba-Token": token, "Content-Type": "application/json"}
        request = urllib.request.Request(address + path, content, headers)
        with urllib.request.urlopen(request, timeout=300) as answer:
            return json.load(answer)

    try:
        ask("/api/state")
        ask("/api/node/0/rivals")
        ask("/api/node/0/preview", {"split": {"column": "x", "cut": 0.1}})
        ask("/api/action", {"action": "take", "arguments": {"node": 0, "split": "x > 0.5"}})
        ask("/api/cross-validation", {"folds": 3})
        while ask("/api/cross-validation").get("running"):
            time.sleep(0.1)
    except Exception as error:
        failures.append(f"the studio: {error!r}")
    finally:
        ask("/api/close", {})


def scan(folder: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    X, classes, _ = rows()
    files = folder / "files"
    files.mkdir(exist_ok=True)
    for k in range(2):
        pq.write_table(pa.table({**X, "y": classes}), files / f"{k}.parquet")
    opened = ceiba.scan(str(files / "*.parquet"), scratch=folder)
    ceiba.DecisionTreeClassifier(max_depth=5).fit(opened, "y")


JOBS: tuple[Callable[[Path], None], ...] = (
    fit_and_predict, fit_wrongly, explain_and_export, report, command_line, studio, scan,
)  # fmt: skip


def sample(folder: Path) -> Sample:
    """What this process holds now."""
    gc.collect()
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).malloc_trim(0)
    status = dict(
        line.split(":", 1) for line in Path("/proc/self/status").read_text("utf-8").splitlines()
    )
    children = Path("/proc/self/task").glob("*/children")
    return {
        "MB of memory": private_memory() / 2**20,
        "threads": int(status["Threads"]),
        "open files": sum(1 for _ in Path("/proc/self/fd").iterdir()),
        "child processes": sum(len(file.read_text("ascii").split()) for file in children),
        "temporary files": sum(1 for _ in folder.rglob("*")),
    }


def growth(samples: list[Sample]) -> dict[str, tuple[float, float, bool]]:
    """Of each figure, the median of the first and the last third, and whether it has grown."""
    third = max(1, len(samples) // 3)
    result = {}
    for name in samples[0]:
        first = statistics.median(one[name] for one in samples[:third])
        last = statistics.median(one[name] for one in samples[-third:])
        share, noise = MEMORY_NOISE if name == "MB of memory" else (0.0, 0.0)
        result[name] = first, last, last - first > max(share * first, noise)
    return result


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else "")
    parser.add_argument("--minutes", type=float, default=60.0)
    minutes = parser.parse_args().minutes
    samples: list[Sample] = []
    cpu: Counter[str] = Counter()
    end = time.monotonic() + 60 * minutes
    with tempfile.TemporaryDirectory(prefix="soak") as name:
        folder = tempfile.tempdir = name
        n_rounds = 0
        while n_rounds < WARM_UP + 3 or time.monotonic() < end:
            for job in JOBS:
                begun = time.process_time()
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    job(Path(folder))
                cpu[job.__name__] += time.process_time() - begun
            n_rounds += 1
            if n_rounds > WARM_UP:
                samples.append(sample(Path(folder)))
            if n_rounds % 10 == 0 and samples:
                print(n_rounds, {k: round(v, 1) for k, v in samples[-1].items()}, flush=True)
        tempfile.tempdir = None
    print(f"{n_rounds} rounds in {minutes:g} minutes; processor seconds:", dict(cpu))
    figures = growth(samples)
    print(f"{'':<18}{'first third':>12}{'last third':>12}{'largest':>10}")
    for name, (first, last, grown) in figures.items():
        largest = max(one[name] for one in samples)
        print(f"{name:<18}{first:>12.1f}{last:>12.1f}{largest:>10.1f}{'  GROWS' * grown}")
    return int(any(grown for _, _, grown in figures.values()))


if __name__ == "__main__":
    sys.exit(main())
