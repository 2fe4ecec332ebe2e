"""The worker: trees, sizes, payloads and model files equal those of Python, to the last bit."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import ceiba
from ceiba.lessons.pictures import as_csv
from ceiba.report import payload
from ceiba.tree.model_file import schema_to_json, tree_to_json
from tests.cli.running import ok
from tests.marks import slow
from tests.playground.scripts import playground, work
from tests.table.csv_folder import N_CASES, cases

pytestmark = pytest.mark.filterwarnings("ignore::ceiba.errors.DataWarning")
OPTIONS = {
    "task": "classification", "criterion": "gini", "maxDepth": None, "minLeaf": 1,
    "multiway": False, "folds": 0, "rule": "1se", "title": "t", "lang": "en", "parameters": {},
}  # fmt: skip


def random_table(n: int = 400, seed: int = 0, target: str = "grade") -> dict[str, list[Any]]:
    """Return columns of every kind, with missing values and ties."""
    rng = np.random.default_rng(seed)
    x, z = rng.normal(size=n).round(3), rng.integers(0, 40, n)
    colour = rng.choice(["red", "green", "blue", "zinc"], n)
    signal = x + (colour == "red") + z / 20 + rng.normal(size=n) / 2
    table: dict[str, Any] = {
        "x": [None if u < 0.1 else v for u, v in zip(rng.random(n), x.tolist(), strict=True)],
        "z": z.tolist(),
        "colour": [None if u < 0.05 else c for u, c in zip(rng.random(n), colour, strict=True)],
        "flag": ["true" if u < 0.5 else "false" for u in rng.random(n)],
        "day": [f"2024-{m:02}-{d:02}" for m, d in rng.integers(1, 13, (n, 2)).tolist()],
        "amount": signal.round(4).tolist(),
        "grade": np.array(["low", "middle", "high"])[np.digitize(signal, [0.3, 1.4])].tolist(),
    }
    return {name: v for name, v in table.items() if name == target or name not in _TARGETS}


_TARGETS = ("amount", "grade")


def write(folder: Path, table: dict[str, list[Any]]) -> Path:
    path = folder / "table.csv"
    *names, last = table
    text = as_csv({name: table[name] for name in names}, table[last], last)
    path.write_text(text, encoding="utf-8")
    return path


def questions(path: Path, alpha: float = -1.0, **options: Any) -> list[dict[str, Any]]:
    return [
        {"action": "read", "path": str(path), "options": {}},
        {"action": "grow", "options": OPTIONS | options},
        {"action": "save", "alpha": alpha, "source": path.name},
    ]


def fitted(path: Path, target: str, **options: Any) -> Any:
    """Fit the same tree in Python."""
    frame = ceiba.read_file(path)
    is_class = frame[target].dtype in (pl.Categorical, pl.Boolean)
    kind = ceiba.DecisionTreeClassifier if is_class else ceiba.DecisionTreeRegressor
    return kind(**options).fit(frame, target)


def as_json(tree: Any) -> Any:
    return json.loads(json.dumps([schema_to_json(tree.schema), tree_to_json(tree)]))


def require_same(one: Any, other: Any) -> None:
    """Require equal trees; the logarithms of two C libraries may differ in the last bit."""
    found, wanted = as_json(one), as_json(other)
    if other.criterion in ("entropy", "poisson"):
        for name in ("impurity", "gain", "risk"):
            assert found[1].pop(name) == pytest.approx(wanted[1].pop(name), rel=1e-12, abs=1e-15)
    assert found == wanted


@pytest.mark.parametrize(
    ("target", "options"),
    [
        ("grade", {}),
        ("grade", {"criterion": "entropy", "max_depth": 4}),
        ("grade", {"criterion": "twoing", "min_samples_leaf": 7}),
        ("grade", {"criterion": "entropy", "categorical_splits": "multiway"}),
        ("flag", {"max_depth": 5}),
        ("amount", {"criterion": "squared_error", "max_depth": 6}),
        ("z", {"criterion": "absolute_error", "min_samples_leaf": 5}),
        ("z", {"criterion": "poisson", "max_depth": 5}),
    ],
)
def test_tree_in_the_worker_is_that_of_python(
    tmp_path: Path, target: str, options: dict[str, Any]
) -> None:
    path = write(tmp_path, random_table(target=target))
    asked = {
        "task": "regression" if target in ("amount", "z") else "classification",
        "criterion": options.get("criterion", "gini"),
        "maxDepth": options.get("max_depth"),
        "minLeaf": options.get("min_samples_leaf", 1),
        "multiway": "categorical_splits" in options,
    }
    *_, saved = work(tmp_path, questions(path, target=target, **asked))
    assert "error" not in saved, saved
    (tmp_path / "m.ceiba").write_text(saved["result"]["text"], encoding="utf-8")
    loaded, model = ceiba.load(tmp_path / "m.ceiba"), fitted(path, target, **options)
    assert model.tree_.n_leaves > 5
    require_same(loaded, model.tree_)


def test_shipped_tables_grow_the_trees_of_python(tmp_path: Path) -> None:
    tables = playground.shipped_tables()
    assert [table["name"] for table in tables] == [
        "titanic", "german_credit", "bike_sharing", "iris", "play_tennis", "restaurant",
    ]  # fmt: skip
    for table in tables:
        path = tmp_path / f"{table['name']}.csv"
        path.write_text(table["csv"], encoding="utf-8")
        criterion, multiway = table["options"]["criterion"], table["options"]["multiway"]
        task = "regression" if criterion == "squared_error" else "classification"
        asked = questions(path, target=table["target"], task=task, **table["options"])
        *_, saved = work(tmp_path, asked)
        (tmp_path / "m.ceiba").write_text(saved["result"]["text"], encoding="utf-8")
        splits = "multiway" if multiway else "binary"
        model = fitted(path, table["target"], criterion=criterion, categorical_splits=splits)
        require_same(ceiba.load(tmp_path / "m.ceiba"), model.tree_)


@pytest.mark.parametrize("rule", ["1se", "min"])
@pytest.mark.parametrize("target", ["grade", "amount"])
def test_size_by_cross_validation_is_that_of_python(tmp_path: Path, target: str, rule: Any) -> None:
    path = write(tmp_path, random_table(seed=3, target=target))
    regression = {"task": "regression", "criterion": "squared_error"} if target == "amount" else {}
    pruning = ceiba.CostComplexity(rule=rule)
    model = fitted(path, target, prune=pruning)
    table = model.pruning_table_
    alpha = float(table["alpha"][np.flatnonzero(table["chosen"])[0]])
    asked = questions(path, alpha, target=target, folds=10, rule=rule, **regression)
    *_, grown, saved = work(tmp_path, asked)
    steps = grown["result"]["payload"]["pruning"]
    for name in ("alpha", "n_leaves", "risk", "cv_risk", "cv_se"):
        assert steps[name] == table[name].tolist(), name
    assert steps["start"] == alpha
    assert [s for s in grown["result"]["stages"] if s.startswith("valid")][-1] == "validating 9"
    (tmp_path / "m.ceiba").write_text(saved["result"]["text"], encoding="utf-8")
    assert as_json(ceiba.load(tmp_path / "m.ceiba")) == as_json(model.tree_)


def close(one: Any, other: Any, place: str = "") -> None:
    """Compare two payloads; numbers that are only displayed are rounded in Python's."""
    if isinstance(other, dict):
        assert one.keys() == other.keys(), place
        for key, value in other.items():
            close(one[key], value, f"{place}.{key}")
    elif isinstance(other, list):
        assert len(one) == len(other), place
        for k, value in enumerate(other):
            close(one[k], value, f"{place}[{k}]")
    elif other is not None and any(name in place for name in _ROUNDED):
        digits = 2e-3 if "quartiles" in place else 1e-6
        assert one == pytest.approx(other, rel=digits, abs=1e-12), place
    else:
        assert one == other, place


