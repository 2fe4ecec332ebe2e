"""Files that once passed the door or cost much there: refused, at the price of their size."""

from __future__ import annotations

import datetime
import json
import time
import tracemalloc
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import ceiba
from ceiba.criteria import TEST_CRITERIA, criterion_names
from ceiba.errors import ModelFileError
from ceiba.estimators.model_file import restore
from ceiba.tree.model_file.document import dumps, loads
from ceiba.tree.model_file.tree_json import CRITERIA

Change = Callable[[dict[str, Any]], None]


def document() -> dict[str, Any]:
    """A model with competitors that ask levels, numbers and a date."""
    X = {
        "wind": ["west", "east", "north", "west"] * 10,
        "clouds": [float(i % 9) for i in range(40)],
        "day": [datetime.date(2024, 1, 1 + i % 28) for i in range(40)],
    }
    y = ["yes" if i % 9 > 4 or i % 4 == 0 else "no" for i in range(40)]
    model = ceiba.DecisionTreeClassifier(max_competitors=2).fit(X, y)
    stored = {"class": "DecisionTreeClassifier", "parameters": {}, "fitted": {}}
    top: dict[str, Any] = json.loads(dumps(model.tree_, model=stored))
    restore(loads(json.dumps(top).encode()))
    assert 2 in top["tree"]["competitors"]["splits"]["kind"]
    return top


def _far_competitor(top: dict[str, Any]) -> None:
    top["tree"]["competitors"]["splits"]["level_branch"][-1] = 2**31 - 1


def _leaf_column(top: dict[str, Any]) -> None:
    splits = top["tree"]["splits"]
    splits["column"][splits["kind"].index(0)] = 2**31 - 1


def _date_cut(top: dict[str, Any]) -> None:
    splits, names = top["tree"]["splits"], [c["name"] for c in top["schema"]["columns"]]
    at = splits["kind"].index(1)
    splits["column"][at], splits["cut"][at] = names.index("day"), 1e308


def _criterion(top: dict[str, Any]) -> None:
    top["tree"]["criterion"] = "sympathy"


def _other_task(top: dict[str, Any]) -> None:
    top["tree"]["criterion"] = "poisson"


def _parameter(name: str, value: Any) -> Change:
    def change(top: dict[str, Any]) -> None:
        top["model"]["parameters"][name] = value

    change.__name__ = f"{name}={str(value)[:20]}"
    return change


def _fitted(value: Any, name: str) -> Change:
    def change(top: dict[str, Any]) -> None:
        top["model"]["fitted"]["a_"] = value

    change.__name__ = name
    return change


def _nested(depth: int) -> Any:
    value: Any = 1
    for _ in range(depth):
        value = [value]
    return value


def _level(level: int) -> Change:
    def change(top: dict[str, Any]) -> None:
        top["schema"]["columns"][0]["levels"][0] = level

    change.__name__ = "endless level"
    return change


@pytest.mark.parametrize(
    "change",
    [
        _far_competitor,
        _leaf_column,
        _date_cut,
        _criterion,
        _other_task,
        _level(10**40),
        *(_parameter("max_features", v) for v in ("many", [1], {"a": 1}, 1e300, -3, True)),
        _parameter("max_features", {"$float": "nan"}),
        _parameter("max_features", {"$float": "inf"}),
        _parameter("max_depth", 10**30),
        _parameter("criterion", "sympathy"),
        _parameter("class_prior", _nested(900)),
        _fitted(_nested(900), "900 brackets"),
        _fitted({"$array": ["float64", [0, 2**40, 2**40], []]}, "odd shape"),
        _fitted({"$array": ["object", [0, 2**40, 2**40], []]}, "odd shape of objects"),
        _fitted({"$items": [[10**40, 1]]}, "endless key"),
    ],
    ids=lambda change: change.__name__,
)
def test_wrong_file_is_refused_at_load(change: Change) -> None:
    top = document()
    change(top)
    raw = json.dumps(top).encode()
    tracemalloc.start()
    try:
        with pytest.raises(ModelFileError, match="Damaged model file"):
            restore(loads(raw))
        assert tracemalloc.get_traced_memory()[1] < 2**24
    finally:
        tracemalloc.stop()


def test_objects_of_one_length_come_back_as_objects() -> None:
    top = document()
    top["model"]["fitted"]["a_"] = {"$array": ["object", [2], [[1, 2], [3, 4]]]}
    assert restore(loads(json.dumps(top).encode())).a_.tolist() == [[1, 2], [3, 4]]


def seconds_to_refuse(top: dict[str, Any]) -> float:
    raw = json.dumps(top).encode()
    start = time.process_time()
    with pytest.raises(ModelFileError):
        loads(raw)
    return time.process_time() - start


def test_many_columns_of_which_two_share_a_name_are_refused_at_once() -> None:
    top = document()
    names = [*map(str, range(40_000)), "a", "a"]  # counting each: 90 s
    top["schema"]["columns"] = [{"name": name, "kind": "numeric"} for name in names]
    assert seconds_to_refuse(top) < 2


def test_levels_of_equal_hash_are_refused_at_once() -> None:
    top = document()
    top["schema"]["columns"][0]["levels"] = [i * (2**61 - 1) for i in range(40_000)]  # 7 s
    assert seconds_to_refuse(top) < 1


def test_one_long_class_among_many_takes_no_more_room_than_the_file() -> None:
    top = document()
    labels = [str(i) for i in range(20_000)] + ["x" * 200_000]
    top["schema"]["target"]["classes"] = [{"type": "text", "labels": labels}]
    tracemalloc.start()
    try:
        assert seconds_to_refuse(top) < 5
        assert tracemalloc.get_traced_memory()[1] < 2**26
    finally:
        tracemalloc.stop()


