"""Arrays that numpy calls unaligned are copied before the core reads them.

Reading a number at an address that is no multiple of its size is undefined behaviour in C++, so no
such array may cross the border: every function of the core is watched while models are fitted and
asked.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import ceiba
from ceiba import _core


def unaligned(array):
    """The same numbers, one byte off."""
    array = np.asarray(array)
    raw = np.zeros(array.nbytes + 1, np.uint8)
    view = raw[1:].view(array.dtype).reshape(array.shape)
    view[...] = array
    assert not view.flags.aligned
    return view


def arrays_in(values):
    for value in values:
        if isinstance(value, np.ndarray):
            yield value
        elif isinstance(value, list | tuple):
            yield from arrays_in(value)


@pytest.fixture
def watched(monkeypatch):
    """The core, with every array that is handed to its functions looked at."""
    seen = []

    def watch(owner, name, call):
        def look(*args, **keywords):
            for array in arrays_in([*args, *keywords.values()]):
                seen.append(array.flags.aligned)
            return call(*args, **keywords)

        monkeypatch.setattr(owner, name, look)

    for name in dir(_core):
        value = getattr(_core, name)
        if not name.startswith("_") and callable(value) and not isinstance(value, type):
            watch(_core, name, value)
    for kind in (_core.Columns, _core.Router):
        for name in dir(kind):
            if not name.startswith("_"):
                value = getattr(kind, name)
                static = isinstance(kind.__dict__.get(name), staticmethod) or name.startswith(
                    "from_"
                )
                if callable(value):
                    watch(kind, name, staticmethod(value) if static else value)
    return seen


RNG = np.random.default_rng(0)
NUMBERS = RNG.normal(size=(60, 3))


@pytest.mark.parametrize(
    "X",
    [
        unaligned(NUMBERS),
        unaligned(NUMBERS.astype(np.float32)),
        unaligned((NUMBERS * 10).astype(np.int64)),
        unaligned(NUMBERS.astype(np.float16)),
        unaligned(np.asfortranarray(NUMBERS).T).T,
        {"a": unaligned(NUMBERS[:, 0]), "b": unaligned((NUMBERS[:, 1] * 3).astype(np.int32))},
        np.rec.fromarrays(NUMBERS.T, dtype=[("a", "f8"), ("flag", "u1"), ("b", "f4")]),
        {"when": unaligned(np.arange(60).astype("M8[s]")), "b": NUMBERS[:, 1]},
    ],
    ids=["f8", "f4", "i8", "f2", "fortran", "dict", "record", "dates"],
)
@pytest.mark.parametrize("task", ["classification", "regression"])
def test_no_unaligned_array_reaches_the_core(watched, X, task):
    if task == "classification":
        y = unaligned((NUMBERS[:, 0] > 0).astype(np.int64))
        model = ceiba.DecisionTreeClassifier(max_depth=3, prune="1se")
    else:
        y = unaligned(NUMBERS[:, 0] + NUMBERS[:, 1])
        model = ceiba.DecisionTreeRegressor(max_depth=3, missing="surrogate")
    weight = unaligned(RNG.uniform(1, 2, 60))
    model.fit(X, y, sample_weight=weight)
    model.predict(X)
    model.apply(X)
    model.evaluate(X, y, sample_weight=weight)
    model.explain(X)
    model.tree_.refit_leaves(X, y, sample_weight=weight)
    assert watched
    assert all(watched)


def test_unaligned_times_of_a_poisson_tree(watched):
    X, events = unaligned(NUMBERS), unaligned(RNG.integers(0, 5, 60).astype(np.int32))
    model = ceiba.rpart("poisson", xval=3)
    model.fit(X, events, exposure=unaligned(np.full(60, 2.0)))
    assert watched
    assert all(watched)


def test_unaligned_numbers_give_the_tree_of_aligned_ones():
    y = NUMBERS[:, 0] + NUMBERS[:, 1]
    a = ceiba.DecisionTreeRegressor(max_depth=4).fit(NUMBERS, y).tree_
    b = ceiba.DecisionTreeRegressor(max_depth=4).fit(unaligned(NUMBERS), unaligned(y)).tree_
    assert a.splits == b.splits
    pd.testing.assert_series_equal(pd.Series(a.value[:, 0, 0]), pd.Series(b.value[:, 0, 0]))