_ROUNDED = ("impurity", "gain", "importance", "quantiles", "quartiles", "boxes", "low", "high")


@pytest.mark.parametrize("target", ["grade", "amount"])
def test_payload_is_that_of_the_report(tmp_path: Path, target: str) -> None:
    path = write(tmp_path, random_table(seed=5, target=target))
    regression = {"task": "regression", "criterion": "squared_error"} if target == "amount" else {}
    *_, grown, _ = work(tmp_path, questions(path, target=target, maxDepth=6, **regression))
    model = fitted(path, target, max_depth=6)
    frame = ceiba.read_file(path)
    wanted = json.loads(json.dumps(payload(model.tree_, train=(frame.drop(target), frame[target]))))
    found = grown["result"]["payload"]
    assert found.keys() == wanted.keys()
    for key in ("created", "ceiba", "python", "title"):  # of the writer
        found.pop(key), wanted.pop(key)
    assert found["pruning"].pop("unit_text")
    assert wanted["pruning"].pop("unit_text")
    close(found, wanted)


def test_splits_of_a_node_are_those_of_the_split_table(tmp_path: Path) -> None:
    path = write(tmp_path, random_table())
    ceiba.read_file(path).drop_nulls().write_csv(path)
    grow = questions(path, target="grade", criterion="entropy")[:2]
    splits = work(tmp_path, [*grow, {"action": "splits", "node": 0}])[-1]["result"]
    frame = ceiba.read_file(path)
    names = [name for name in frame.columns if name != "grade"]
    table = ceiba.inspection.split_table(frame.drop("grade"), frame["grade"], "entropy")
    gains = dict(zip(table["column"], table["gain"], strict=True))
    assert {names[j]: gain for j, gain in splits["gains"]} == pytest.approx(gains)
    column = names[splits["curve"]["column"]]
    curve = ceiba.inspection.split_curve(frame[column], frame["grade"], "entropy")
    assert splits["curve"]["cut"] == pytest.approx(curve["cut"].tolist())
    assert splits["curve"]["gain"] == pytest.approx(curve["gain"].tolist(), abs=1e-12)


