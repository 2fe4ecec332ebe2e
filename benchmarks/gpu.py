"""Compare and time trees on a real GPU: `python -m benchmarks.gpu SECTION...`.

Sections: trees (random tables and options against the host), twins (answers word for word), large
(figures of docs/gpu.md), phases, errors, queries. Every line that says DIFFERENT is a failure. All
comparisons are written to benchmarks/results/gpu.json, with their figures.
"""

from __future__ import annotations

import cProfile
import json
import pstats
import sys
import time
import traceback
import warnings
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from multiprocessing import get_context
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

import ceiba
from ceiba import _core
from ceiba.shards import grower
from ceiba.shards.homes import gpu
from ceiba.shards.homes.cuda import CudaDevice, import_cupy

warnings.simplefilter("ignore")
cp: Any = import_cupy()
FAILURES: list[str] = []
REPORTS: list[dict[str, Any]] = []
RESULTS = Path(__file__).parent / "results" / "gpu.json"
MODELS: dict[str, Any] = {
    "classification": ceiba.DecisionTreeClassifier,
    "regression": ceiba.DecisionTreeRegressor,
}


def same_tree(a: Any, b: Any) -> str:
    """Return the first array in which two trees differ; "" if there is none."""
    names = """parent branch_start branch_node default_branch n_rows weight impurity gain value
        risk sent_default counts"""
    pairs = [(n, getattr(a, n), getattr(b, n)) for n in names.split()]
    splits = "kind column cut level_start level_code level_branch digits"
    pairs += [(n, getattr(a.splits, n), getattr(b.splits, n)) for n in splits.split()]
    for name, x, y in pairs:
        if x is None or y is None:
            if x is not y:
                return name
        elif not np.array_equal(x, y, equal_nan=np.asarray(x).dtype.kind == "f"):
            return name
    return "" if a.schema == b.schema else "schema"


def timed(work: Callable[[], Any]) -> tuple[Any, float]:
    """Return the result of a function and its wall time."""
    cp.cuda.runtime.deviceSynchronize()
    start = time.perf_counter()
    result = work()
    cp.cuda.runtime.deviceSynchronize()
    return result, time.perf_counter() - start


def report(name: str, difference: str, **figures: float) -> None:
    """Print and keep one comparison."""
    if difference:
        FAILURES.append(name)
    REPORTS.append({"name": name, "difference": difference, **figures})
    words = " ".join(f"{key} {value:.4g}" for key, value in figures.items())
    print(f"{name}: {'DIFFERENT ' + difference if difference else 'equal'} {words}", flush=True)


