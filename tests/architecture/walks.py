"""How far it is through the code: the functions that a call goes through, and their files.

`python -m tests.architecture.walks` prints the walks of `fit(X, y)` and of `ceiba learn`.
"""

from __future__ import annotations

import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import ceiba

_ROOT = str(Path(ceiba.__file__).parent)


def walk(call: Callable[[], Any]) -> Counter[tuple[str, str]]:
    """Return the functions of ceiba that a call goes through, with how often; modules aside."""
    seen: Counter[tuple[str, str]] = Counter()

    def note(frame: Any, event: str, _: Any) -> None:
        code = frame.f_code
        if event == "call" and code.co_filename.startswith(_ROOT) and code.co_name[0] != "<":
            seen[code.co_filename[len(_ROOT) + 1 :], code.co_qualname] += 1

    sys.setprofile(note)
    try:
        call()
    finally:
        sys.setprofile(None)
    return seen


def fit() -> Counter[tuple[str, str]]:
    """Walk through a plain fit, all modules loaded."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(150, 4)), rng.integers(0, 3, 150)
    ceiba.DecisionTreeClassifier().fit(X, y)
    return walk(lambda: ceiba.DecisionTreeClassifier().fit(X, y))


def learn(folder: Path) -> Counter[tuple[str, str]]:
    """Walk through the command `learn` with pruning and a report."""
    from tests.cli.running import ok

    rng = np.random.default_rng(0)
    rows = [
        f"{a:.3f},{b:.3f},{'uv'[a > b]},{'yn'[a + b > 0.3]}"
        for a, b in rng.normal(size=(300, 2)).tolist()
    ]
    (folder / "data.csv").write_text("\n".join(["a,b,c,y", *rows]), "utf-8")
    words = ("learn", "data.csv", "--target", "y", "--prune", "1se", "--report", "r.html")
    ok(*words, cwd=folder)
    return walk(lambda: ok(*words, cwd=folder))


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as scratch:
        for name, seen in (("fit", fit()), ("learn", learn(Path(scratch)))):
            grown = seen["grow/problem.py", "Problem.grow"]
            print(f"{name}: {len(seen)} functions in {len({file for file, _ in seen})} files, "
                  f"growing is entered {grown} times")  # fmt: skip