@pytest.mark.parametrize("n_cases", [20, *slow([N_CASES])])
def test_shared_folder_gives_the_same_trees_here_in_python_and_on_the_command_line(
    tmp_path: Path, n_cases: int
) -> None:
    paths, asked = [], []
    for case in cases(n_cases):
        name, data = next(iter(case.files.items()))
        (tmp_path / name).write_bytes(data)
        options = {"target": case.columns[-1].name, "maxDepth": 6}
        paths.append((tmp_path / name, case.options, options["target"]))
        first, *rest = questions(tmp_path / name, **options)
        asked += [first | {"options": case.options}, *rest]
    answers = work(tmp_path, asked)
    grown = refused = 0
    for k, (path, options, target) in enumerate(paths):
        read, _, saved = answers[3 * k : 3 * k + 3]
        if "error" in read:
            assert read["error"] == "pg_packed"
            assert path.suffix == ".bz2"
            refused += 1
            continue
        (tmp_path / "m.ceiba").write_text(saved["result"]["text"], encoding="utf-8")
        frame = ceiba.read_file(path, **options)
        model = ceiba.DecisionTreeClassifier(max_depth=6).fit(frame, target)
        page = as_json(ceiba.load(tmp_path / "m.ceiba"))
        assert page == as_json(model.tree_), path.name
        grown += 1
        if k % 20 == 0:
            flags = ["-t", target, "--keep-identifiers", "--max-depth", "6", "-q", "-m", "c.ceiba"]
            flags += ["--no-header"] if "header" in options else []
            flags += ["--encoding", "cp1252"] if "encoding" in options else []
            ok("learn", path.name, *flags, cwd=tmp_path)
            assert page == as_json(ceiba.load(tmp_path / "c.ceiba").tree_), path.name
    assert grown + refused == n_cases
    assert grown > 0.65 * n_cases


def test_errors_of_the_core_and_impossible_targets_are_sentences(tmp_path: Path) -> None:
    path = write(tmp_path, random_table(60))
    read, *_ = questions(path)

    def grow(**options: Any) -> dict[str, Any]:
        return {"action": "grow", "options": OPTIONS | options}

    same = {"x": [1, 2, 3], "y": ["a", "a", "a"]}
    (tmp_path / "same.csv").write_text(as_csv({"x": same["x"]}, same["y"], "y"))
    answers = work(
        tmp_path,
        [read, grow(target="grade", criterion="nonsense"), grow(target="x"),
         read | {"path": str(tmp_path / "same.csv")}, grow(target="y")],
    )  # fmt: skip
    assert [answer.get("error") for answer in answers] == [
        None, "pg_core", "pg_classes", None, "pg_one_class",
    ]  # fmt: skip
    assert "nonsense" in answers[1]["values"]["reason"]


def test_table_beyond_four_gigabytes_is_refused_before_memory_is_allocated(tmp_path: Path) -> None:
    path = tmp_path / "long.csv"
    path.write_text("x,y\n" + "1,a\n2,b\n" * 500_000)
    read, grow, _ = questions(path, target="y", maxDepth=1)
    _, fits, _, refused = work(tmp_path, [read, grow, {"action": "widen", "times": 300}, grow])
    assert fits["result"]["megabytes"] < 100
    assert refused == {"error": "pg_memory", "values": {"reason": "1000000 x 300"}}


def test_rows_without_a_target_are_left_out_as_on_the_command_line(tmp_path: Path) -> None:
    table = random_table(200)
    table["grade"] = [None if k % 7 == 0 else v for k, v in enumerate(table["grade"])]
    path = write(tmp_path, table)
    *_, grown, saved = work(tmp_path, questions(path, target="grade"))
    assert grown["result"]["nDropped"] == 29
    (tmp_path / "m.ceiba").write_text(saved["result"]["text"], encoding="utf-8")
    frame = ceiba.read_file(path).drop_nulls("grade")
    expected = ceiba.DecisionTreeClassifier().fit(frame, "grade").tree_
    assert tree_to_json(ceiba.load(tmp_path / "m.ceiba")) == tree_to_json(expected)
