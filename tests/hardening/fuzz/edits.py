"""Random sequences of edits, by the methods of a model and by the actions of the studio.

After each step the tree is sound, answers every row, and comes back from its model file; the model
that was edited is as before; what is refused changes nothing.
"""

from __future__ import annotations

import io
import json
import random
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import ceiba
from ceiba.tree import check as check_tree
from ceiba.tree.model_file.document import dumps
from tests.hardening.fuzz.options import option_value
from tests.hardening.fuzz.shrinking import without_part
from tests.studio.random_work import LEVELS, frame, opened, random_action

KIND = "kind"  # cases are counted by it
_OPTIONS: list[dict[str, Any]] = [
    {}, {"missing": "surrogate"}, {"missing": "fractional", "criterion": "entropy"},
    {"missing": "majority", "max_depth": 4}, {"min_samples_leaf": 5}, {"max_leaf_nodes": 6},
    {"categorical_splits": "multiway"}, {"max_bins": 8}, {"min_significance": 0.3},
    {"unseen": "default"}, {"max_competitors": 2, "missing": "surrogate"},
    {"prune": {"ceiba": "CostComplexity(folds=3, keep_unpruned=True)"}}, {"leaf_values": "laplace"},
    {"class_prior": {"no": 0.8, "yes": 0.2}}, {"cost_matrix": [[0, 1], [5, 0]]},
    {"criterion": "gain_ratio", "missing": "majority"}, {"criterion": "chi2"},
    {"leaf_values": "honest"},
    {"random_state": 3},
]  # fmt: skip
_OF_CLASSES = {"class_prior", "cost_matrix", "criterion", "leaf_values"}


def draw(seed: int) -> dict[str, Any]:
    rng = random.Random(seed)
    target = rng.choice(["buys", "buys", "amount"])
    options = rng.choice(_OPTIONS)
    if target == "amount" and _OF_CLASSES & set(options):
        options = {}
    kind = rng.choice(["model", "model", "studio"])
    return {
        "kind": kind,
        "table": rng.randrange(1000),
        "target": target,
        "options": options if kind == "model" else {},
        "actions": [rng.randrange(2**31) for _ in range(rng.randint(1, 12))],
    }


