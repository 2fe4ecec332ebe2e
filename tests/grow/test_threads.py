"""One tree for any number of threads, also of threads that the system refuses to start."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from scipy import sparse

import ceiba
from ceiba.tree.routing.threads import MAX_THREADS, n_threads
from tests.marks import slow

_SCARCE = """
import resource, sys
import numpy as np, ceiba
from ceiba.tree.routing import threads
threads.WORK_PER_THREAD = 400  # small tables use fewer threads
rng = np.random.default_rng(0)
X = rng.normal(size=(20_000, 4)); y = (X[:, 0] > .5).astype(int) ^ (rng.random(20_000) < .1)
def model(n_jobs): return ceiba.DecisionTreeClassifier(max_depth=6, n_jobs=n_jobs, {options})
alone = model(1).fit(X, y)
pages = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
room = pages + (1 << 20) * {room}
resource.setrlimit(resource.RLIMIT_AS, (room, room))
many = model(200).fit(X, y)
assert many.tree_ == alone.tree_
rows = np.tile(X, (10, 1))
assert (many.predict(rows) == np.tile(alone.predict(X), 10)).all()
print("same tree")
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="needs Linux")
@pytest.mark.parametrize(
    ("room", "options"),
    [(60, "prune='cv'"), (150, ""), *slow([(60, ""), (150, "prune='cv'"), (400, "")])],
)
def test_threads_that_cannot_be_started_change_nothing(room: int, options: str) -> None:
    # Each thread asks for a stack of 8 MB and more: of 200 threads a few get one.
    script = _SCARCE.format(room=room, options=options)
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=600, check=False
    )
    no_memory = "MemoryError" in done.stderr  # an error, not the end of the process
    assert done.stdout == "same tree\n" or (done.returncode == 1 and no_memory), done.stderr


_FORKED = """
import os, sys
import numpy as np, ceiba
rng = np.random.default_rng(0)
X = rng.normal(size=(50_000, 4)); y = (X[:, 0] > .5).astype(int) ^ (rng.random(50_000) < .1)
def grow(n_jobs): return ceiba.DecisionTreeClassifier(max_depth=6, n_jobs=n_jobs).fit(X, y).tree_
first = grow(2)  # its threads are kept for the next fit, but a forked process does not have them
child = os.fork()
if not child:
    os._exit(0 if grow(2) == first and grow(3) == first else 1)
assert os.waitpid(child, 0)[1] == 0
assert grow(3) == first and grow(2) == first
print("same tree")
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_forked_process_starts_its_own_threads() -> None:
    command = [sys.executable, "-W", "ignore", "-c", _FORKED]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.stdout == "same tree\n", done.stderr


# What is fitted: options of the tree, and how the table of numbers is changed before.
_KINDS: dict[str, dict[str, Any]] = {
    "classes": {},
    "any depth": {"max_depth": None, "min_samples_leaf": 5},
    "regression": {"criterion": "squared_error"},
    "weights": {"weighted": True},
    "weighted regression": {"criterion": "squared_error", "weighted": True},
    "missing": {"holes": True},
    "fractional": {"holes": True, "missing": "fractional"},
    "surrogates": {"holes": True, "missing": "surrogate"},
    "levels": {"holes": True, "categorical_features": [0, 1, 2]},
    "levels of two classes": {"holes": True, "categorical_features": [0, 1, 2], "cuts": [0]},
    "sparse": {"stored": sparse.csr_matrix},
    "max_bins": {"max_bins": 20},
    "competitors": {"max_competitors": 2},
    "leaves": {"max_leaf_nodes": 20},
}


@pytest.mark.parametrize("n_rows", [8192, 12289, *slow([8191, 8193, 12287, 12288, 40961])])
@pytest.mark.parametrize("kind", _KINDS)
def test_trees_of_any_number_of_threads_are_equal(kind: str, n_rows: int) -> None:
    # More than 200,000 values: threads share the rows of the root, in blocks of 4,096.
    options = {"max_depth": 5, "min_samples_leaf": 20, **_KINDS[kind]}
    rng = np.random.default_rng(n_rows)
    X = rng.normal(size=(n_rows, 26))
    X[:, :4] = rng.integers(0, 12, (n_rows, 4))
    score = X[:, 4] + 0.3 * X[:, 0] + X[:, 5] * (X[:, 1] > 5) + rng.normal(size=n_rows)
    weight = rng.gamma(1.0, size=n_rows) if options.pop("weighted", False) else None
    if options.pop("holes", False):
        X[rng.random(X.shape) < 0.1] = np.nan
    stored = options.pop("stored", None)
    table = X if stored is None else stored(np.where(np.abs(X) < 1, 0, X))
    regression = "criterion" in options
    model = ceiba.DecisionTreeRegressor if regression else ceiba.DecisionTreeClassifier
    y = score if regression else np.digitize(score, options.pop("cuts", [0, 2]))
    trees = [model(n_jobs=n, **options).fit(table, y, weight).tree_ for n in (1, 2, 3, 5)]
    assert trees[0].n_leaves > 5
    assert [tree == trees[0] for tree in trees] == [True] * 4


@pytest.mark.parametrize("n_jobs", [1000, 2**31, 10**30])
def test_number_of_threads_is_bounded(n_jobs: int) -> None:
    assert n_threads(n_jobs, work=10**9) == MAX_THREADS
    assert n_threads(-n_jobs, work=10**9) == 1


@pytest.mark.parametrize(
    "limit",
    ["max_depth", "max_leaf_nodes", "missing__keep", "max_competitors", "min_samples_leaf",
     "min_samples_split"],
)  # fmt: skip
@pytest.mark.parametrize("value", [2**31, 2**64, 10**400], ids=["31 bits", "64 bits", "400 digits"])
def test_limit_beyond_every_table_is_no_limit(limit: str, value: int) -> None:
    X, y = np.arange(20.0)[:, None], np.arange(20) % 3
    model = ceiba.DecisionTreeClassifier(missing="surrogate").set_params(**{limit: value})
    model.fit(X, y)
    assert model.get_n_leaves() == (1 if limit.startswith("min") else 20)
    model.set_params().fit(X, y, frequency=np.ones(20))
