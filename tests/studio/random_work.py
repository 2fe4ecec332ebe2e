"""Random work in the studio: tables with all kinds of columns, and sequences of actions."""

from __future__ import annotations

from typing import Any

import numpy as np

from ceiba.errors import CeibaError
from ceiba.studio.prepare import read_whole_table
from ceiba.studio.work.setup import Setup
from ceiba.studio.work.source import Source
from ceiba.studio.work.workspace import Workspace

LEVELS = ["Lima", "Oslo", "Rome", "São Paulo, SP", "Quito | north"]
SIZES = ["S", "M", "L"]


def frame(seed: int, n: int = 90) -> dict[str, list[Any]]:
    """A table with numbers, levels, gaps, whole numbers, weights and two targets."""
    rng = np.random.default_rng(seed)
    x = np.round(rng.normal(size=n), 2)
    city = rng.integers(0, len(LEVELS), n)
    size = rng.integers(0, 3, n)
    truth = (x + 0.6 * (city == 1) + 0.3 * size + rng.normal(scale=0.8, size=n)) > 0.4
    gappy: list[Any] = np.round(rng.normal(size=n) + truth, 1).tolist()
    for row in rng.choice(n, n // 8, replace=False).tolist():
        gappy[row] = None
    return {
        "x <= 1": x.tolist(),  # a name that looks like a sentence
        "city": [LEVELS[k] for k in city.tolist()],
        "size": [SIZES[k] for k in size.tolist()],
        "gappy": gappy,
        "count": rng.integers(0, 6, n).tolist(),
        "w": np.round(rng.uniform(0.5, 2.0, n), 2).tolist(),
        "amount": np.round(3 * x + size + rng.normal(size=n), 3).tolist(),
        "buys": ["yes" if t else "no" for t in truth.tolist()],
    }


def opened(seed: int, target: str = "buys", journal: Any = None, **options: Any) -> Workspace:
    """A workspace on such a table."""
    table, name = read_whole_table(frame(seed), target)
    source = Source("random.csv", table)
    start = Setup.initial(table, name, options=options)
    return Workspace(source, start, journal)


def random_action(rng: np.random.Generator, workspace: Workspace) -> tuple[str, dict[str, Any]]:
    """An action that is likely to be possible."""
    tree = workspace.state.tree
    if tree is None:  # the target was ignored
        return "set_column", {"column": "buys", "role": "target"}
    names = list(tree.schema.names)
    node = int(rng.integers(tree.n_nodes))
    inner = np.flatnonzero(~tree.is_leaf).tolist()
    kind = str(rng.choice(list(_WEIGHTS), p=np.array(list(_WEIGHTS.values())) / _TOTAL))
    if kind == "take":
        return kind, {"node": node, "split": _split(rng, workspace, node)}
    if kind == "grow":
        if rng.random() < 0.2 and tree.is_leaf[node]:
            return kind, {"node": node, "splits": [[node, _split(rng, workspace, node)]]}
        return kind, {"node": node, "levels": [1, 1, 2, None][int(rng.integers(4))]}
    if kind in ("forbid", "prefer"):
        some = rng.choice(names, int(rng.integers(0, 3)), replace=False).tolist()
        return kind, {"node": node, "columns": some}
    if kind == "copy":
        return kind, {"node": int(rng.choice(inner)) if inner else 0, "to": node}
    if kind == "note":
        return kind, {
            "node": node,
            "note": f'seen {int(rng.integers(99))} "times"\n\'',
            "name": "n",
        }
    if kind == "override":
        if tree.task == "regression":
            return kind, {"node": node, "answer": 1.5, "reason": "rule 7"}
        return kind, {"node": node, "answer": "no", "reason": "rule 7"}
    if kind == "prune":
        return kind, {"n_leaves": int(rng.integers(1, tree.n_leaves + 1))}
    if kind in ("undo", "redo"):
        return kind, {"steps": int(rng.integers(1, 3))}
    if kind in ("snapshot", "restore"):
        return kind, {"name": str(rng.choice(["a", "b"]))}
    if kind == "set_options":
        return kind, {"options": [
            {"max_depth": int(rng.integers(2, 6))}, {"min_samples_leaf": int(rng.integers(1, 5))},
            {"max_depth": None, "min_samples_leaf": None}, {"missing": "majority"},
        ][int(rng.integers(4))]}  # fmt: skip
    if kind == "set_column":
        return kind, _column(rng)
    if kind == "set_held_out":
        seed = int(rng.integers(9))
        return kind, [{"share": 0.25, "seed": seed}, {}, {"share": 0.25, "test": 0.2}][
            int(rng.integers(3))
        ]
    if kind == "open_test":
        return kind, {}
    return kind, {"node": int(rng.choice(inner)) if inner and kind == "cut" else node}


_WEIGHTS = {
    "take": 8, "grow": 6, "regrow": 2, "cut": 2, "seal": 1, "forbid": 2, "prefer": 2, "copy": 2,
    "note": 1, "override": 1, "prune": 1, "undo": 3, "redo": 2, "snapshot": 1, "restore": 1,
    "set_options": 1, "set_column": 0.5, "set_held_out": 0.5,
    "open_test": 0.3,
}  # fmt: skip
_TOTAL = sum(_WEIGHTS.values())


def _column(rng: np.random.Generator) -> dict[str, Any]:
    choices: list[dict[str, Any]] = [
        {"column": "count", "kind": "category"},
        {"column": "count", "kind": "number"},
        {"column": "size", "order": SIZES},
        {"column": "size", "kind": "category"},
        {"column": "w", "role": "weight"},
        {"column": "w", "role": "use"},
        {"column": "amount", "role": "ignore"},
    ]
    return choices[int(rng.integers(len(choices)))]


def _split(rng: np.random.Generator, workspace: Workspace, node: int) -> Any:
    """A cut, cuts, a grouping of levels or presence, about a random column."""
    table = workspace.data.X
    column = table.columns[int(rng.integers(table.n_columns))]
    info = column.info
    if info.name == "gappy" and rng.random() < 0.3:
        return {"column": "gappy", "presence": True}
    if info.n_levels and info.kind == "categorical":
        order = rng.permutation(info.n_levels).tolist()
        at = int(rng.integers(1, info.n_levels)) if info.n_levels > 1 else 1
        groups = [order[:at], order[at:]]
        if rng.random() < 0.3 and len(groups[1]) > 1:
            groups = [groups[0], groups[1][:1], groups[1][1:]]
        return {"column": info.name, "branches": [group for group in groups if group]}
    values = column.values[~column.missing].astype(float)
    cut = float(rng.choice(values))
    missing = {"missing": int(rng.integers(2))} if info.n_missing and rng.random() < 0.5 else {}
    if info.is_numeric and rng.random() < 0.2:
        more = float(rng.choice(values))
        if more != cut:
            return {"column": info.name, "cuts": sorted([cut, more])}
    return {"column": info.name, "cut": cut + (0.0 if info.is_numeric else 0.5), **missing}


def work(workspace: Workspace, rng: np.random.Generator, n: int) -> int:
    """Do n random actions; what the library refuses changes nothing. Give how many were done."""
    done = 0
    for _ in range(n):
        name, arguments = random_action(rng, workspace)
        before = workspace.state, workspace.revision
        try:
            workspace.act(name, arguments)
            done += 1
        except CeibaError:
            assert (workspace.state, workspace.revision) == before
    return done
