"""Survival trees of files: the tree of the table in memory, over random tables and divisions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ceiba
from ceiba.errors import DataError, OptionError
from ceiba.shards.homes.threads import ThreadExchange
from tests.marks import slow
from tests.shards.sharding import use_sizes

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")
TARGET = ("time", "status")
SEEDS = [*range(10), *slow(range(10, 400))]


def draw(rng: np.random.Generator) -> dict[str, Any]:
    """Draw a table with ties, gaps, levels, zero times, and weights that may be 0."""
    n = int(rng.integers(30, 1500))
    X = rng.normal(size=(n, 3)).round(int(rng.integers(0, 4)))
    time, limit = rng.exponential(np.exp(X[:, 0])).round(2), rng.exponential(1.0, n).round(2)
    table: dict[str, Any] = {f"c{j}": X[:, j] for j in range(3)}
    if rng.random() < 0.5:
        table["c1"] = np.where(rng.random(n) < 0.15, np.nan, X[:, 1])
    table["level"] = rng.choice(list("abcdef"), n)
    table["time"], table["status"] = np.minimum(time, limit), (time <= limit).astype(int)
    table["status"][0] = 1
    table["weight"] = rng.choice([0.0, 0.1, 0.3, 1.0], n)
    table["weight"][0] = 1.0
    return table


def draw_options(rng: np.random.Generator, table: dict[str, Any]) -> dict[str, Any]:
    options: dict[str, Any] = {
        "criterion": "exponential",
        "min_samples_leaf": int(rng.choice([1, 5, 20])),
        "max_depth": [None, 3, 6][rng.integers(3)],
    }
    more: list[dict[str, Any]] = [
        {},
        {"min_impurity_decrease": 0.002},
        {"max_leaf_nodes": 9},
        {"monotonic_cst": {"c0": 1, "c2": -1}},
        {"column_cost": {"c0": 2.0}},
        {"prune": "cv"},
        {"ccp_alpha": 0.01},
    ]
    options |= more[rng.integers(len(more))]
    if not np.isnan(table["c1"]).any():
        choices: Any = ({"missing": "error"}, {"missing": "majority"}, {})
        options |= choices[rng.integers(3)]
        if "monotonic_cst" not in options and rng.random() < 0.3:
            options["categorical_splits"] = "multiway"
    return options


def write(folder: Path, table: dict[str, Any], cuts: Any = (100,)) -> Any:
    """Write the rows between the cuts to a file each, and scan them."""
    n = len(table["time"])
    for k, rows in enumerate(np.split(np.arange(n), np.minimum(cuts, n))):
        columns = {name: values[rows] for name, values in table.items()}
        pq.write_table(pa.table(columns), folder / f"part{k:02}.parquet")
    return ceiba.scan(folder / "*.parquet")


@pytest.mark.parametrize("seed", SEEDS)
def test_tree_of_files_is_that_of_memory(
    seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng([8, seed])
    use_sizes(monkeypatch, *[(1, 16), (40, 16), (200, 4)][seed % 3])
    table, weight = draw(rng), "weight" if seed % 2 else None
    if weight is None:
        del table["weight"]
    n = len(table["time"])
    model = ceiba.DecisionTreeSurvival(**draw_options(rng, table), random_state=seed)
    in_memory = model.fit(pa.table(table), TARGET, sample_weight=weight).tree_
    scan = write(tmp_path, table, np.sort(rng.integers(1, n, int(rng.integers(1, 6)))))
    over_files = model.fit(scan, TARGET, sample_weight=weight).tree_
    assert over_files == in_memory


def test_codes_of_events_are_those_of_all_files(tmp_path: Path) -> None:
    table = draw(np.random.default_rng(1))
    del table["weight"]
    dead = table["status"] > 0
    table = {name: values[np.argsort(dead, kind="stable")] for name, values in table.items()}
    expected = ceiba.DecisionTreeSurvival(criterion="exponential", max_depth=3)
    expected.fit(pa.table(table), TARGET)
    # The first file has no event, the last no censored row.
    table["status"] = np.sort(dead) + 1
    cuts = [5, len(dead) - 5]
    scan = write(tmp_path, table, cuts)
    model = ceiba.DecisionTreeSurvival(criterion="exponential", max_depth=3)
    for y, event in (("Surv(time, status)", None), (TARGET, 2), ("Surv(time, status == 2)", None)):
        found = model.fit(scan, y, event=event).tree_
        assert np.array_equal(found.value, expected.tree_.value)
        assert found.attachments == expected.tree_.attachments
    with pytest.raises(DataError, match="Pass the code of the event, e.g. event=2"):
        model.fit(scan, TARGET)


def test_fit_resumes_from_its_checkpoint(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    use_sizes(monkeypatch, 1, 16)
    scan = write(tmp_path, draw(np.random.default_rng(2)))
    model = ceiba.DecisionTreeSurvival(criterion="exponential", max_depth=4)
    expected = model.fit(scan, TARGET, sample_weight="weight").tree_
    path, asked = tmp_path / "journal", []
    ask = ThreadExchange.ask

    def ask_thrice(self: ThreadExchange, rounds: Any) -> Any:
        if len(asked) == 3:
            raise KeyboardInterrupt
        asked.append(1)
        return ask(self, rounds)

    monkeypatch.setattr(ThreadExchange, "ask", ask_thrice)
    with pytest.raises(KeyboardInterrupt):
        model.fit(scan, TARGET, sample_weight="weight", checkpoint=path)
    monkeypatch.setattr(ThreadExchange, "ask", ask)
    assert path.stat().st_size > 1000
    assert model.fit(scan, TARGET, sample_weight="weight", checkpoint=path).tree_ == expected
    assert not path.exists()


def test_what_needs_memory_is_refused_by_name(tmp_path: Path) -> None:
    table = draw(np.random.default_rng(3))
    table["c1"][:5] = np.nan
    scan = write(tmp_path, table)
    with pytest.raises(OptionError, match="criterion='logrank' is not supported for scans"):
        ceiba.DecisionTreeSurvival().fit(scan, TARGET)
    refused = {
        "missing": ("majority", "not supported with missing='majority' for survival trees"),
        "categorical_splits": ("multiway", "'multiway' for survival trees"),
        "leaf_values": ("honest", "leaf_values='honest' is not supported for scans"),
        "min_events_leaf": (3, "min_events_leaf=3 is not supported for scans"),
        "min_significance": (0.05, "min_significance=0.05 is not supported for scans"),
    }
    for name, (value, message) in refused.items():
        with pytest.raises(OptionError, match=message):
            ceiba.DecisionTreeSurvival(criterion="exponential", **{name: value}).fit(scan, TARGET)
    model = ceiba.DecisionTreeSurvival(criterion="exponential")
    with pytest.raises(DataError, match="y must contain the names of the time and event"):
        model.fit(scan, np.ones((len(table["time"]), 2)))
    little = ceiba.scan(tmp_path / "*.parquet", memory=1000)
    with pytest.raises(OptionError, match="requires 1 MB for the times of"):
        model.fit(little, TARGET)
