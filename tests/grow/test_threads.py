"""Threads that the system refuses to start: the work is done by those there are."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

import ceiba
from ceiba.tree.routing.threads import MOST_THREADS, n_threads
from tests.marks import slow

_SCARCE = """
import resource, sys
import numpy as np, ceiba
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


@pytest.mark.skipif(sys.platform != "linux", reason="needs Linux")
@pytest.mark.parametrize(
    ("room", "options"),
    [(60, "prune='cv'"), (150, ""), *slow([(60, ""), (150, "prune='cv'"), (400, "")])],
)
def test_threads_that_cannot_be_started_change_nothing(room: int, options: str) -> None:
    # Each thread asks for a stack of 8 MB and more: of 200 threads a few get one.
    script = _SCARCE.format(room=room, options=options)
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=120, check=False
    )
    no_memory = "MemoryError" in done.stderr  # an error, not the end of the process
    assert done.stdout == "same tree\n" or (done.returncode == 1 and no_memory), done.stderr


@pytest.mark.parametrize("n_jobs", [1000, 2**31, 10**30])
def test_number_of_threads_is_bounded(n_jobs: int) -> None:
    assert n_threads(n_jobs, work=10**9) == MOST_THREADS
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
