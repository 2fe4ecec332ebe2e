"""The saved script makes the very same tree, whatever was done."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ceiba
from ceiba.studio.work.script import write_script
from ceiba.studio.work.workspace import Workspace
from tests.studio.random_work import frame, opened, work

STARTS: list[tuple[str, dict[str, Any]]] = [
    ("buys", {}),
    ("buys", {"criterion": "entropy", "categorical_splits": "multiway"}),
    ("amount", {"max_depth": 5}),
    ("buys", {"missing": "surrogate"}),
    ("buys", {"criterion": "gain_ratio", "missing": "fractional"}),
]


def rebuilt(workspace: Workspace, data: Any) -> Any:
    names: dict[str, Any] = {}
    exec(write_script(workspace.source, workspace.state), names)
    return names["rebuild"](data)


def replayed(seed: int) -> int:
    """Work at random, run the script, compare; give the number of actions."""
    rng = np.random.default_rng([seed, 7])
    target, options = STARTS[seed % len(STARTS)]
    workspace = opened(seed, target, **options)
    done = work(workspace, rng, int(rng.integers(4, 16)))
    if workspace.state.tree is None:  # the target was ignored last
        workspace.act("undo")
    tree = rebuilt(workspace, frame(seed)).tree_
    assert tree == workspace.state.tree
    assert (tree.notes or {}) == (workspace.state.tree.notes or {})
    return done


@pytest.mark.parametrize("part", range(5))
def test_script_random_actions_give_the_same_tree(part: int) -> None:
    done = sum(replayed(seed) for seed in range(10 * part, 10 * part + 10))
    assert done > 40  # most of the actions are possible


@pytest.mark.slow
@pytest.mark.parametrize("part", range(20))
def test_script_500_random_sequences_give_the_same_tree(part: int) -> None:
    for seed in range(100 + 25 * part, 125 + 25 * part):
        replayed(seed)


def test_script_is_a_program_that_reads_the_file(tmp_path: Path) -> None:
    from ceiba.cli.options.shared_options import ReadingFlags
    from ceiba.cli.studio_job import open_table
    from ceiba.studio.launch import initial_setup

    rows = ["size;price;sold", *(f"{s};{k},5;{'yes' if k > 4 else 'no'}"
                                 for k in range(10) for s in "SML")]  # fmt: skip
    (tmp_path / "shop.csv").write_text("\n".join(rows))
    (tmp_path / "later.csv").write_text("\n".join(rows[:9]))
    source, name = open_table(str(tmp_path / "shop.csv"), "sold", ReadingFlags(), None)
    workspace = Workspace(source, initial_setup(source, name, {}))
    workspace.act("set_column", {"column": "size", "order": ["S", "M", "L"]})
    workspace.act("set_held_out", {"file": "later.csv"})
    workspace.act("take", {"node": 0, "split": "size <= M"})
    workspace.act("grow", {"node": 0})
    program = tmp_path / "again.py"
    program.write_text(write_script(source, workspace.state), encoding="utf-8")
    command = [sys.executable, program]  # wherever it is run: the files lie beside each other
    ran = subprocess.run(command, cwd="/", capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == str(workspace.state.tree).strip()
    assert "price <= 5" in ran.stdout


def test_script_of_a_given_model_goes_on_with_it(tmp_path: Path) -> None:
    from ceiba.studio.launch import initial_setup
    from ceiba.studio.prepare import read_whole_table
    from ceiba.studio.work.source import Source

    data = frame(3)
    model = ceiba.DecisionTreeClassifier(max_depth=2).fit(data, "buys")
    table, name = read_whole_table(data, "buys")
    source = Source("random", table, model=model)
    workspace = Workspace(source, initial_setup(source, name, {}))
    assert workspace.state.tree == model.tree_
    workspace.act("cut", {"node": 1})
    workspace.act("grow", {"node": 1, "levels": 1})
    names: dict[str, Any] = {}
    exec(write_script(source, workspace.state), names)
    assert names["rebuild"](model, data).tree_ == workspace.state.tree


def test_script_snapshots_and_undo_leave_only_what_led_here() -> None:
    workspace = opened(1)
    workspace.act("take", {"node": 0, "split": "city = Oslo"})
    workspace.act("snapshot", {"name": "first"})
    workspace.act("grow", {"node": 0})
    workspace.act("restore", {"name": "first"})
    assert "grow_leaves" not in write_script(workspace.source, workspace.state)
    workspace.act("undo", {})
    assert "grow_leaves" in write_script(workspace.source, workspace.state)
