"""Shards on a GPU, under the emulator: the words of the host's shards, the tree of memory."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ceiba.shards.homes import gpu
from ceiba.shards.table import RoundSizes
from tests.shards.gpu.emulated import EmulatedDevice
from tests.shards.gpu.twins import gpu_problem, on_device, use_gpu_sizes, wide_problem
from tests.shards.sharding import assert_same_tree, ways_to_cut


def compare(
    seed: int, task: str, monkeypatch: pytest.MonkeyPatch, draw: Any = gpu_problem
) -> dict[str, int]:
    rng = np.random.default_rng(seed)
    problem = draw(rng, task)
    use_gpu_sizes(monkeypatch, rng)
    if draw is wide_problem:  # few ranges stay open, and are zoomed several times
        monkeypatch.setattr(gpu, "SAMPLE", 1000)
        monkeypatch.setattr(gpu, "SIZES", RoundSizes(0, 2, 1))
    # Little shared memory: several planes of records, columns counted in several blocks or none.
    device = EmulatedDevice(int(rng.choice([30_000, 60_000, 200_000])), int(rng.integers(1, 5)))
    ways = ways_to_cut(rng, problem)
    pieces = ways[str(rng.choice(["one", "one", "two", "mixed"]))]
    over = on_device(problem, device, [rows for rows in pieces if len(rows)])
    order = np.concatenate(pieces)
    expected, found = problem.take(order).grow(), over.grow()
    assert_same_tree(expected, found)
    assert np.array_equal(expected.splits.digits, found.splits.digits)
    return device.launched


@pytest.mark.parametrize("task", ["classification", "regression"])
def test_tree_on_a_device_is_the_tree_in_memory(task: str, monkeypatch: pytest.MonkeyPatch) -> None:
    launched: set[str] = set()
    for seed in range(8, 14):
        launched |= compare(seed, task, monkeypatch).keys()
    assert {"part_rows", "zoom", "adjoin", "write_runs", "gather_rows"} <= launched


@pytest.mark.parametrize("task", ["classification", "regression"])
def test_wide_tables_keep_rows_between_rounds(task: str, monkeypatch: pytest.MonkeyPatch) -> None:
    launched: set[str] = set()
    for seed in range(2):
        launched |= compare(seed, task, monkeypatch, wide_problem).keys()
    assert {"zoom_and_keep", "zoom_again", "mark_right"} <= launched


@pytest.mark.slow
@pytest.mark.parametrize("task", ["classification", "regression"])
def test_five_hundred_trees_on_a_device(task: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for seed in range(100, 350):
        compare(seed, task, monkeypatch)
