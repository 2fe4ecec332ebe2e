"""The task as a value: a string for users, facts for the rooms, and no task taken for another."""

from __future__ import annotations

import copy
import io
import json
import pickle
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import matplotlib as mpl
import numpy as np
import pytest
from sklearn.datasets import load_diabetes

import ceiba
from ceiba import export, grow, prune
from ceiba.errors import CeibaError, OptionError
from ceiba.rules import RuleSet
from ceiba.studio import prepare
from ceiba.table import TargetInfo, read_target
from ceiba.task import Task
from ceiba.tree import Tree

mpl.use("Agg")
X, Y = load_diabetes(return_X_y=True, as_frame=True)
ROW = X.iloc[70].to_dict()

#: What supports a fixed list of tasks; texts and drawings support any task of numbers.
OF_TREES: dict[str, Callable[[Tree], Any]] = {
    "rules": lambda t: t.rules(),
    "summary": lambda t: str(t.summary()),
    "to_sklearn": lambda t: t.to_sklearn(),
    "importance_table": lambda t: t.importance_table(X, Y),
    "pruning_sequence": lambda t: t.pruning_sequence(),
    "evaluate": lambda t: t.evaluate(X, Y),
    "drift": lambda t: t.drift(X, Y),
    "stability": lambda t: t.stability(X, Y, resamples=3),
    "rival_columns": lambda t: t.rival_columns(X, Y, folds=3),
    "regrow": lambda t: t.regrow(0, X, Y, max_depth=2),
    "refit_leaves": lambda t: t.refit_leaves(X, Y),
    "override": lambda t: t.override(1, 2.0),
    "save": lambda t: t.save(io.BytesIO()),
    "studio": lambda t: t.studio(X, Y),
    "from_tree": lambda t: ceiba.DecisionTreeRegressor.from_tree(t),
    "chi_square": lambda t: prune.chi_square(t, X, Y),
    "predict_proba": lambda t: t.predict_proba(X),
    **{f"export {name}": lambda t, name=name: t.export(name) for name in export.FORMATS},
}
OF_NAMES: dict[str, Callable[[Any], Any]] = {
    "read_target": lambda task: read_target([1.0, 2.0], task=task),
    "GrowOptions": lambda task: grow.GrowOptions(task=task),
    "cart": lambda task: ceiba.cart(task=task),
    "chaid": lambda task: ceiba.chaid(task=task),
    "build": lambda task: ceiba.tree.build(("x <= 1", 1.0, 2.0), task=task),
    "prepare": lambda task: prepare(X.assign(y=Y), "y", task=task),
}


@pytest.fixture
def third(monkeypatch: pytest.MonkeyPatch) -> Task:
    """Add a task that no room knows."""
    task = str.__new__(Task, "ordering")
    task._name_, task._value_ = "ORDERING", "ordering"
    task.has_classes, task.loss = False, "loss"
    monkeypatch.setitem(Task._value2member_map_, "ordering", task)
    return task


@pytest.fixture
def third_tree(third: Task) -> Tree:
    tree = ceiba.DecisionTreeRegressor(max_depth=2).fit(X, Y).tree_
    return replace(tree, schema=replace(tree.schema, target=replace(tree.target, task=third)))


@pytest.mark.parametrize("name", ["classification", "regression"])
def test_task_is_its_name_wherever_it_is_written(name: str) -> None:
    task = TargetInfo("y", name).task  # type: ignore[arg-type]
    assert task is Task(name)
    assert task == name
    assert (str(task), repr(task), json.dumps(task)) == (name, repr(name), f'"{name}"')
    assert hash(task) == hash(name)
    assert pickle.loads(pickle.dumps(task)) is copy.deepcopy(task) is task


def test_target_stored_with_a_plain_text_gets_its_task_back() -> None:
    info = TargetInfo("y", Task.REGRESSION)
    again = TargetInfo.__new__(TargetInfo)
    again.__setstate__({**vars(info), "task": "regression"})
    assert again.task is Task.REGRESSION


def test_unknown_name_is_refused_with_those_that_exist() -> None:
    with pytest.raises(OptionError, match=r"'survival', got 'ranking'"):
        TargetInfo("y", "ranking")  # type: ignore[arg-type]


@pytest.mark.parametrize("name", OF_TREES)
def test_tree_of_a_task_that_a_door_does_not_know_is_refused_by_name(
    name: str, third_tree: Tree
) -> None:
    with pytest.raises(CeibaError, match="ordering"):
        OF_TREES[name](third_tree)


@pytest.mark.parametrize("name", OF_NAMES)
def test_name_of_a_task_that_a_door_does_not_know_is_refused(name: str, third: Task) -> None:
    with pytest.raises(CeibaError, match="ordering"):
        OF_NAMES[name](str(third))


def test_rules_of_classes_are_not_made_from_another_task(third_tree: Tree) -> None:
    with pytest.raises(OptionError, match="classification tree"):
        RuleSet.from_tree(third_tree, X, Y)


def test_model_file_of_another_task_is_refused(third: Task) -> None:
    file = io.BytesIO()
    ceiba.DecisionTreeRegressor(max_depth=2).fit(X, Y).tree_.save(file)
    with pytest.raises(CeibaError, match="ordering"):
        ceiba.load(file.getvalue().replace(b'"regression"', b'"ordering"'))


@pytest.mark.parametrize("form", ["to_text", "to_dot", "to_mermaid", "to_svg", "to_rules"])
def test_texts_and_drawings_are_those_of_any_task_of_numbers(form: str, third_tree: Tree) -> None:
    numbers = replace(third_tree.target, task=Task.REGRESSION)
    plain = replace(third_tree, schema=third_tree.schema.with_target(numbers))
    assert getattr(export, form)(third_tree) == getattr(export, form)(plain)


def test_values_of_any_task_of_numbers_are_explained(third_tree: Tree) -> None:
    shapley = third_tree.shap_values(X.iloc[:20])
    predicted = shapley.base_values + shapley.values.sum(axis=1)
    assert predicted == pytest.approx(third_tree.predict(X.iloc[:20]))
    assert "ordering" in export.to_json(third_tree)
    leaf = third_tree.explain(ROW).leaf
    assert leaf == third_tree.predict_one(ROW).leaf


def test_what_only_reads_the_shape_works_for_any_task(third_tree: Tree) -> None:
    assert "ordering" in repr(third_tree)
    assert third_tree.collapse(1).predict(X).dtype == np.float64
    assert third_tree.max_n_classes == 1
