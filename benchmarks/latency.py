"""One row at a time: CPU time of a prediction, compared with other libraries.

    python -m benchmarks.latency [--repeats 7]

A table of 14 columns, 8 of them text, two classes, a tree of 40 leaves. A row is a dict, as parsed
from JSON, or a pandas frame of one row. The time includes converting the row to the input of a
library: scikit-learn needs an encoder before its tree, and takes frames only; LightGBM needs
category codes; onnxruntime runs the tree of ceiba and needs an array per column. The figure is the
least of several batches, the usual estimate on a shared machine.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

N_ROWS, N_LEAVES = 20_000, 40
BARS = {"dict": 30e-6, "frame": 0.5e-3}  # seconds


def mixed_table(seed: int = 0) -> tuple[Any, Any]:
    """Draw a frame of 6 columns of numbers and 8 of texts, and the classes of its rows."""
    import pandas as pd

    rng = np.random.default_rng(seed)
    numbers = {f"number_{j}": rng.normal(50, 20, N_ROWS).round(1) for j in range(6)}
    levels = [[f"level {k}" for k in range(3 + 2 * j)] for j in range(8)]
    texts = {f"text_{j}": rng.choice(levels[j], N_ROWS) for j in range(8)}
    score = numbers["number_0"] + 10 * (texts["text_3"] == "level 1") - numbers["number_2"] / 2
    score = score + 15 * np.isin(texts["text_6"], ["level 2", "level 4", "level 7"])
    y = np.where(score + rng.normal(0, 12, N_ROWS) > 35, "yes", "no")
    return pd.DataFrame(numbers | texts), y


def seconds(call: Callable[[], Any], repeats: int) -> float:
    """Return the CPU time of one call: the least of some batches of a twentieth of a second."""
    call()
    start, n = time.process_time(), 0
    while time.process_time() - start < 0.05:
        call()
        n += 1
    best = float("inf")
    for _ in range(repeats):
        start = time.process_time()
        for _ in range(n):
            call()
        best = min(best, (time.process_time() - start) / n)
    return best


def ours(X: Any, y: Any) -> tuple[Any, dict[str, Callable[[], Any]]]:
    import ceiba

    model = ceiba.DecisionTreeClassifier(max_leaf_nodes=N_LEAVES, n_jobs=1).fit(X, y)
    row, frame = X.iloc[0].to_dict(), X.iloc[:1]
    calls = {"dict": lambda: model.predict_one(row), "frame": lambda: model.predict(frame)}
    return model, calls


def scikit_learn(X: Any, y: Any) -> dict[str, Callable[[], Any]]:
    import pandas as pd
    from sklearn.compose import make_column_transformer
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OrdinalEncoder
    from sklearn.tree import DecisionTreeClassifier

    texts = [name for name in X if name.startswith("text")]
    encoder = OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1)
    steps = make_column_transformer((encoder, texts), remainder="passthrough")
    tree = DecisionTreeClassifier(max_leaf_nodes=N_LEAVES, random_state=0)
    model = make_pipeline(steps, tree).fit(X, y)
    row, frame = X.iloc[0].to_dict(), X.iloc[:1]
    return {
        "dict": lambda: model.predict(pd.DataFrame([row])),
        "frame": lambda: model.predict(frame),
    }


def lightgbm(X: Any, y: Any) -> dict[str, Callable[[], Any]]:
    import lightgbm as lgb
    import pandas as pd

    texts = [name for name in X if name.startswith("text")]
    kinds = {name: pd.CategoricalDtype(sorted(X[name].unique())) for name in texts}
    data = lgb.Dataset(X.astype(kinds), (y == "yes").astype(int))
    options = {"objective": "binary", "num_leaves": N_LEAVES, "num_threads": 1, "verbose": -1}
    model = lgb.train(options, data, num_boost_round=1)
    row, frame = X.iloc[0].to_dict(), X.iloc[:1]
    return {
        "dict": lambda: model.predict(pd.DataFrame([row]).astype(kinds), num_threads=1),
        "frame": lambda: model.predict(frame.astype(kinds), num_threads=1),
    }


def onnxruntime(X: Any, model: Any) -> dict[str, Callable[[], Any]]:
    import onnxruntime as runtime

    options = runtime.SessionOptions()
    options.intra_op_num_threads = 1
    session = runtime.InferenceSession(model.tree_.export("onnx"), options)
    kinds = {
        one.name: object if one.type == "tensor(string)" else np.float64
        for one in session.get_inputs()
    }
    row, frame = X.iloc[0].to_dict(), X.iloc[:1]

    def by_dict() -> Any:
        feed = {name: np.array([[row[name]]], kind) for name, kind in kinds.items()}
        return session.run(["label"], feed)

    def by_frame() -> Any:
        feed = {
            name: frame[name].to_numpy().astype(kind).reshape(-1, 1) for name, kind in kinds.items()
        }
        return session.run(["label"], feed)

    return {"dict": by_dict, "frame": by_frame}


def races(X: Any, y: Any) -> Iterator[tuple[str, dict[str, Callable[[], Any]]]]:
    """Yield the calls of each library that is installed, ours first."""
    model, calls = ours(X, y)
    yield "ceiba", calls
    others: dict[str, Callable[[], dict[str, Callable[[], Any]]]] = {
        "scikit-learn": lambda: scikit_learn(X, y),
        "LightGBM": lambda: lightgbm(X, y),
        "onnxruntime": lambda: onnxruntime(X, model),
    }
    for name, prepare in others.items():
        try:
            yield name, prepare()
        except ImportError as error:
            print(f"{name} is left out: {error}")


def written(duration: float) -> str:
    """Write a duration in microseconds or milliseconds."""
    return f"{duration * 1e3:.3g} ms" if duration >= 1e-3 else f"{duration * 1e6:.3g} µs"


def main() -> None:
    """Measure and print a markdown table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=7)
    repeats = parser.parse_args().repeats
    measured = {
        name: {what: seconds(call, repeats) for what, call in calls.items()}
        for name, calls in races(*mixed_table())
    }
    print(f"| one row of 14 columns as | {' | '.join(measured)} | bar of ceiba | verdict |")
    print("|---" * (len(measured) + 3) + "|")
    for what, words in (("dict", "a dict"), ("frame", "a pandas frame")):
        figures = [written(measured[name][what]) for name in measured]
        verdict = "met" if measured["ceiba"][what] <= BARS[what] else "MISSED"
        print(f"| {words} | {' | '.join(figures)} | {BARS[what] * 1e6:.0f} µs | {verdict} |")


if __name__ == "__main__":
    main()
