"""Small float matrices with integer classes are read and grown in one call to the core.

The reference is the general path, to which an estimator falls back if `grow_plain` returns None.
"""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from ceiba import DecisionTreeClassifier, DecisionTreeRegressor
from ceiba.estimators import decision_tree

RNG = np.random.default_rng(7)
X = np.round(RNG.normal(size=(120, 5)), 1)
Y = RNG.integers(0, 4, 120) * (X[:, 0] > 0)


def outcome(model, X, y):
    """Return the fitted state, or the type and text of the error, with all warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            state = dict(vars(model.fit(X, y)))
        except Exception as error:
            return type(error), str(error)
    classes, tree = state.pop("classes_", None), state.pop("tree_")
    named = (tree, tree.schema, state, [(w.category, str(w.message), w.filename) for w in caught])
    return *named, None if classes is None else (classes.tolist(), classes.dtype)


def in_one_call(monkeypatch, model, X, y):
    """Compare both paths; return whether the first one needed a single call."""
    grown, grow_plain = [], decision_tree.grow_plain

    def remember(*arguments):
        grown.append(grow_plain(*arguments))
        return grown[-1]

    with monkeypatch.context() as patch:
        patch.setattr(decision_tree, "grow_plain", remember)
        found = outcome(model, X, y)
        patch.setattr(decision_tree, "grow_plain", lambda *_: None)
        assert found == outcome(type(model)(**model.get_params(deep=False)), X, y)
    return bool(grown) and grown[0] is not None


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("params", [{}, {"max_depth": 2, "n_jobs": 2}, {"min_samples_leaf": 7}])
def test_layouts(monkeypatch, dtype, params):
    Z = X.astype(dtype)
    wide = np.repeat(Z, 2, axis=1)
    for view in (
        Z,
        np.asfortranarray(Z),
        Z[::-1],
        wide[:, ::2],
        Z[:, :1],
        -Z * 0.0 + Z,
        Z[:, [0, 0]],
    ):
        assert in_one_call(monkeypatch, DecisionTreeClassifier(**params), view, Y)


@pytest.mark.parametrize(
    "y", [Y - 100, np.repeat(Y, 2)[::2], Y * 0 + 3, np.where(Y > 1, 10**12, 10**12 + 5)]
)
def test_targets(monkeypatch, y):
    assert in_one_call(monkeypatch, DecisionTreeClassifier(), X, y)


@pytest.mark.parametrize("n_rows", [199, 200, 450])
def test_a_leak_causes_the_same_warning(monkeypatch, n_rows):
    Z = np.arange(2.0 * n_rows).reshape(-1, 2)
    y = (Z[:, 0] > n_rows).astype(np.int64)
    assert in_one_call(monkeypatch, DecisionTreeClassifier(), Z, y)


def unaligned(values):
    room = np.zeros(values.nbytes + 1, np.uint8)[1:].view(values.dtype).reshape(values.shape)
    room[...] = values
    return room


@pytest.mark.parametrize(
    ("Z", "y"),
    [
        (np.where(X > 2, np.nan, X), Y),
        (np.where(X > 2, np.inf, X), Y),
        (np.where(X > 2, -np.inf, X), Y),
        (unaligned(X), Y),
        (X, unaligned(Y)),
        (X.astype(">f8"), Y),
        (X.astype(np.float16), Y),
        (X.astype(np.int64), Y),
        (X.astype(object), Y),
        (X[:, 0], Y),
        (X[:0], Y[:0]),
        (X[:, :0], Y),
        (X, Y[:-1]),
        (X, Y[:, None]),
        (X, Y.astype(np.int32)),
        (X, Y.astype(float)),
        (X, Y > 0),
        (X, Y.astype(str)),
        (X, np.arange(len(Y))),
        (X, Y + 10**9 * (Y > 1)),
        (np.zeros((5_001, 8)), np.zeros(5_001, np.int64)),
    ],
)
def test_other_data_take_the_general_path(monkeypatch, Z, y):
    assert not in_one_call(monkeypatch, DecisionTreeClassifier(), Z, y)


@pytest.mark.parametrize(
    "params",
    [
        {"min_samples_leaf": 0.1},
        {"min_samples_leaf": 5, "min_samples_split": 3},
        {"criterion": "entropy"},
        {"max_features": 2},
        {"prune": "1se"},
        {"categorical_features": [0]},
        {"class_weight": "balanced"},
        {"max_depth": -1},
    ],
)
def test_other_options_take_the_general_path(monkeypatch, params):
    assert not in_one_call(monkeypatch, DecisionTreeClassifier(**params), X, Y)


def test_regression_takes_the_general_path(monkeypatch):
    assert not in_one_call(monkeypatch, DecisionTreeRegressor(), X, Y)


def test_results_of_an_earlier_fit_are_removed():
    model = DecisionTreeClassifier(prune="1se").fit({"a": X[:, 0], "b": X[:, 1]}, Y)
    model.set_params(prune=None).fit(X, np.r_[Y[:-1], np.nan], drop_missing_target=True)
    assert model.n_rows_dropped_ == 1
    model.fit(X, Y)
    fresh = DecisionTreeClassifier().fit(X, Y)
    assert vars(model).keys() == vars(fresh).keys()
