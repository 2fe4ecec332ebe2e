"""Damaged and hostile files: `ModelFileError` naming the place, never a crash or runaway memory."""

from __future__ import annotations

import gzip
import io
import json
import time
import tracemalloc
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ceiba
from ceiba.errors import ModelFileError, OutputError
from ceiba.estimators.model_file import restore
from ceiba.tree.model_file.atomic import atomic_write
from ceiba.tree.model_file.document import dumps, loads, read
from tests.tree.random_trees import random_tree


def document() -> dict[str, Any]:
    tree = random_tree(3, missing="surrogate", stays=True)
    return json.loads(dumps(tree))  # type: ignore[no-any-return]


def _set(path: str, value: Any) -> Callable[[dict[str, Any]], None]:
    def change(top: dict[str, Any]) -> None:
        *way, last = [int(key) if key.isdigit() else key for key in path.split(".")]
        at: Any = top
        for key in way:
            at = at[key]
        at[last] = value

    return change


def _drop(path: str) -> Callable[[dict[str, Any]], None]:
    def change(top: dict[str, Any]) -> None:
        *way, last = [int(key) if key.isdigit() else key for key in path.split(".")]
        at: Any = top
        for key in way:
            at = at[key]
        del at[last]

    return change


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (_set("version", 8), "format version 8.*Update ceiba"),
        (_set("version", 6), "format version 6.*Fit the model again"),
        (_set("version", "1"), "at version"),
        (_set("version", 0), "at version"),
        (_drop("version"), "'version' is missing"),
        (_set("format", "pickle"), "not a ceiba model file"),
        (_drop("tree"), "'tree' is missing"),
        (_set("trees", 1), "unknown key 'trees'.*Did you mean 'tree'"),
        (_set("tree.parent.1", 1), "at tree.parent"),
        (_set("tree.parent.1", 10**30), r"tree\.parent\[1\]"),
        (_set("tree.parent.0", 0), "at tree.parent"),
        (_set("tree.parent", []), "at tree.parent"),
        (_set("tree.parent.1", True), r"tree\.parent\[1\].*integer"),
        (_set("tree.weight.0", None), r"tree\.weight\[0\]: got None.*number"),
        (_set("tree.weight.0", -1), "at tree: .*weight"),
        (_set("tree.weight.0", "1"), r"tree\.weight\[0\]"),
        (_set("tree.weight.0", 10**400), "at tree.weight"),
        (_set("tree.splits.kind.0", 7), r"tree\.splits\.kind\[0\]: got 7.*0 to 4"),
        (_set("tree.splits.column.0", 99), "at tree: .*column 99"),
        (_set("tree.splits.level_start.1", 10**9), r"tree\.splits\.level_start\[1\]"),
        (_set("tree.splits.cut", [1.0]), r"tree\.splits\.cut: got 1 entries"),
        (_set("tree.default_branch.0", 77), "at tree: .*default branch 77"),
        (_set("tree.value.0.0", [0.5]), r"tree\.value\[0\]\[0\]: got 1 entries"),
        (_set("tree.value.0.0.0", 9.0), "at tree: .*class probabilities"),
        (_set("tree.value", {}), "at tree.value.*list"),
        (_set("tree.missing", "leran"), "at tree.missing.*Did you mean 'learn'"),
        (_set("tree.cost_matrix", [[0, 1], [1, 0]]), "at tree.cost_matrix: got 2 entries"),
        (_set("tree.class_prior", [1]), "at tree.class_prior"),
        (_set("tree.surrogates.start.1", 10**6), r"tree\.surrogates\.start\[1\]"),
        (_set("tree.surrogates.in_use", 1), "at tree.surrogates.in_use.*true or false"),
        (_set("tree.surrogates.splits.kind.0", 0), "at tree: .*surrogate"),
        (_set("schema.columns.0.kind", "numbers"), "at schema.columns.*Did you mean 'numeric'"),
        (_set("schema.columns.0.levels", ["a"]), "numeric column has no levels"),
        (_drop("schema.columns.2.levels"), "categorical must have levels"),
        (_set("schema.columns.2.levels", ["a", "a"]), "Levels must be unique"),
        (_set("schema.columns.2.levels", [None]), r"levels\[0\].*string, a number"),
        (_set("schema.columns.2.levels", ["a"]), "at tree: .*level code"),
        (_set("schema.columns.0.name", "y"), "two columns called 'y'"),
        (_set("schema.columns.0.name", 3), r"columns\[0\]\.name.*string"),
        (_set("schema.columns.0.maximum", "x"), r"columns\[0\]\.maximum"),
        (_set("schema.target", None), "at schema.target"),
        (_set("schema.target.n_outputs", 10**9), "n_outputs|classes"),
        (_set("schema.target.classes.0.labels", ["a"]), "at tree.value"),
        (_set("schema.target.classes.0.labels", ["a", "a", "b"]), "Classes must be unique"),
        (_set("schema.target.classes.0.type", "pickle"), r"classes\[0\]\.type"),
        (_set("schema.target.classes.0.type", "int8"), r"labels\[0\]"),
        (_set("metadata", []), "at metadata"),
    ],
)
def test_wrong_value_is_refused_naming_its_place(
    change: Callable[[dict[str, Any]], None], message: str
) -> None:
    broken = document()
    change(broken)
    with pytest.raises(ModelFileError, match=message):
        loads(json.dumps(broken).encode())


