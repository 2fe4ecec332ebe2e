"""A lesson at a node: the learner says which question is best, then sees why."""

from __future__ import annotations

from typing import Any

from ceiba.errors import OptionError
from ceiba.studio.answers.bench import Bench
from ceiba.studio.answers.rivals import rivals
from ceiba.studio.lessons.computing import MEASURES, Division, steps_of
from ceiba.studio.work.state import place_of
from ceiba.studio.work.workspace import Workspace
from ceiba.tree.splits.sentences import level_text
from ceiba.words import words

_NOISE = 1e-12


def answered(workspace: Workspace, bench: Bench, node: int) -> bool:
    """Return whether the figures of a node may be shown."""
    return workspace.lesson is None or place_of(bench.tree, node) in workspace.answered


def lesson_answer(bench: Bench, node: int, column: Any) -> dict[str, Any]:
    """Judge the column that a learner chose; of equals each is right."""
    if not isinstance(column, str):
        raise OptionError(f"column: got {column!r}. Give the name of a column.")
    bench.problem.table.schema.index(column)
    listed = rivals(bench, node)["rivals"]
    gains = {one["column"]: one["gain"] for one in listed if one["gain"] is not None}
    if not gains:
        raise OptionError(f"Node {node}: no question splits it.")
    most = max(gains.values())
    best = [name for name, gain in gains.items() if gain >= most - _NOISE * max(abs(most), 1.0)]
    return {"right": column in best, "best": best, "gains": gains}


def lesson_steps(bench: Bench, node: int, column: str, measure: str, lang: str) -> dict[str, Any]:
    """Compute a measure of a column's best split, step by step."""
    if measure not in MEASURES:
        raise OptionError(f"measure: got {measure!r}. Give one of {', '.join(MEASURES)}.")
    if not bench.tree.task.has_classes:
        raise OptionError("Lessons are about classes; this target holds numbers.")
    bench.problem.table.schema.index(column)
    rival = next(one for one in rivals(bench, node)["rivals"] if one["column"] == column)
    if rival["split"] is None:
        raise OptionError(f"Node {node}: {column!r} does not split it.")
    branches = rival["branches"]
    division = Division(
        classes=tuple(level_text(label) for label in bench.tree.target.classes[0].tolist()),
        branches=tuple(one["text"] for one in branches),
        counts=tuple(tuple(one["counts"]) for one in branches),
        base="gini" if bench.tree.criterion == "gini" else "entropy",
    )
    steps = steps_of(division, measure, words(lang).section("steps"))
    return {
        "node": node,
        "column": column,
        "measure": measure,
        "split": rival["split"],
        "result": steps[-1]["value"],
        "steps": steps,
    }
