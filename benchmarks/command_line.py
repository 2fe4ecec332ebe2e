"""The command line on large files: `python -m benchmarks.command_line`.

    --rows 10000000    rows to predict
    --gigabytes 1      size of the CSV to learn from
    --only predict     run only this one (predict, parquet, learn)
    --folder DIR       folder of the files (kept and reused)

Compares `ceiba predict` with a script that does the same with pandas and scikit-learn (read,
predict, append the prediction, write), both from start to end, in CPU and wall time. Also measures
the peak resident set of `ceiba learn` relative to the size of its CSV.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

RESULTS = Path(__file__).parent / "results" / "command_line.json"
PIECE = 500_000
LEARNED = 200_000  # rows of the file that both trees are learned from

SCRIPT = """
import sys
import joblib
import pandas as pd

source, out, model = sys.argv[1:]
parquet = source.endswith(".parquet")
frame = pd.read_parquet(source) if parquet else pd.read_csv(source)
tree = joblib.load(model)
frame["prediction"] = tree.predict(frame[list(tree.feature_names_in_)])
if parquet:
    frame.to_parquet(out, index=False)
else:
    frame.to_csv(out, index=False)
"""


def measure(command: list[Any]) -> dict[str, float]:
    """Run a command; give its CPU and wall seconds and the peak of its resident set in bytes."""
    start = time.perf_counter()
    process = os.posix_spawn(sys.executable, [str(one) for one in command], dict(os.environ))
    _, status, used = os.wait4(process, 0)
    if status:
        raise SystemExit(f"failed: {' '.join(map(str, command))}")
    wall = time.perf_counter() - start
    return {"cpu": used.ru_utime + used.ru_stime, "wall": wall, "peak": used.ru_maxrss * 1024.0}


def predicted_rows(n: int) -> Any:
    """Eight decimals, a count and a class; ten million rows are 655 MB of CSV."""
    import polars as pl

    rng = np.random.default_rng(0)
    while n > 0:
        m = min(PIECE, n)
        n -= m
        x = rng.normal(size=(m, 8)).round(4)
        count = rng.integers(0, 100, m)
        y = x[:, 0] + x[:, 1] * x[:, 2] + 0.01 * count + rng.normal(size=m) > 0.5
        yield pl.DataFrame(
            {f"x{j}": x[:, j] for j in range(8)}
            | {"count": count, "y": np.where(y, "yes", "no")}
        )  # fmt: skip


def learned_rows() -> Any:
    """A day's business without end: times, places, names, amounts, counts."""
    import polars as pl

    rng = np.random.default_rng(1)
    halves = ("North", "South", "East", "West", "Old ", "New ")
    ends = ("field", "bridge", "haven", "wood", "chester", "minster")
    towns = np.array([a + b for a in halves for b in ends])
    kinds = np.array(["cash", "card", "transfer", "voucher"])
    start = np.datetime64("2023-01-01T00:00:00", "us")
    while True:
        m = PIECE
        when = start + rng.integers(0, 365 * 86400, m).astype("timedelta64[s]")
        amount = np.exp(rng.normal(3, 1, m)).round(2)
        km = rng.gamma(2, 3, m).round(3)
        people = rng.integers(1, 7, m)
        kind = rng.integers(0, 4, m)
        tip = np.where(kind == 1, 0.15 * amount, 0.0) + rng.normal(0, 1, m)
        yield pl.DataFrame(
            {
                "when": pl.Series(when).dt.strftime("%Y-%m-%d %H:%M:%S"),
                "from": towns[rng.integers(0, 36, m)],
                "to": towns[rng.integers(0, 36, m)],
                "kind": kinds[kind],
                "amount": amount,
                "km": km,
                "minutes": (km * 3 + rng.gamma(2, 2, m)).round(1),
                "latitude": rng.normal(47.6, 0.1, m).round(5),
                "longitude": rng.normal(-122.3, 0.1, m).round(5),
                "people": people,
                "meter": rng.integers(0, 100_000, m),
                "discount": rng.integers(5, 50, m),
                "tip": np.where(tip > 3, "good", np.where(tip > 0.5, "some", "none")),
            }
        ).with_columns(pl.when(pl.Series(rng.random(m) < 0.2)).then("discount").alias("discount"))


