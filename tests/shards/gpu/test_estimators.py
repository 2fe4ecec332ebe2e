"""Estimators over tables on a GPU, under the emulator: the trees and predictions of the host."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import ceiba
from ceiba.errors import CeibaError
from ceiba.shards.homes import gpu
from ceiba.shards.table import RoundSizes
from ceiba.table.scanning import beyond_memory, is_device_frame
from tests.shards.gpu.emulated import EmulatedDevice
from tests.shards.sharding import assert_same_tree


@pytest.fixture
def emulated(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have dicts of numpy arrays stand for tables on a GPU."""
    monkeypatch.setattr(gpu, "CudaDevice", EmulatedDevice)
    monkeypatch.setattr(beyond_memory, "is_device_frame", lambda X: isinstance(X, OnDevice))
    monkeypatch.setattr(gpu, "SIZES", RoundSizes(50, 8, 3))
    monkeypatch.setattr(gpu, "SAMPLE", 40)
    monkeypatch.setattr(gpu, "SMALL", 0)


class OnDevice(dict[str, Any]):
    """A table that stands for one on a GPU."""


def columns_of(n: int = 600) -> dict[str, Any]:
    rng = np.random.default_rng(3)
    x = rng.normal(size=(n, 5))
    columns = {
        "single": x[:, 0].astype(np.float32),
        "double": np.where(rng.random(n) < 0.1, np.nan, x[:, 1]),
        "whole": np.round(20 * x[:, 2]).astype(np.int32),
        "byte": np.abs(9 * x[:, 3]).astype(np.uint8),
        "level": rng.integers(0, 5, n),
    }
    return columns | {"y": (x[:, 0] * x[:, 1] + (columns["level"] == 2) + 0.5 * x[:, 4])}


CASES: dict[str, dict[str, Any]] = {
    "classes": {},
    "three classes": {"criterion": "entropy"},
    "balanced": {"class_weight": "balanced", "max_depth": 5},
    "weights": {"weighted": True, "min_samples_leaf": 3},
    "levels": {"categorical_features": ["level"], "max_depth": 4},
    "multiway": {"categorical_features": ["level"], "categorical_splits": "multiway"},
    "best first": {"max_leaf_nodes": 9},
    "folds": {"prune": "1se"},
    "folds of levels": {"prune": "cv", "categorical_features": ["level"]},
    "few bins": {"max_bins": 8},
    "folds of few bins": {"max_bins": 40, "prune": "cv", "weighted": True},
    "few bins of a regression": {"task": "regression", "max_bins": 5, "max_depth": 4},
    "regression": {"task": "regression", "max_depth": 6},
    "weighted regression": {"task": "regression", "weighted": True, "prune": "cv"},
}


@pytest.mark.usefixtures("emulated")
@pytest.mark.parametrize("case", CASES)
def test_model_on_a_device_is_that_of_the_host(case: str) -> None:
    params = dict(CASES[case])
    columns = columns_of()
    y = columns.pop("y")
    model: Any = ceiba.DecisionTreeRegressor
    if params.pop("task", None) is None:
        model, y = ceiba.DecisionTreeClassifier, (y > 0).astype(int) + (y > 1) * (case[0] == "t")
    weight = np.arange(len(y)) % 4.0 if params.pop("weighted", False) else None
    expected = model(**params).fit(columns, y, sample_weight=weight)
    found = model(**params).fit(OnDevice(columns), y, sample_weight=weight)
    assert expected.tree_.n_leaves > 3
    assert_same_tree(expected.tree_, found.tree_)
    if "prune" in params:
        assert found.alpha_ == expected.alpha_
    evaluation = found.evaluate(OnDevice(columns), y, by="level")
    assert str(evaluation) == str(expected.evaluate(columns, y, by="level"))
    columns["level"][:5] = 9  # unseen
    for method in ("predict", "apply", "predict_proba"):
        if hasattr(found, method):
            on_device = getattr(found, method)(OnDevice(columns))
            assert np.array_equal(on_device, getattr(expected, method)(columns))


class Frame:
    """A frame as cuDF has them: columns in memory of the device, with masks of bits."""

    def __init__(self, columns: dict[str, Any], valid: dict[str, Any]) -> None:
        self.columns = list(columns)
        self._columns = {name: Series(columns[name], valid.get(name)) for name in columns}

    def __getitem__(self, name: str) -> Any:
        return self._columns[name]

    def __contains__(self, name: str) -> bool:
        return name in self._columns

    to_cupy = columns = None  # type: ignore[assignment]