def check(case: dict[str, Any]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        (_studio if case["kind"] == "studio" else _model)(case)


def _studio(case: dict[str, Any]) -> None:
    workspace = opened(case["table"], case["target"])
    for seed in case["actions"]:
        if workspace.state.tree is None:
            break  # the setup leaves nothing to learn from
        name, arguments = random_action(np.random.default_rng(seed), workspace)
        before = workspace.state, workspace.revision
        try:
            workspace.act(name, arguments)
        except ceiba.CeibaError:
            assert (workspace.state, workspace.revision) == before, "refused, yet changed"
            continue
        if workspace.state.tree is not None:
            check_tree(workspace.state.tree)


def _model(case: dict[str, Any]) -> None:
    X = frame(case["table"])
    y = X.pop(case["target"])
    options = {name: option_value(value) for name, value in case["options"].items()}
    kind = "DecisionTreeRegressor" if case["target"] == "amount" else "DecisionTreeClassifier"
    model = getattr(ceiba, kind)(**options).fit(X, y)
    for seed in case["actions"]:
        rng = np.random.default_rng(seed)
        action = _ACTIONS[int(rng.integers(len(_ACTIONS)))]
        before = _content(model)
        try:
            edited = action(rng, model, X, y)
        except ceiba.CeibaError:
            edited = model
        assert _content(model) == before, "the edited model has changed"
        _is_sound(edited, X, len(y))
        model = edited


def _content(model: Any) -> Any:
    """All that its file says of the tree, but when it was written."""
    return {key: part for key, part in json.loads(dumps(model.tree_)).items() if key != "written"}


def _is_sound(model: Any, X: Any, n: int) -> None:
    check_tree(model.tree_)
    answers = model.predict(X)
    assert len(answers) == n, "one answer per row"
    file = io.BytesIO()
    model.save(file)
    again = ceiba.load(file.getvalue())
    assert again.tree_ == model.tree_, "the tree from the file"
    assert again.predict(X).tolist() == answers.tolist(), "answers from the file"
    model.tree_.to_text()


def _node(rng: np.random.Generator, model: Any) -> int:
    """A node; now and then one that is not there."""
    return int(rng.integers(-1 if rng.random() < 0.05 else 0, model.tree_.n_nodes + 1))


def _columns(rng: np.random.Generator, X: Any) -> list[str]:
    return [str(name) for name in rng.choice(list(X), int(rng.integers(0, 3)), replace=False)]


def _set_split(rng: np.random.Generator, model: Any, X: Any, y: Any) -> Any:
    some: list[Any] = sorted(set(rng.choice(LEVELS, 2).tolist()))
    splits: list[Any] = [
        "count <= 2", f"count <= {rng.integers(-1, 7)}", "city = Oslo", "size = S", "gappy <= 0.5",
        ("count", [1.5, 3.5]), ("w", [1.0]), ceiba.tree.LevelSets("city", (tuple(some),)),
        ceiba.tree.Presence("gappy"), ceiba.tree.Cut("x <= 1", float(np.round(rng.normal(), 2))),
        "x <= 1 <= 0", "nobody <= 1", "city <= 3", "", ("count", []), ("count", [2.0, 1.0]),
        ceiba.tree.Cut("count", float("nan")), ceiba.tree.Cut("count", float("inf")),
    ]  # fmt: skip
    levels = [None, 0, 1, 2][int(rng.integers(4))]
    split = splits[int(rng.integers(len(splits)))]
    return model.set_split(_node(rng, model), split, X, y, levels=levels)


def _regrow(rng: np.random.Generator, model: Any, X: Any, y: Any) -> Any:
    return model.regrow(_node(rng, model), X, y, levels=[None, 0, 1][int(rng.integers(3))])


def _grow_leaves(rng: np.random.Generator, model: Any, X: Any, y: Any) -> Any:
    return model.grow_leaves(_node(rng, model), X, y, levels=[None, 0, 1][int(rng.integers(3))])


def _collapse(rng: np.random.Generator, model: Any, X: Any, y: Any) -> Any:
    nodes: Any = [_node(rng, model) for _ in range(int(rng.integers(0, 3)))]
    return model.collapse(nodes if rng.random() < 0.5 else _node(rng, model))


def _reprune(rng: np.random.Generator, model: Any, X: Any, y: Any) -> Any:
    ways: list[dict[str, Any]] = [
        {"alpha": 0.01}, {"cp": 0.05}, {"n_leaves": int(rng.integers(0, 6))}, {"rule": "1se"},
        {"rule": "min"}, {"alpha": -1.0}, {"cp": float("nan")}, {}, {"alpha": float("inf")},
    ]  # fmt: skip
    return model.reprune(**ways[int(rng.integers(len(ways)))])


def _annotate(rng: np.random.Generator, model: Any, X: Any, y: Any) -> Any:
    texts = ["", "n", 'say "hi"\n', "\x00", "é" * 300, "</script>", None]
    name, note = (texts[int(rng.integers(len(texts)))] for _ in range(2))
    return model.annotate(_node(rng, model), name=name, note=note)


def _override(rng: np.random.Generator, model: Any, X: Any, y: Any) -> Any:
    answers: list[Any] = ["no", "yes", 1.5, None, float("nan"), "nobody", [1], True, -1e308]
    answer = answers[int(rng.integers(len(answers)))]
    return model.override(_node(rng, model), answer, [None, "why"][int(rng.integers(2))])


def _copy_splits(rng: np.random.Generator, model: Any, X: Any, y: Any) -> Any:
    return model.copy_splits(_node(rng, model), _node(rng, model), X, y)


_ACTIONS: list[Callable[..., Any]] = [
    _set_split, _set_split, _set_split, _regrow, _grow_leaves, _collapse, _reprune, _annotate,
    _override, _copy_splits,
    lambda rng, model, X, y: model.forbid(_node(rng, model), _columns(rng, X)),
    lambda rng, model, X, y: model.prefer(_node(rng, model), _columns(rng, X)),
    lambda rng, model, X, y: model.seal(_node(rng, model), bool(rng.random() < 0.7)),
]  # fmt: skip


def smaller(case: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for actions in without_part(case["actions"]):
        yield {**case, "actions": actions}
    for name in case["options"]:
        yield {**case, "options": {k: v for k, v in case["options"].items() if k != name}}
