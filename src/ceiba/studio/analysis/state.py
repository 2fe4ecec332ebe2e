"""Convert a workspace to JSON: setup, tree, scores, warnings, log, snapshots and columns.

Describing a million rows takes seconds, since the values of every column are sorted. The first
screen therefore shows an even sample, marked as such, until all rows are described.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from ceiba.errors import CeibaError
from ceiba.export import FORMATS
from ceiba.inspection import describe
from ceiba.report import payload
from ceiba.studio.analysis.node_analysis import NodeAnalysis
from ceiba.studio.analysis.scores import score_rows, score_tree
from ceiba.studio.analysis.warnings import list_warnings
from ceiba.studio.prepare import as_kind
from ceiba.studio.work.setup import Setup, allowed_options, find_task, option_values
from ceiba.studio.work.state import State, find_node, list_rules
from ceiba.studio.work.workspace import Workspace
from ceiba.table import Schema, Table
from ceiba.task import Task
from ceiba.tree.splits import level_text

_MAX_ROWS: Final = 50_000  # describe a larger table from a sample first


def state_to_json(
    workspace: Workspace, state: State, analysis: NodeAnalysis | None, warning_cache: dict[Any, Any]
) -> dict[str, Any]:
    """Convert a workspace state to JSON; `analysis` is None if there is no tree."""
    source, steps = workspace.source, workspace.steps
    return {
        "revision": workspace.revision,
        "beginning": analysis is None and state.setup.target is not None,
        "source": {
            "name": source.name,
            "n_rows": source.table.n_rows,
            "remarks": [*source.remarks, *workspace.remarks],
            "folder": None if source.folder is None else source.folder.resolve().name,
        },
        "lang": workspace.lang,
        "resumed": workspace.resumed,
        "not_replayed": workspace.not_replayed,
        "setup": _setup_to_json(state.setup, source.table, analysis),
        "tree": None if analysis is None else _tree_payload(workspace, analysis),
        "by_hand": state.nodes_by_hand,
        "rules": [] if analysis is None else list_rules(analysis.tree),
        "figures": None if analysis is None else {**score_tree(analysis), "cross_validated": None},
        "warnings": [] if analysis is None else list_warnings(analysis, warning_cache),
        "opened_test": _opened_test_to_json(workspace, state),
        "log": [
            {"line": step.line, "action": step.action, "node": step.node}
            for step in steps[: workspace.position]
        ],
        "undo": workspace.position,
        "redo": len(steps) - workspace.position,
        "snapshots": [
            {
                "name": name,
                "n_leaves": None if snapshot.tree is None else int(snapshot.tree.n_leaves),
                "current": snapshot.model is state.model,
            }
            for name, snapshot in workspace.snapshots.items()
        ],
        "lesson": _lesson_to_json(workspace, analysis),
        "exports": [
            {"name": row.name, "ending": row.suffixes[0], "about": row.about}
            for row in FORMATS.values()
            if row.suffixes
        ],
    }


def _opened_test_to_json(workspace: Workspace, state: State) -> dict[str, Any] | None:
    """Return the scores of the final evaluation on test rows, or None if there is none yet."""
    test = workspace.opened_test
    if test is None:
        return None
    tree, data = test.state.fitted_tree, workspace.prepare(test.state.setup)
    assert data.test is not None
    return {
        "line": test.line,
        "figures": score_rows(tree, data.test),
        "current": test.state.model is state.model,
    }


def _setup_to_json(setup: Setup, table: Table, analysis: NodeAnalysis | None) -> dict[str, Any]:
    task = find_task(setup, table)
    data = None if analysis is None else analysis.data
    classes = [] if data is None or not data.y.info.classes else data.y.info.classes[0].tolist()
    return {
        "target": setup.target,
        "target_label": None if setup.target is None else setup.label(setup.target),
        "task": task,
        "event": setup.event,
        "event_code": setup.event_code,
        "weight": setup.weight,
        "held_out": None if setup.held_out is None else dict(setup.held_out),
        "n_train": None if data is None else data.X.n_rows,
        "n_held_out": 0 if data is None or data.held_out is None else data.held_out.X.n_rows,
        "test": setup.test,
        "n_test": 0 if data is None or data.test is None else data.test.X.n_rows,
        "n_without_target": 0 if data is None else data.n_left_out,
        "options": {} if task is None else option_values(setup, task),
        "allowed": {} if task is None else allowed_options(task),
        "class_prior": setup.class_prior,
        "cost_matrix": setup.cost_matrix,
        "classes": [level_text(label) for label in classes],
        "columns": setup.columns(table),
    }


def _tree_payload(workspace: Workspace, analysis: NodeAnalysis) -> dict[str, Any] | None:
    held_out = analysis.data.held_out
    test = None if held_out is None else (held_out.X, held_out.y)
    try:
        return payload(
            analysis.tree,
            test=test,
            title=workspace.source.name,
            lang=workspace.lang,
            model=type(analysis.state.model).__name__,
        )
    except CeibaError:  # reports do not support this kind of tree
        return None


def _lesson_to_json(workspace: Workspace, analysis: NodeAnalysis | None) -> dict[str, Any] | None:
    if workspace.lesson is None:
        return None
    nodes: list[tuple[int | None, str]] = []
    if analysis is not None:
        answers = workspace.lesson_answers.items()
        nodes = [(find_node(analysis.tree, path), column) for path, column in answers]
    return {
        "name": workspace.lesson,
        "answered": [{"node": node, "column": name} for node, name in nodes if node is not None],
    }


def description_key(setup: Setup) -> Any:
    """Return a cache key of the settings that affect the description of the columns."""
    return repr((setup.y, setup.kinds, setup.orders))


def describe_columns(table: Table, setup: Setup, *, whole: bool) -> dict[str, Any]:
    """Describe the columns under the current settings, from all rows or a sample."""
    n_rows = table.n_rows
    if n_rows > _MAX_ROWS and not whole:
        table = table.take(np.linspace(0, n_rows - 1, _MAX_ROWS).astype(np.intp))
    task = find_task(setup, table)
    changed = tuple(
        as_kind(column, _kind_of(setup, column.name, task), setup.orders.get(column.name))
        for column in table.columns
    )
    infos = tuple(column.info for column in changed)
    target = setup.target if setup.event is None else None  # summaries would ignore censoring
    summary = describe(Table(changed, table.n_rows, Schema(infos)), target).to_dict()
    return {**summary, "n_described": table.n_rows, "n_rows": n_rows}


def _kind_of(setup: Setup, name: str, task: Task | None) -> str | None:
    """Return the kind to which a column is converted (category for a class target), or None."""
    if name in setup.orders:
        return "ordered"
    return setup.kinds.get(name) or (
        "category" if task is not None and task.has_classes and name == setup.target else None
    )
