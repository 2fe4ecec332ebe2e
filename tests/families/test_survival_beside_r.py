"""R's survival and rpart beside survival trees: log-rank tests of all cuts, exponential trees."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import ceiba

pytestmark = pytest.mark.slow  # R takes 20 s
SCRIPT = Path(__file__).with_name("survival_beside_r.R")
N_TABLES = 500
SETS = ("lung", "veteran", "pbc", "ovarian", "kidney", "colon", "gbsg", "rotterdam", "retinopathy",
        "mgus2", "stanford2", "stagec", *(f"more_{k}" for k in range(8)))  # fmt: skip


def draw_tables() -> pd.DataFrame:
    parts = []
    for k in range(N_TABLES):
        rng = np.random.default_rng([12, k])
        n = int(rng.integers(5, 40))
        event = rng.random(n) < 0.6
        event[:1] = True
        parts.append(pd.DataFrame({
            "table": k, "time": rng.integers(1, 12, n), "event": event.astype(int),
            "weight": rng.integers(1, 4, n) if k % 2 else 1, "x": rng.integers(0, 6, n),
        }))  # fmt: skip
    return pd.concat(parts)


def draw_set(k: int) -> pd.DataFrame:
    rng = np.random.default_rng([99, k])
    n = 100 + 80 * k
    frame = pd.DataFrame({
        "a": rng.normal(size=n).round(2 if k % 2 else 6), "b": rng.integers(0, 5, n),
        "c": rng.choice(list("pqrst"), n), "d": rng.normal(size=n),
    })  # fmt: skip
    time = rng.exponential(np.exp(frame["a"] - (frame["c"] == "q")))
    limit = rng.exponential(3.0, n)
    frame["time"] = np.maximum(np.minimum(time, limit).round(3 if k % 3 else 1), 0.001)
    frame["status"] = (time <= limit).astype(int)
    return frame


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if shutil.which("Rscript") is None:
        pytest.skip("R is not installed (Debian: r-base-core r-cran-rpart)")
    folder = tmp_path_factory.mktemp("survival")
    draw_tables().to_csv(folder / "tables.csv", index=False)
    for k in range(8):
        draw_set(k).to_csv(folder / f"more_{k}.csv", index=False)
    done = subprocess.run(
        ["Rscript", str(SCRIPT), str(folder)], capture_output=True, text=True, check=False
    )
    if "there is no package" in done.stderr:
        pytest.skip("rpart is not installed (Debian: r-cran-rpart)")
    assert done.returncode == 0, done.stderr
    return folder


def test_log_rank_of_every_cut_equals_survdiff(folder: Path) -> None:
    expected = pd.read_csv(folder / "logrank.csv")
    tables = dict(list(draw_tables().groupby("table")))
    assert len(expected) > 3 * N_TABLES // 2
    worst = 0.0
    for table, cut, chisq in expected.itertuples(index=False):
        rows = tables[table]
        side = (rows[["x"]] > cut).astype(float).to_numpy()
        model = ceiba.DecisionTreeSurvival(max_depth=1)
        y = rows[["time", "event"]].to_numpy(float)
        tree = model.fit(side, y, sample_weight=rows["weight"].to_numpy(float)).tree_
        ours = 2 * tree.gain[0] * tree.weight[0] if tree.n_nodes > 1 else 0.0
        if tree.n_nodes == 1:  # no event tells the sides apart
            assert np.isnan(chisq) or chisq < 1e-9
            continue
        worst = max(worst, abs(ours - chisq) / max(1.0, chisq))
    assert worst < 1e-9


def lower_hazard_first(tree: Any) -> list[int]:
    """Return the nodes in R's order: the branch with fewer events per time comes first."""
    order, waiting = [], [0]
    while waiting:
        node = waiting.pop()
        order.append(node)
        branches = tree.branch_node[tree.branch_start[node] : tree.branch_start[node + 1]]
        waiting += sorted(branches.tolist(), key=lambda i: -tree.value[i, 0, 0])
    return order


@pytest.mark.parametrize("name", SETS)
def test_exponential_trees_equal_rpart(folder: Path, name: str) -> None:
    file = folder / (f"{name}.csv" if name.startswith("more") else f"data_{name}.csv")
    frame = pd.read_csv(file)
    model: Any = ceiba.DecisionTreeSurvival(
        criterion="exponential",
        min_samples_split=20,
        min_samples_leaf=7,
        max_depth=6,
        prune=ceiba.CostComplexity(alpha=0.0),
    ).fit(frame, ("time", "status"))
    tree, r = model.tree_, pd.read_csv(folder / f"frame_{name}.csv")
    order, columns = lower_hazard_first(tree), ["<leaf>", *tree.schema.names]
    assert [columns[tree.splits.column[i] + 1] for i in order] == r["var"].str.strip().tolist()
    assert tree.n_rows[order].tolist() == r["n"].tolist()
    np.testing.assert_allclose(tree.value[order, 0, 0], r["yval"], rtol=1e-9)
    cp = pd.read_csv(folder / f"cp_{name}.csv")
    steps = ceiba.prune.pruning_sequence(tree)
    np.testing.assert_allclose(steps.n_leaves[::-1] - 1, cp["nsplit"])
    np.testing.assert_allclose(steps.risk[::-1] / steps.root_risk, cp["rel error"], rtol=1e-9)
    np.testing.assert_allclose((steps.alpha / steps.root_risk)[::-1][:-1], cp["CP"][:-1], rtol=1e-9)
