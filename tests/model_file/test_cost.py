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
from ceiba.tree.model_file import dumps, loads
from ceiba.tree.model_file.tree_part import CRITERIA

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
