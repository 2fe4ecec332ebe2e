"""Several threads of Python at once: each gets the tree and the answers that it gets alone.

With a free-threaded Python they run in parallel, the code in Python included.
"""

from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

import ceiba

_OPTIONS: list[dict[str, Any]] = [
    {}, {"missing": "surrogate"}, {"criterion": "entropy", "n_jobs": 2}, {"prune": "cv"},
    {"categorical_splits": "multiway"}, {"max_leaf_nodes": 9}, {"min_significance": 0.05},
]  # fmt: skip


def _rows() -> tuple[dict[str, Any], Any]:
    rng = np.random.default_rng(1)
    n = 500
    x = np.where(rng.random(n) < 0.1, np.nan, rng.normal(size=n))
    level = np.array(list("abcd"), dtype=object)[rng.integers(0, 4, n)]
    y = np.where(np.nan_to_num(x) + (level == "a") + rng.normal(size=n) > 0.5, "yes", "no")
    return {"x": x, "level": level}, y


def _fitted(options: dict[str, Any]) -> Any:
    X, y = _rows()
    model = ceiba.DecisionTreeClassifier(random_state=0, **options).fit(X, y)
    return model.tree_, model.predict_proba(X).tolist(), model.tree_.export("python")


def test_fits_in_threads_give_the_trees_of_fits_one_by_one() -> None:
    alone = [_fitted(options) for options in _OPTIONS]
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(_fitted, _OPTIONS * 3))
    assert together == alone * 3


def test_one_model_answers_several_threads() -> None:
    X, y = _rows()
    model = ceiba.DecisionTreeClassifier(missing="fractional").fit(X, y)
    expected = model.predict_proba(X).tolist()
    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(lambda _: model.predict_proba(X).tolist(), range(24)))
    assert answers == [expected] * 24


def test_import_leaves_a_free_threaded_python_free() -> None:
    program = (
        "import sys, sysconfig, ceiba._core\n"
        "free = bool(sysconfig.get_config_var('Py_GIL_DISABLED'))\n"
        "assert getattr(sys, '_is_gil_enabled', lambda: True)() != free"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
