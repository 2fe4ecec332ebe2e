"""The core in a browser against the compiled package: reading, growing, cross-validation, memory.

    python -m benchmarks.browser [--large]

Needs `make wasm`, node and Chromium. The same CSV files are grown by the worker of the playground,
in node and in Chromium, and by the package in one thread; trees must be equal. Times are the best
of five, in seconds: CPU time of the package and of node, wall time in Chromium.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
from tests.playground.scripts import playground, work
from tests.playground.test_worker import OPTIONS, as_json

import ceiba
from ceiba.datasets import get_path

REPEATS = 5


def write_tables(folder: Path, large: bool) -> dict[str, tuple[Path, str]]:
    """Write iris and tables of random numbers; the target is the last column."""
    rng = np.random.default_rng(0)
    tables = {"iris, 150 x 4": (get_path("iris"), "species")}
    for n, k, name in ((100_000, 10, "100,000 x 10"), (1_000_000, 20, "1,000,000 x 20"))[
        : 1 + large
    ]:
        X = rng.normal(size=(n, k)).round(4)
        y = np.where(X[:, 0] + X[:, 1] * X[:, 2] + rng.normal(size=n) > 0, "a", "b")
        path = folder / f"{n}.csv"
        with path.open("w") as file:
            file.write(",".join(f"x{j}" for j in range(k)) + ",y\n")
            for start in range(0, n, 50_000):
                part = X[start : start + 50_000].tolist()
                labels = y[start : start + 50_000].tolist()
                lines = (
                    f"{','.join(map(str, row))},{c}\n" for row, c in zip(part, labels, strict=True)
                )
                file.writelines(lines)
        tables[name] = path, "y"
    return tables


def native(path: Path, target: str) -> tuple[float, float, Any]:
    """Return CPU seconds of reading and of fitting in one thread, and the tree."""
    begun = time.process_time()
    frame = ceiba.read_file(path)
    read = time.process_time() - begun
    best = float("inf")
    for _ in range(REPEATS):
        begun = time.process_time()
        model = ceiba.DecisionTreeClassifier(max_depth=8, n_jobs=1).fit(frame, target)
        best = min(best, time.process_time() - begun)
    return read, best, model.tree_


def in_node(folder: Path, path: Path, target: str) -> tuple[float, float, Any]:
    """Return the same of the worker in node."""
    options = OPTIONS | {"target": target, "maxDepth": 8}
    asked = [
        {"action": "read", "path": str(path), "options": {}},
        {"action": "grow", "options": options},
        {"action": "time", "options": options, "repeats": REPEATS},
        {"action": "save", "alpha": -1.0, "source": ""},
    ]
    read, _, timed, saved = work(folder, asked)
    (folder / "m.ceiba").write_text(saved["result"]["text"])
    return read["result"]["seconds_cpu"], timed["result"]["least"], ceiba.load(folder / "m.ceiba")


def in_chromium(page: Path, path: Path) -> tuple[float, float, float]:
    """Return seconds of reading and growing in Chromium, and the memory of the core in MB."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as p:
        browser = p.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
        tab = browser.new_page()
        tab.goto(page.as_uri())
        tab.wait_for_selector("#file")
        while not tab.evaluate("Boolean(window.ceibaPlayground)"):
            tab.wait_for_timeout(20)
        tab.evaluate("Object.assign(ceibaPlayground.play.options, { maxDepth: '8', folds: 0 })")
        done = "ceibaPlayground.play.done"
        tab.set_input_files("#file", str(path))
        figures = []
        for _ in range(REPEATS):
            before = tab.evaluate(done) if figures else 0
            if figures:
                tab.evaluate(
                    "document.querySelector('#min-leaf').dispatchEvent(new Event('change'))"
                )
            while tab.evaluate(done) <= before:
                tab.wait_for_timeout(20)
            figures.append(tab.evaluate("ceibaPlayground.play.timing"))
        browser.close()
    read = figures[0]["reading"]
    return read, min(one["growing"] for one in figures), figures[-1]["megabytes"]


def main(large: bool) -> int:
    """Print the table of times."""
    version = subprocess.run(["node", "--version"], capture_output=True, text=True).stdout.strip()
    print(f"node {version}; depth 8; seconds: package read, fit | node read, grow | Chromium")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        page = folder / "playground.html"
        page.write_text(playground.page())
        for title, (path, target) in write_tables(folder, large).items():
            read, fit, tree = native(path, target)
            node_read, node_grow, loaded = in_node(folder, path, target)
            same = as_json(loaded) == as_json(tree)
            chromium = in_chromium(page, path)
            package, node = f"{read:.3f} {fit:.4f}", f"{node_read:.3f} {node_grow:.4f}"
            print(f"{title}: {package} | {node} | {json.dumps(chromium)} | {tree.n_nodes} nodes")
            print(f"  equal trees: {same}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main("--large" in sys.argv))
