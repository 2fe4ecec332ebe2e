"""What `benchmarks.soak` calls growth."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.soak import growth, sample

_STEADY = {"MB of memory": 180.0, "threads": 12.0, "open files": 9.0}


def _grown(samples: list[dict[str, float]]) -> list[str]:
    return [name for name, (_, _, grown) in growth(samples).items() if grown]


@pytest.mark.parametrize(("name", "each"), [("MB of memory", 0.2), ("threads", 0.1)])
def test_figure_that_rises_with_every_round_grows(name: str, each: float) -> None:
    samples = [{**_STEADY, name: _STEADY[name] + each * k} for k in range(60)]
    assert _grown(samples) == [name]


def test_noise_of_memory_and_a_passing_thread_are_no_growth() -> None:
    samples = [{**_STEADY, "MB of memory": 180.0 + k % 5} for k in range(60)]
    samples[40]["threads"] = 13.0
    assert _grown(samples) == []


def test_open_file_is_counted(tmp_path: Path) -> None:
    if not Path("/proc/self/fd").exists():
        pytest.skip("needs the file system /proc")
    before = sample(tmp_path)
    with (tmp_path / "file").open("w"):
        after = sample(tmp_path)
    assert after["open files"] == before["open files"] + 1
    assert after["temporary files"] == before["temporary files"] + 1