def draw_table(rng: np.random.Generator, n: int) -> tuple[Any, Any, dict[str, Any], str, Any]:
    """Return columns, target, parameters, task and weights, on the host."""
    k = int(rng.choice([2, 5, 12, 20, 30, 60])) if n < 400_000 else int(rng.choice([5, 12, 20]))
    task = str(rng.choice(["classification", "classification", "regression"]))
    mixed = bool(rng.random() < 0.5)
    columns: dict[str, Any] = {}
    for j in range(k):
        x = rng.standard_normal(n)
        kind = int(rng.integers(0, 8)) if mixed else int(rng.integers(0, 2)) * 2
        values: Any = [
            x.astype(np.float32),
            x,
            np.round(x * 4).astype(np.float32),
            (x * 1000).astype(np.int64),
            (x * 50).astype(np.int32),
            (x * 9).astype(np.int16),
            np.clip(x * 9, -90, 90).astype(np.int8),
            (np.abs(x) * 30).astype(np.uint8),
        ][kind]
        if values.dtype.kind == "f" and rng.random() < 0.3:
            values[rng.random(n) < 0.1] = np.nan
        columns[f"c{j}"] = values
    params: dict[str, Any] = {"max_depth": [4, 6, 8, None][int(rng.integers(0, 4))]}
    params["min_samples_leaf"] = int(rng.choice([1, 20]))
    if rng.random() < 0.3:
        n_levels = int(rng.integers(2, 12))
        columns["level"] = rng.integers(0, n_levels, n).astype(np.int32)
        params["categorical_features"] = ["level"]
        if rng.random() < 0.5:
            params["categorical_splits"] = "multiway"
    arrays = [np.nan_to_num(a.astype(float)) for a in list(columns.values())[:3]]
    scaled = [(a - a.mean()) / (a.std() + 1e-9) for a in arrays]
    signal = scaled[0] * scaled[1] + scaled[-1] + rng.standard_normal(n)
    if "level" in columns:
        signal = signal + (columns["level"] % 3 == 1)
    if rng.random() < 0.25:
        params["max_leaf_nodes"] = int(rng.choice([7, 40]))
    if rng.random() < 0.2:
        params["min_impurity_decrease"] = 1e-4
    if rng.random() < 0.15:
        params["max_bins"] = int(rng.choice([8, 64, 255]))
    weight = None
    if rng.random() < 0.3:
        weight = rng.integers(0, 4, n).astype(float) if rng.random() < 0.5 else rng.random(n)
    if task == "regression":
        y: Any = signal if rng.random() < 0.5 else signal.astype(np.float32)
        if rng.random() < 0.2:
            params["criterion"] = "friedman_mse"
    else:
        n_classes = int(rng.choice([2, 2, 3, 5]))
        y = np.clip(np.floor(signal + n_classes / 2), 0, n_classes - 1).astype(np.int64)
        params["criterion"] = str(rng.choice(["gini", "entropy", "error", "hellinger"]))
        if (
            params["criterion"] == "error"
        ):  # else it splits off a few rows at a time, thousands deep
            params["max_depth"] = 6
        if params["criterion"] == "hellinger":
            y = np.minimum(y, 1)
            params.pop("categorical_splits", None)
        n_classes = len(np.unique(y))
        if rng.random() < 0.2:
            params["class_weight"] = "balanced"
        elif rng.random() < 0.2:
            params["class_prior"] = (np.arange(1, n_classes + 1) / n_classes).tolist()
            total = sum(params["class_prior"])
            params["class_prior"] = [p / total for p in params["class_prior"]]
        elif rng.random() < 0.2:
            params["cost_matrix"] = (
                (1 + np.arange(n_classes)[:, None]) * (1 - np.eye(n_classes))
            ).tolist()
    plain = "level" not in columns and (task == "regression" or y.max() == 1)
    if plain and rng.random() < 0.2:
        params["monotonic_cst"] = [1] + [0] * (k - 1)
    return columns, y, params, task, weight


def compare_fits(seed: int, n: int) -> tuple[str, str, dict[str, float]]:
    """Fit a random table on the GPU and on the host; return name, difference and figures."""
    rng = np.random.default_rng(seed)
    columns, y, params, task, weight = draw_table(rng, n)
    model = MODELS[task]
    if rng.random() < 0.15 and n < 200_000 and params.get("criterion") != "error":
        params["prune"] = "1se"
    single = all(c.dtype == np.float32 for c in columns.values()) and "level" not in columns
    X: Any = columns
    on_gpu: Any = {name: cp.asarray(c) for name, c in columns.items()}
    if single:
        X = np.stack(list(columns.values()), axis=1)
        on_gpu = cp.asarray(np.asfortranarray(X)) if rng.random() < 0.5 else cp.asarray(X)
    device_y = cp.asarray(y)
    device_weight = None if weight is None else cp.asarray(weight)
    found, seconds = timed(
        lambda: model(**params).fit(on_gpu, device_y, sample_weight=device_weight)
    )
    expected, host = timed(lambda: model(**params).fit(X, y, sample_weight=weight))
    difference = same_tree(expected.tree_, found.tree_)
    if not difference:
        answers = cp.asnumpy(found.predict(on_gpu))
        if not np.array_equal(answers, expected.predict(X)):
            difference = "predict"
    name = f"tree {seed} {n} x {len(columns)} {task} {params} {'weighted' * (weight is not None)}"
    return name, difference, {"gpu": seconds, "host": host, "nodes": found.tree_.n_nodes}


