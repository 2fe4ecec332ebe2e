"""The races of one row: what is measured is a prediction, and ours is that of the model."""

from __future__ import annotations

import pytest

pytest.importorskip("pandas", reason="pandas is not installed")

from benchmarks import latency


def test_calls_of_ceiba_and_scikit_learn_predict_the_first_row() -> None:
    X, y = latency.mixed_table()
    assert X.shape[1] == 14
    assert sum(name.startswith("text") for name in X) == 8
    model, ours = latency.ours(X, y)
    assert model.get_n_leaves() == latency.N_LEAVES
    expected = model.predict(X[:1])[0]
    assert ours["dict"]().answer == ours["frame"]()[0] == expected
    theirs = latency.scikit_learn(X, y)
    assert theirs["dict"]()[0] == theirs["frame"]()[0]


def test_onnxruntime_answers_as_the_model() -> None:
    pytest.importorskip("onnx", reason="onnx is not installed")
    pytest.importorskip("onnxruntime", reason="onnxruntime is not installed")
    X, y = latency.mixed_table()
    model, _ = latency.ours(X, y)
    calls = latency.onnxruntime(X, model)
    assert calls["dict"]()[0][0] == calls["frame"]()[0][0] == model.predict(X[:1])[0]


def test_seconds_of_a_call_grow_with_its_work() -> None:
    few = latency.seconds(lambda: sum(range(200)), 3)
    many = latency.seconds(lambda: sum(range(20_000)), 3)
    assert 0 < few < many
