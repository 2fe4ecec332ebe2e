"""Problems in memory as tables on a device, and shards on the host that answer the same rounds."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from ceiba.grow.options import GrowOptions
from ceiba.grow.problem import Problem
from ceiba.shards.first_pass import PieceSummary
from ceiba.shards.homes import gpu
from ceiba.shards.homes.gpu_columns import DeviceColumn, DeviceTarget, read_device_target
from ceiba.shards.shard import Shard, array_shapes, build_shard_arrays
from ceiba.shards.table import UNWEIGHTED, RoundSizes
from ceiba.table import Kind, fit_schema, read, read_target
from tests.shards.sharding import random_problem


class TwinExchange:
    """An exchange that compares each answer of the device with that of shards on the host."""

    def __init__(self, device: Any, twins: list[Shard]) -> None:
        self.device, self.twins = device, twins
        self.asked: list[int] = []

    def ask(self, rounds: Any) -> Any:
        for shard, twin in zip(self.device.shards, self.twins, strict=True):
            answer = np.array(shard.answer(rounds))
            expected = twin.answer(rounds)
            assert len(answer) == len(expected), self._name(rounds)
            differ = np.flatnonzero(answer != expected)
            assert not len(differ), (self._name(rounds), len(answer), differ[:10])
        self.asked.append(len(answer))
        return self.device.ask(rounds)

    def _name(self, rounds: Any) -> str:
        return f"round of {len(rounds)} words"

    def scatter(self, kind: str, arrays: Any) -> None:
        self.device.scatter(kind, arrays)
        self.twins = [t.scatter(kind, a) for t, a in zip(self.twins, arrays, strict=True)]

    def collect(self, kind: str) -> Any:
        found = self.device.collect(kind)
        for arrays, twin in zip(found, self.twins, strict=True):
            for a, b in zip(arrays, twin.collect(kind), strict=True):
                # The host leaves out values that are too far from a cut to matter for its digits.
                equal_nan = a.dtype.kind == "f"
                assert kind == "gaps" or np.array_equal(a, b, equal_nan=equal_nan), kind
        return found


def on_device(problem: Problem, device: Any, pieces: list[np.ndarray]) -> Problem:
    """Return the same problem with its rows on a device, in some shards, each with its twin."""
    parts = []
    for rows in pieces:
        columns = [
            DeviceColumn(c.name, np.asfortranarray(c.values[rows]), c.info)
            for c in problem.table.columns
        ]
        weight = None if problem.weight is None else problem.weight[rows]
        target = _target(device, problem, rows, weight)
        parts.append((problem.table.schema, columns, target))
    table, target = gpu.build_table(device, parts, problem.options, UNWEIGHTED)
    twins = []
    for shard in table.exchange.shards:  # type: ignore[attr-defined]
        single = frozenset(c.name for c in shard.columns if c.values.dtype == np.float32)
        classes = shard.target.labels is not None
        weighted = shard.target.weights is not None
        shapes = array_shapes(
            table.schema, shard.n_rows, single, classes=classes, weighted=weighted
        )
        arrays = build_shard_arrays({n: np.empty(s, d) for n, (d, s) in shapes.items()})
        for own, column in zip(arrays.columns, shard.columns, strict=True):
            own[:] = column.values
        arrays.target[:] = shard.target.labels if classes else shard.target.numbers
        if arrays.weights is not None:
            arrays.weights[:] = shard.target.weights
        arrays.fill_bins(table.schema, shard.edges)
        twins.append(Shard(arrays, table.schema, table.layout, shard.number))
    exchange = TwinExchange(table.exchange, twins)
    over = table.with_changes(exchange=exchange, sizes=gpu.SIZES)
    return replace(problem, table=over, target=target, weight=None)


def _target(device: Any, problem: Problem, rows: np.ndarray, weight: Any) -> DeviceTarget:
    values = problem.target.values[rows, 0]
    if problem.options.task == "regression":
        return read_device_target(device, values, weight, problem.options.task, len(rows))
    classes = problem.target.info.classes[0]  # codes: a shard may lack some
    summary = PieceSummary(n_rows=len(rows))
    summary.classes = [classes]
    summary.counts = [np.bincount(values, minlength=len(classes)).astype(float)]
    target = DeviceTarget(summary, labels=values.astype(np.uint8))
    if weight is not None:
        from ceiba import _core

        target.weights = np.ascontiguousarray(weight)
        summary.weight = "sample_weight"
        if weight.any():
            summary.weight_bits = _core.bit_range(target.weights)
    return target


def gpu_problem(rng: np.random.Generator, task: str) -> Problem:
    """Return a random problem without ordered columns and poisson, which a GPU refuses."""
    while True:
        problem = random_problem(rng, task)
        ordered = any(c.info.kind is Kind.ORDERED for c in problem.table.columns)
        if ordered or problem.options.criterion_name == "poisson":
            continue
        if problem.n_rows % 4 == 0:
            max_bins = [2, 5, 16, 255][problem.n_rows // 4 % 4]
            problem = replace(problem, options=replace(problem.options, max_bins=max_bins))
        if problem.weight is None or problem.weight.all():
            return problem
        return replace(problem, table=fit_schema(problem.table, problem.weight > 0))


def wide_problem(rng: np.random.Generator, task: str) -> Problem:
    """Return a problem of many numeric columns and several chunks of rows: records of all sizes."""
    n, k = int(rng.integers(1500, 4000)), int(rng.integers(8, 60))
    X = rng.normal(size=(n, k)).astype(rng.choice([np.float32, np.float64]))
    X[:, ::3] = np.round(X[:, ::3], 1)
    X[rng.random((n, k)) < rng.choice([0.0, 0.05])] = np.nan
    signal = np.nan_to_num(X[:, 0] + 0.5 * X[:, 1]) + 0.3 * rng.normal(size=n)
    y = (signal > 0.3).astype(int) + (signal > 1) * int(rng.integers(0, 2))
    options = GrowOptions(task=task, max_depth=int(rng.integers(3, 6)))  # type: ignore[arg-type]
    target = read_target(y if task == "classification" else signal, task=task)  # type: ignore[arg-type]
    return Problem(read(X), target, options, None)


def use_gpu_sizes(monkeypatch: pytest.MonkeyPatch, rng: np.random.Generator) -> None:
    """Choose sizes at random: nodes are gathered or surveyed, ranges zoomed or fetched."""
    monkeypatch.setattr(gpu, "SAMPLE", int(rng.choice([3, 20, 500])))  # bins may be placed badly
    gather, fetch = int(rng.choice([0, 0, 50])), int(rng.choice([1, 8, 100]))
    monkeypatch.setattr(gpu, "SORTED_CUTS", 0 if fetch == 8 else 1000)
    sizes = RoundSizes(gather, fetch, int(rng.choice([1, 3, 6])))
    monkeypatch.setattr(gpu, "SIZES", sizes)