def trees(n_small: int, n_medium: int, n_big: int) -> None:
    """Compare random tables of 10^5 to 10^7 rows."""
    sizes = (
        [100_000] * n_small
        + [500_000] * (n_small // 4)
        + [2_000_000] * n_medium
        + [10_000_000] * n_big
    )
    with ProcessPoolExecutor(6, get_context("spawn")) as pool:
        for seed, result in enumerate(
            [pool.submit(compare_fits, *item) for item in enumerate(sizes)]
        ):
            try:
                name, difference, figures = result.result()
                report(name, difference, **figures)
            except Exception:
                traceback.print_exc()
                FAILURES.append(f"tree {seed}")


class TwinExchange(gpu.GpuExchange):
    """Compares each answer with that of a shard on the host."""

    compared = 0
    twin: Any = None

    def ask(self, rounds: Any) -> Any:
        """Return the answer of the GPU."""
        (shard,) = self.shards
        if self.twin is None or self.twin.inputs is not shard.inputs:
            self.twin = _host_shard(shard)
        answer = np.array(shard.answer(rounds))
        if not np.array_equal(answer, self.twin.answer(rounds)):
            FAILURES.append("twin")
            print(f"twin: DIFFERENT words in round {TwinExchange.compared}")
        TwinExchange.compared += 1
        return answer


def _host_shard(shard: Any) -> Any:
    from ceiba.shards.shard import Shard, array_shapes, build_shard_arrays

    single = frozenset(c.name for c in shard.columns if c.values.dtype == np.float32)
    target = shard.target
    classes, weighted = target.labels is not None, target.weights is not None
    shapes = array_shapes(shard.schema, shard.n_rows, single, classes=classes, weighted=weighted)
    arrays = build_shard_arrays({name: np.empty(s, d) for name, (d, s) in shapes.items()})
    for own, column in zip(arrays.columns, shard.columns, strict=True):
        own[:] = cp.asnumpy(column.values)
    arrays.target[:] = cp.asnumpy(target.labels if classes else target.numbers)
    if arrays.weights is not None:
        arrays.weights[:] = cp.asnumpy(target.weights)
    arrays.fill_bins(shard.schema, shard.edges)
    return Shard(arrays, shard.schema, shard.layout, 0, inputs=shard.inputs)


def twins(n_fits: int, n_rows: int = 100_000, gather_rows: int = 2049) -> None:
    """Compare the words of answers with those of shards on the host."""
    sizes = gpu.SIZES
    gpu.SIZES = replace(sizes, gather_rows=gather_rows)  # type: ignore[misc]
    real, gpu.GpuExchange = gpu.GpuExchange, TwinExchange  # type: ignore[misc]
    try:
        for seed in range(n_fits):
            columns, y, params, task, weight = draw_table(
                np.random.default_rng(1000 + seed), n_rows
            )
            before = TwinExchange.compared
            on_gpu = {name: cp.asarray(column) for name, column in columns.items()}
            MODELS[task](**params).fit(on_gpu, cp.asarray(y), sample_weight=weight)
            print(f"twin {seed}: {TwinExchange.compared - before} rounds compared", flush=True)
    finally:
        gpu.GpuExchange, gpu.SIZES = real, sizes  # type: ignore[misc]


def make_large(n: int, k: int, kind: str) -> tuple[Any, Any]:
    """Return a table of the prototype's kind on the device, column by column, and its target."""
    cp.random.seed(1)
    X = cp.empty((k, n), cp.float64 if kind == "float64" else cp.float32)
    for j in range(k):
        X[j] = cp.random.standard_normal(n, dtype=X.dtype)
        if kind == "missing" and j % 2 == 0:
            X[j][cp.random.random(n, dtype=cp.float32) < 0.1] = cp.nan
        if kind == "levels" and j % 5 == 4:
            X[j] = cp.clip(cp.floor(X[j] * 2), -4, 4)
    x = [cp.nan_to_num(X[j]) for j in range(4)]
    s = x[0] * x[1] + cp.sin(2 * x[2]) + 0.5 * cp.abs(x[3])
    s += 0.8 * cp.random.standard_normal(n, dtype=cp.float32)
    if kind == "regression":
        return X.T, s.astype(cp.float32)
    if kind == "classes":
        return X.T, cp.clip(cp.floor(s + 2.5), 0, 4).astype(cp.int64)
    return X.T, (s > 0.4).astype(cp.int64)


def large(n: int, kind: str, host_threads: tuple[int, ...], **params: Any) -> None:
    """Time one large fit on the device, repeatedly, and compare it with the host's tree."""
    X, y = make_large(n, 20, kind)
    if kind == "levels":
        params["categorical_features"] = [4, 9, 14, 19]
    model = ceiba.DecisionTreeRegressor if kind == "regression" else ceiba.DecisionTreeClassifier
    pool = cp.get_default_memory_pool()
    pool.free_all_blocks()
    before = pool.total_bytes()
    times = []
    for _ in range(4):
        found, seconds = timed(lambda: model(**params).fit(X, y))
        times.append(seconds)
    peak = (pool.total_bytes() - before) / n
    name = f"large {kind} {n} x 20 {params}"
    figures = {f"run{i}": t for i, t in enumerate(times)} | {"bytes_per_row": peak}
    found.predict(X)
    figures["apply"] = min(timed(lambda: found.apply(X))[1] for _ in range(3))
    figures["predict"] = timed(lambda: found.predict(X))[1]
    difference = ""
    if host_threads:
        host_X, host_y = cp.asnumpy(X, order="F"), cp.asnumpy(y)
        for threads in host_threads:
            expected, figures[f"host{threads}"] = timed(
                lambda threads=threads: model(n_jobs=threads, **params).fit(host_X, host_y)
            )
            difference = difference or same_tree(expected.tree_, found.tree_)
    report(name, difference, nodes=found.tree_.n_nodes, **figures)


def phases(n: int, kind: str, **params: Any) -> None:
    """Print where the time of a fit goes: rounds on the device and on the host, by their kind."""
    X, y = make_large(n, 20, kind)
    model = ceiba.DecisionTreeRegressor if kind == "regression" else ceiba.DecisionTreeClassifier
    model(**params).fit(X, y)
    real_round, real_launch = grower._ask_round, CudaDevice.launch
    spent: dict[str, float] = {}
    events: list[tuple[str, Any, Any]] = []

    def add(name: str, amount: float) -> None:
        spent[name] = spent.get(name, 0.0) + amount

    def ask_round(table: Any, growers: Any) -> None:
        ((_, one),) = growers
        asks, start = one.asks, time.perf_counter()
        spent.setdefault("until rounds", start - begin)
        answer = table.exchange.ask(_core.join_rounds(growers))
        add(f"device {asks}", time.perf_counter() - start)
        add(f"words {asks}", len(answer))
        add(f"rounds {asks}", 1)
        start = time.perf_counter()
        one.take(_core.split_answers(answer)[0])
        spent["last"] = time.perf_counter()
        add(f"host {asks}", spent["last"] - start)

    def launch(self: Any, kernel: str, *args: Any) -> None:
        first, second = cp.cuda.Event(), cp.cuda.Event()
        first.record()
        real_launch(self, kernel, *args)
        second.record()
        events.append((kernel, first, second))

    grower._ask_round = ask_round
    try:
        begin = time.perf_counter()
        _, total = timed(lambda: model(**params).fit(X, y))
        spent["after rounds"] = begin + total - spent.pop("last")
        print(f"phases {kind} {n}: total {total:.4f}")
        print({key: round(value, 5) for key, value in sorted(spent.items())})
        CudaDevice.launch = launch  # type: ignore[method-assign]
        model(**params).fit(X, y)
    finally:
        grower._ask_round, CudaDevice.launch = real_round, real_launch  # type: ignore[method-assign]
    cp.cuda.runtime.deviceSynchronize()
    kernels: dict[str, list[float]] = {}
    for kernel, first, second in events:
        kernels.setdefault(kernel, []).append(cp.cuda.get_elapsed_time(first, second))
    print("ms", {name: (len(ms), round(sum(ms), 3)) for name, ms in sorted(kernels.items())})
    profile = cProfile.Profile()
    profile.runcall(lambda: model(**params).fit(X, y))
    pstats.Stats(profile).sort_stats("tottime").print_stats(20)


def queries(n: int) -> None:
    """Compare fits in which one column of a node is asked for more than 65,535 ranges at once."""
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((n, 2)), (rng.random(n) < 0.3).astype(int)
    most, real_ask = 0, gpu.GpuExchange.ask

    def ask(self: Any, rounds: Any) -> Any:
        nonlocal most
        most = max(most, len(rounds) // 4)  # words of a range: node, column, low, high
        return real_ask(self, rounds)

    gpu.GpuExchange.ask = ask  # type: ignore[method-assign]
    model = ceiba.DecisionTreeClassifier(criterion="error", max_depth=2)
    try:
        found = model.fit(cp.asarray(X), cp.asarray(y)).tree_
    finally:
        gpu.GpuExchange.ask = real_ask  # type: ignore[method-assign]
    few = "" if most > 2 * 65535 else "too few ranges"
    report(f"queries {n}", few or same_tree(model.fit(X, y).tree_, found), ranges=most)


class MaskedColumn:
    """A column as cuDF has them: its mask has a bit per value."""

    def __init__(self, values: Any, valid: Any) -> None:
        self.values, self.bits = values, cp.packbits(valid, bitorder="little")

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        described = dict(self.values.__cuda_array_interface__)
        bits = dict(self.bits.__cuda_array_interface__, typestr="<t1", shape=self.values.shape)
        return described | {"mask": SimpleNamespace(__cuda_array_interface__=bits)}


def errors() -> None:
    """Check messages of what a GPU cannot do, and inputs of other libraries."""
    X = cp.random.standard_normal((1000, 3), dtype=cp.float32)
    y = (X[:, 0] > 0).astype(cp.int64)
    for what, work in {
        "poisson": lambda: ceiba.DecisionTreeRegressor(criterion="poisson").fit(X, y),
        "float16": lambda: ceiba.DecisionTreeClassifier().fit(X.astype(cp.float16), y),
        "infinity": lambda: ceiba.DecisionTreeClassifier().fit(X / 0, y),
        "rows": lambda: ceiba.DecisionTreeClassifier().fit(X, y[:-1]),
        "memory": lambda: CudaDevice().allocate(1 << 40),
    }.items():
        try:
            work()
            FAILURES.append(what)
            print(f"error {what}: none DIFFERENT")
        except ceiba.CeibaError as error:
            print(f"error {what}: {error}")
    expected = ceiba.DecisionTreeClassifier(max_depth=4).fit(cp.asnumpy(X), cp.asnumpy(y)).tree_
    try:
        import torch

        tensor, target = torch.from_dlpack(X), torch.from_dlpack(y)
        model = ceiba.DecisionTreeClassifier(max_depth=4).fit(tensor, target)
        report("torch", same_tree(expected, model.tree_))
        report("torch score", "" if model.score(tensor, target) > 0.9 else "score")
        with torch.cuda.stream(torch.cuda.Stream()):
            report("stream", same_tree(expected, model.fit(tensor * 1, target).tree_))
    except ImportError:
        print("torch is not installed")
    with cp.cuda.Stream(non_blocking=True):
        model = ceiba.DecisionTreeClassifier(max_depth=4).fit(X * 1, y * 1)
    report("stream of CuPy", same_tree(expected, model.tree_))
    valid = cp.random.random(1000) < 0.8
    columns = {f"c{j}": MaskedColumn(cp.ascontiguousarray(X[:, j]), valid) for j in range(3)}
    filled = {f"c{j}": cp.asnumpy(cp.where(valid, X[:, j], np.float32(np.nan))) for j in range(3)}
    model = ceiba.DecisionTreeClassifier(max_depth=4).fit(filled, cp.asnumpy(y))
    wanted = model.tree_
    report("masks", same_tree(wanted, model.fit(columns, y).tree_))
    text = ceiba.DecisionTreeClassifier(max_depth=4).fit(X, np.where(cp.asnumpy(y), "yes", "no"))
    report("text classes", "" if text.predict(X)[0] in ("yes", "no") else "predict")
    report("proba", "" if text.predict_proba(X).shape == (1000, 2) else "shape")


def main(sections: list[str]) -> int:
    """Run sections: name or name:argument:argument."""
    device = CudaDevice()
    print(
        cp.cuda.runtime.getDeviceProperties(0)["name"].decode(), device.n_processors, cp.__version__
    )
    for section in sections:
        name, *args = section.split(":")
        start = time.perf_counter()
        try:
            if name == "trees":
                trees(*map(int, args))
            elif name == "twins":
                twins(*map(int, args))
            elif name in ("large", "phases"):
                kind, size, depth, *threads = args
                options: dict[str, Any] = {"max_depth": int(depth) if depth != "any" else None}
                if depth == "any":
                    options["min_samples_leaf"] = 40
                if name == "phases":
                    phases(int(float(size)), kind, **options)
                else:
                    large(int(float(size)), kind, tuple(map(int, threads)), **options)
            elif name == "errors":
                errors()
            elif name == "queries":
                queries(int(float(args[0])))
            elif name == "no-pool":  # so that memcheck sees the end of every buffer
                cp.cuda.set_allocator(None)
        except Exception:
            traceback.print_exc()
            FAILURES.append(section)
        cp.get_default_memory_pool().free_all_blocks()
        print(f"-- {section}: {time.perf_counter() - start:.1f} s", flush=True)
    if REPORTS:
        RESULTS.parent.mkdir(exist_ok=True)
        RESULTS.write_text(json.dumps(REPORTS, indent=1))
    print(f"{len(REPORTS)} comparisons, FAILURES: {len(FAILURES)} {FAILURES[:5]}")
    return 1 if FAILURES else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