def write_rows(path: Path, rows: Any, size: float = np.inf) -> None:
    """Write pieces until there are no more or the file has its size."""
    if path.exists():
        return
    with path.open("wb") as file:
        for at, piece in enumerate(rows):
            piece.write_csv(file, include_header=at == 0)
            if file.tell() >= size:
                break


def race(folder: Path, rows: int, ending: str) -> dict[str, Any]:
    """Predict the same file with `ceiba predict` and with the script."""
    import joblib
    import polars as pl
    from sklearn.tree import DecisionTreeClassifier

    text = folder / f"predict_{rows}.csv"
    write_rows(text, predicted_rows(rows))
    source = text
    if ending == ".parquet":
        source = text.with_suffix(ending)
        if not source.exists():
            pl.scan_csv(text).sink_parquet(source)
    head = folder / "head.csv"
    write_rows(head, predicted_rows(LEARNED))
    model, rival, script = folder / "m.ceiba", folder / "m.joblib", folder / "script.py"
    ceiba = [sys.executable, "-m", "ceiba"]
    measure([*ceiba, "learn", head, "-t", "y", "--max-depth", 8, "-m", model, "-q"])
    frame = pl.read_csv(head).to_pandas()
    joblib.dump(DecisionTreeClassifier(max_depth=8).fit(frame.drop(columns="y"), frame.y), rival)
    script.write_text(SCRIPT, "utf-8")
    ours = measure([*ceiba, "predict", model, source, "-o", folder / f"ours{ending}", "-q"])
    theirs = measure([sys.executable, script, source, folder / f"theirs{ending}", rival])
    scan = pl.scan_csv if ending == ".csv" else pl.scan_parquet
    said = [
        scan(folder / f"{name}{ending}").select("prediction").collect()["prediction"]
        for name in ("ours", "theirs")
    ]
    return {
        "rows": rows,
        "same answers": int((said[0] == said[1]).sum()),
        "ceiba": ours,
        "pandas and scikit-learn": theirs,
        "times as fast": {key: round(theirs[key] / ours[key], 2) for key in ("cpu", "wall")},
    }  # fmt: skip


def memory(folder: Path, gigabytes: float) -> dict[str, Any]:
    """Learn from a large CSV; the peak of the memory over its size."""
    path = folder / f"learn_{gigabytes:g}.csv"
    write_rows(path, learned_rows(), gigabytes * 1e9)
    size = path.stat().st_size
    found = measure([sys.executable, "-m", "ceiba", "learn", path, "-t", "tip", "--max-depth", 10,
                     "-m", folder / "tip.ceiba", "-q"])  # fmt: skip
    return {"bytes": size, **found, "peak over size": round(found["peak"] / size, 2)}


def main() -> None:
    """Measure what was asked for, print it and keep it."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.command_line")
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--gigabytes", type=float, default=1.0)
    parser.add_argument("--only", choices=["predict", "parquet", "learn"])
    parser.add_argument("--folder", type=Path)
    given = parser.parse_args()
    found = json.loads(RESULTS.read_text("utf-8")) if RESULTS.exists() else {}
    with tempfile.TemporaryDirectory() as temporary:
        folder = given.folder or Path(temporary)
        if given.only in (None, "predict"):
            found["predict, CSV"] = race(folder, given.rows, ".csv")
        if given.only in (None, "parquet"):
            found["predict, Parquet"] = race(folder, given.rows, ".parquet")
        if given.only in (None, "learn"):
            found["learn"] = memory(folder, given.gigabytes)
    RESULTS.write_text(json.dumps(found, indent=1) + "\n", "utf-8")
    print(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