class Series:
    """A column of a frame."""

    def __init__(self, values: np.ndarray, valid: np.ndarray | None) -> None:
        self._values, self._valid = values, valid
        self._bits = None if valid is None else np.packbits(valid, bitorder="little")

    @property
    def shape(self) -> tuple[int, ...]:
        return self._values.shape

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        described = dict(self._values.__array_interface__, version=1)
        if self._bits is not None:
            bits = dict(self._bits.__array_interface__, typestr="<t1", shape=self.shape)
            described["mask"] = SimpleNamespace(__cuda_array_interface__=bits)
        return described


@pytest.mark.usefixtures("emulated")
@pytest.mark.parametrize("max_bins", [None, 16])
def test_masked_values_of_a_frame_are_missing(
    monkeypatch: pytest.MonkeyPatch, max_bins: int | None
) -> None:
    monkeypatch.setattr(beyond_memory, "is_device_frame", is_device_frame)
    columns = columns_of()
    y = (columns.pop("y") > 0).astype(int)
    rng = np.random.default_rng(5)
    valid = {name: rng.random(len(y)) < 0.8 for name in ("single", "whole", "byte")}
    frame = Frame(columns | {"label": y}, valid)
    expected_columns = {
        name: np.where(valid[name], column, np.nan).astype(
            np.float32 if name == "single" else np.float64
        )
        if name in valid
        else column
        for name, column in columns.items()
    }
    model = ceiba.DecisionTreeClassifier(max_depth=5, max_bins=max_bins)
    expected = model.fit(expected_columns, y)
    wanted = expected.tree_, expected.predict(expected_columns), expected.score(expected_columns, y)
    found = model.fit(frame, "label")
    assert_same_tree(wanted[0], found.tree_)
    assert np.array_equal(found.predict(frame), wanted[1])
    assert found.score(frame, frame["label"]) == wanted[2]


REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "poisson": ({"criterion": "poisson"}, r"criterion='poisson' is not supported"),
    "unknown column": ({"categorical_features": ["leve"]}, r"column not found: 'leve'"),
    "max_features": ({"max_features": 2}, r"max_features=2 is not supported"),
    "surrogates": ({"missing": "surrogate"}, r"missing='surrogate' is not supported"),
}


@pytest.mark.usefixtures("emulated")
@pytest.mark.parametrize("case", REFUSED)
def test_unsupported_options_are_refused_by_name(case: str) -> None:
    params, message = REFUSED[case]
    columns = columns_of(100)
    y = columns.pop("y") > 0
    model = ceiba.DecisionTreeRegressor if case == "poisson" else ceiba.DecisionTreeClassifier
    with pytest.raises(CeibaError, match=message):
        model(**params).fit(OnDevice(columns), y.astype(float))


def test_dask_collections_on_gpus_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    dd = pytest.importorskip("dask.dataframe")
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"x": [1.0, 2.0], "y": [0, 1]})
    # Its parts are pandas frames.
    monkeypatch.setattr(beyond_memory, "is_device_frame", lambda X: isinstance(X, pd.DataFrame))
    with pytest.raises(CeibaError, match=r"Dask collections on GPUs are not supported"):
        ceiba.DecisionTreeClassifier().fit(dd.from_pandas(frame, npartitions=1), "y")


@pytest.mark.usefixtures("emulated")
@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"single": np.full(100, np.inf)}, r"Column 'single' contains infinity"),
        ({"single": np.zeros(100, np.float16)}, r"'single' must have a supported numeric type"),
        ({"single": np.zeros(99)}, r"1-d arrays of the same length"),
        ({"y": np.zeros(99)}, r"y must be a 1-d array with 100 values, got shape"),
        ({"y": np.full(100, np.nan)}, r"Input y contains NaN or infinity in 100 of 100 rows"),
    ],
)
def test_bad_tables_are_refused(change: dict[str, Any], message: str) -> None:
    columns = columns_of(100) | change
    y = columns.pop("y")
    with pytest.raises(CeibaError, match=message):
        ceiba.DecisionTreeRegressor().fit(OnDevice(columns), y)


def test_without_cupy_the_error_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "cupy", None)

    class Array:
        """An array on a GPU, as DLPack describes it."""

        def __dlpack_device__(self) -> tuple[int, int]:
            return 2, 0

    with pytest.raises(ImportError, match=r"pip install 'ceiba\[gpu\]'"):
        ceiba.DecisionTreeClassifier().fit(Array(), [0, 1])