def test_value_of_many_empty_outputs_asks_for_no_room() -> None:
    tree = ceiba.DecisionTreeRegressor(max_leaf_nodes=800).fit(
        np.arange(1000.0)[:, None], np.arange(1000.0)
    )
    top = json.loads(dumps(tree.tree_))
    top["schema"]["target"]["n_outputs"] = 100_000
    top["tree"]["value"] = [[]] * 100_000  # 1.3 GB for 1,599 nodes
    tracemalloc.start()
    try:
        seconds_to_refuse(top)
        assert tracemalloc.get_traced_memory()[1] < 2**26
    finally:
        tracemalloc.stop()


def test_criteria_of_the_file_are_those_of_growing() -> None:
    for task in ("classification", "regression"):
        by_tests = [name for name, of in TEST_CRITERIA.items() if of == task]
        assert sorted(CRITERIA[task]) == sorted([*criterion_names(task), *by_tests])


def test_whole_number_beyond_every_table_is_left_out_of_the_file_with_a_warning(
    tmp_path: Any,
) -> None:
    model = ceiba.DecisionTreeClassifier(max_depth=2**70).fit([[1.0], [2.0]], ["a", "b"])
    with pytest.warns(ceiba.errors.CeibaWarning, match="max_depth=.* cannot be written"):
        model.save(tmp_path / "m.ceiba")
    assert ceiba.load(tmp_path / "m.ceiba").max_depth is None


def _listing(kind: str, **columns: Any) -> dict[str, Any]:
    arrays = {
        name: {"$array": [of, [len(values)], values]} for name, (of, values) in columns.items()
    }
    return {"$object": [kind, {"columns": arrays, "title": "", "legend": ""}]}


def _steps(**changes: Any) -> dict[str, Any]:
    steps: dict[str, Any] = {
        "alpha": ("float64", [0.0, 0.2]), "cp": ("float64", [0.0, 0.2]),
        "n_leaves": ("int64", [2, 1]), "n_splits": ("int64", [1, 0]),
        "risk": ("float64", [0.1, 0.5]), "cv_risk": ("float64", [0.2, 0.5]),
        "cv_se": ("float64", [0.1, 0.1]), "chosen": ("bool", [True, False]),
    }  # fmt: skip
    steps |= changes
    return _listing("PruningTable", **{n: v for n, v in steps.items() if v is not None})


FITTED: list[tuple[str, Any]] = [
    ("pruning_table_", 3),
    ("pruning_table_", {"$object": ["PruningTable", {"columns": [], "title": "", "legend": ""}]}),
    ("pruning_table_", _listing("Listing", alpha=("float64", [0.1]), n_leaves=("text", ["x"]))),
    ("pruning_table_", _steps(chosen=("bool", [False, False]))),
    ("pruning_table_", _steps(chosen=("text", ["a", "b"]))),
    ("pruning_table_", _steps(alpha=("text", ["a", "b"]))),
    ("pruning_table_", _steps(n_leaves=("int64", [0, 1]))),
    ("pruning_table_", _steps(cv_se=None)),
    ("pruning_table_", _steps(cp=None)),
    ("unpruned_tree_", "tree"),
    ("unpruned_tree_", {"$tree": {}}),
    ("alpha_", "x"),
    ("alpha_", {"$float": "nan"}),
    ("leaf_strength_", [1]),
    ("n_rows_dropped_", "many"),
    ("n_rows_dropped_", -1),
    ("n_rows_dropped_", True),
    ("certificate_", 5),
    ("certificate_", {"$object": ["Certificate", {"objective": 1}]}),
]


@pytest.mark.parametrize(("name", "value"), FITTED, ids=[name for name, _ in FITTED])
def test_fitted_attribute_that_no_reader_can_use_is_refused(name: str, value: Any) -> None:
    top = document()
    top["model"]["fitted"] = {name: value}
    with pytest.raises(ModelFileError):
        restore(loads(json.dumps(top).encode()))


def test_pruning_table_of_a_file_is_read() -> None:
    top = document()
    top["model"]["fitted"] = {"pruning_table_": _steps(), "alpha_": 0.0}
    model = restore(loads(json.dumps(top).encode()))
    assert model.summary()
    assert model.report().html


CERTIFICATE = {
    "objective": 3.0, "lower_bound": 3.0, "status": "proven", "loss": "error", "max_depth": 2,
    "penalty": 0.0, "n_leaves": 3, "all_level_sets": True, "nodes": 9, "seconds": 0.1,
}  # fmt: skip


@pytest.mark.parametrize(
    "change",
    [
        {"objective": "x"}, {"lower_bound": None}, {"status": "sure"}, {"loss": "sympathy"},
        {"max_depth": 1.5}, {"penalty": []}, {"n_leaves": 0}, {"all_level_sets": 1},
        {"seconds": {"$float": "nan"}}, {"more": 1},
    ],
    ids=str,
)  # fmt: skip
def test_wrong_certificate_is_refused(change: dict[str, Any]) -> None:
    top = document()
    top["tree"]["certificate"] = CERTIFICATE
    assert loads(json.dumps(top).encode()).tree.certificate.proven
    top["tree"]["certificate"] = CERTIFICATE | change
    with pytest.raises(ModelFileError, match=r"tree\.certificate"):
        loads(json.dumps(top).encode())