@pytest.mark.parametrize("bound", ["low", "high"])
@pytest.mark.parametrize("value", [{"$float": "nan"}, "1", None])
def test_wrong_bound_of_a_rule_is_refused(bound: str, value: Any) -> None:
    file = io.BytesIO()
    ceiba.RuleSet().fit({"x": [1, 2, 3, 4] * 5}, ["a", "a", "b", "b"] * 5).save(file)
    broken = json.loads(file.getvalue())
    broken["model"]["fitted"]["rules"][0]["clauses"][0]["choices"][0]["set"][bound] = value
    with pytest.raises(
        ModelFileError, match=rf"set\.{bound}: got .* Must be a number other than NaN"
    ):
        ceiba.load(json.dumps(broken).encode())


def test_number_beyond_every_float_is_refused() -> None:
    broken = document()
    broken["tree"]["weight"][0] = 12345.5
    with pytest.raises(ModelFileError, match="Numbers must be finite"):
        loads(json.dumps(broken).replace("12345.5", "1e999").encode())


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        (b"", "line 1, column 1"),
        (b"\x80\x04\x95", "byte 0 is not valid UTF-8"),
        (b"[1, 2]", "not a ceiba model file"),
        (b"null", "not a ceiba model file"),
        (b'{"format": "ceiba", "version": NaN}', "NaN is not a JSON value"),
        (b"[" * 100_000, "nested too deeply"),
        (b'{"format": "ceiba", "version": ' + b"9" * 5000 + b"}", "Damaged"),
        (gzip.compress(b"{}", mtime=0)[:-4], "truncated"),
        (gzip.compress(b"{}", mtime=0)[:-8] + b"\0" * 8, "cannot be decompressed"),
        (gzip.compress(b"{}", mtime=0) + b"more", "4 bytes follow the compressed"),
        (b"\x1f\x8bnonsense", "cannot be decompressed"),
    ],
)
def test_file_that_is_no_model_is_refused(raw: bytes, message: str) -> None:
    with pytest.raises(ModelFileError, match=message):
        loads(raw)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (_set("model.class", "os.system"), "at model.class"),
        (_set("model.class", "DecisionTreeRegressor"), "Must be a class for classification trees"),
        (_set("model.parameters.depth", 3), "unknown key 'depth'.*Did you mean 'max_depth'"),
        (_set("model.parameters.prune", {"$object": ["Popen", {}]}), r"prune\.\$object\[0\]"),
        (_set("model.parameters.prune", {"$eval": "1"}), "unknown tag"),
        (_set("model.parameters.prune", {"$items": [[["a"], 1]]}), "an unhashable key"),
        (_set("model.fitted", {"predict": 1}), "the name 'predict'"),
        (_set("model.fitted", {"__class__": 1}), "the name '__class__'"),
        (_set("model.fitted", {"a_": {"$array": ["int8", [2**39], []]}}), "entries. Must have"),
        (_set("model.fitted", {"a_": {"$array": ["int8", [1], [300]]}}), "fit int8"),
    ],
)
def test_wrong_estimator_is_refused(change: Callable[[dict[str, Any]], None], message: str) -> None:
    model = ceiba.DecisionTreeClassifier().fit([[1.0], [2.0]], ["a", "b"])
    stored = {"class": "DecisionTreeClassifier", "parameters": {"max_depth": None}, "fitted": {}}
    broken = json.loads(dumps(model.tree_, model=stored))
    restore(loads(json.dumps(broken).encode()))
    change(broken)
    with pytest.raises(ModelFileError, match=message):
        restore(loads(json.dumps(broken).encode()))


# ---------------------------------------------------------------------- memory and time


def peak_of(raw: bytes) -> int:
    tracemalloc.start()
    try:
        with pytest.raises(ModelFileError):
            loads(raw)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.slow
def test_gzip_bomb_is_refused_before_it_is_unpacked() -> None:
    packer = zlib.compressobj(9, wbits=31)
    bomb = b"".join(packer.compress(b" " * 2**20) for _ in range(500)) + packer.flush()
    assert len(bomb) < 600_000
    assert peak_of(bomb) < 100 * 2**20


@pytest.mark.parametrize("part", [b"[],", b"{},", b'"ab",'])
def test_text_of_many_objects_is_refused_before_they_are_made(part: bytes) -> None:
    raw = b"[" + part * 2_000_000 + b"0]"
    assert peak_of(raw) < 10 * len(raw)


def test_loading_a_real_file_needs_less_than_ten_times_its_size(large: Path) -> None:
    tracemalloc.start()
    read(large)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 10 * large.stat().st_size


def test_loading_5000_leaves_takes_under_100_ms_of_cpu(large: Path) -> None:
    times = []
    for _ in range(7):
        start = time.process_time()
        read(large)
        times.append(time.process_time() - start)
    assert min(times) < 0.1


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(30_000, 6)), rng.integers(0, 2, size=30_000)
    model = ceiba.DecisionTreeClassifier(max_leaf_nodes=5000).fit(X, y)
    path = tmp_path_factory.mktemp("large") / "large.ceiba"
    model.save(path)
    return path


# ---------------------------------------------------------------------- writing


def test_interrupted_writing_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "m.ceiba"
    path.write_text("old", "utf-8")
    with pytest.raises(KeyboardInterrupt), atomic_write(path) as file:  # noqa: PT012
        file.write(b"new")
        raise KeyboardInterrupt
    assert path.read_text("utf-8") == "old"
    assert [one.name for one in tmp_path.iterdir()] == ["m.ceiba"]


def test_writing_where_there_is_no_folder_is_an_error(tmp_path: Path) -> None:
    tree = ceiba.tree.build(("x <= 2.5", "a", "b"))
    with pytest.raises(OutputError, match="Cannot write .*No such file"):
        tree.save(tmp_path / "none" / "m.ceiba")


def test_reading_a_file_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ModelFileError, match="Cannot read .*No such file"):
        ceiba.load(tmp_path / "m.ceiba")


def test_reading_a_folder_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ModelFileError, match="Cannot read"):
        ceiba.load(tmp_path)
