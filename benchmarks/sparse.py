"""Text counts in a sparse matrix: CPU time and memory of growing, compared with scikit-learn.

    python -m benchmarks.sparse [--rows 100000] [--columns 20000] [--depth 10] [--repeats 3]

Rows are texts, columns words with frequencies falling as 1 / rank, 0.2 % of the counts are not
zero; two classes that depend on thirty of the words, with noise. Both libraries get the same CSR
matrix in one process and alternate; the least time of each counts. Memory is the increase of the
peak resident set in the first fit (Linux).
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

DENSITY = 0.002


def text_counts(n_rows: int, n_columns: int, seed: int = 0) -> tuple[Any, Any]:
    """Draw a matrix of counts and the classes of its rows."""
    rng = np.random.default_rng(seed)
    share = 1.0 / (np.arange(n_columns) + 50.0)
    n_words = int(n_rows * n_columns * DENSITY * 1.2)  # some words occur twice in a text
    words = rng.choice(n_columns, size=n_words, p=share / share.sum()).astype(np.int32)
    texts = np.sort(rng.integers(n_rows, size=n_words, dtype=np.int32))
    X = sp.coo_matrix((np.ones(n_words), (texts, words)), shape=(n_rows, n_columns)).tocsr()
    weight = np.zeros(n_columns)
    weight[rng.choice(n_columns // 4, 30, replace=False)] = rng.normal(size=30)
    score = X @ weight
    noise = rng.random(n_rows) < 0.1
    return X, ((score > np.median(score)) ^ noise).astype(int)


def resident(field: str) -> int:
    """Return VmRSS or VmHWM of this process in bytes."""
    lines = Path("/proc/self/status").read_text("utf-8").splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(field))


def measured(model: Any, X: Any, y: Any) -> tuple[float, int]:
    """Fit and return the CPU seconds and the bytes added at the peak."""
    Path("/proc/self/clear_refs").write_text("5", "utf-8")  # forget the peak so far
    before, start = resident("VmRSS"), time.process_time()
    model.fit(X, y)
    return time.process_time() - start, max(0, resident("VmHWM") - before)


def main() -> None:
    """Measure and print."""
    from sklearn.tree import DecisionTreeClassifier

    import ceiba

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--columns", type=int, default=20_000)
    parser.add_argument("--depth", type=int, default=10)
    parser.add_argument("--repeats", type=int, default=3)
    asked = parser.parse_args()
    X, y = text_counts(asked.rows, asked.columns)
    size = X.data.nbytes + X.indices.nbytes + X.indptr.nbytes
    share = X.nnz / X.shape[0] / X.shape[1]
    print(f"{X.shape[0]:,} x {X.shape[1]:,}, {share:.2%} stored, {size / 1e6:.1f} MB", flush=True)
    models = {
        "ceiba": ceiba.DecisionTreeClassifier(max_depth=asked.depth, n_jobs=1),
        "scikit-learn": DecisionTreeClassifier(max_depth=asked.depth, random_state=0),
    }
    for model in models.values():
        model.fit(X[:100], y[:100])  # what is loaded once is not counted
    fits: dict[str, list[tuple[float, int]]] = {name: [] for name in models}
    for _ in range(asked.repeats):
        for name, model in models.items():
            fits[name].append(measured(model, X, y))
    least = {name: min(seconds for seconds, _ in those) for name, those in fits.items()}
    for name, model in models.items():
        start = time.process_time()
        score = model.score(X, y)
        memory = fits[name][0][1] / size
        print(
            f"{name:13} fit {least[name]:8.3f} s, memory {memory:5.2f} x the matrix, "
            f"{model.get_n_leaves()} leaves, accuracy {score:.4f}, "
            f"predict {time.process_time() - start:6.2f} s",
            flush=True,
        )
    print(f"scikit-learn / ceiba: {least['scikit-learn'] / least['ceiba']:.1f}")


if __name__ == "__main__":
    main()
