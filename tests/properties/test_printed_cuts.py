"""A printed cut, read as a person reads it, sends every training value where the tree sends it."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ceiba
from ceiba.inspection import rules
from ceiba.inspection.explain import explain
from ceiba.layout.captions import edge_labels, question
from ceiba.report.nodes import encode_splits
from ceiba.report.page import bundle_scripts
from ceiba.table.read_for_predict import read_like
from ceiba.tree import Cut, Intervals, Tree
from ceiba.tree.splits.sentences import format_cut

Array = np.ndarray[Any, Any]
SIGNS = {"<=": np.less_equal, "<": np.less, ">": np.greater, ">=": np.greater_equal}


def columns(rng: np.random.Generator, n: int) -> dict[str, Array]:
    """Numbers of every kind that people have: short and long decimals, tiny gaps, dates."""
    day = np.datetime64("1965-01-01")
    near = 1.0 + rng.integers(0, 40, n) * np.finfo(float).eps
    return {
        "gauss": rng.normal(size=n),
        "single": rng.normal(size=n).astype(np.float32),
        "whole": rng.integers(-50, 50, n),
        "tenths": rng.integers(-500, 500, n) / 10,
        "cents": rng.integers(0, 5000, n) / 100,
        "mills": rng.integers(0, 10**6, n) / 1000,
        "near": near,
        "offset": 1e9 + rng.integers(0, 400, n) / 128,
        "close": 0.3 + rng.integers(0, 60, n) * 1e-9,
        "tiny": rng.lognormal(-30, 9, n),
        "day": day + rng.integers(0, 9000, n).astype("timedelta64[D]"),
        "time": day.astype("datetime64[us]") + rng.integers(0, 60, n).astype("timedelta64[us]"),
        "lapse": rng.integers(-60, 60, n).astype("timedelta64[us]"),
    }


def number(text: str) -> Any:
    """Read a printed number, date or duration, as an own type."""
    if re.fullmatch(r"\d{4}-\d\d-\d\d.*", text):
        return np.datetime64(text, "us")
    if ":" in text:
        days, _, clock = text.rpartition(", ")
        hours, minutes, seconds = clock.split(":")
        whole, _, part = seconds.partition(".")
        us = ((int(hours) * 60 + int(minutes)) * 60 + int(whole)) * 10**6 + int(part or 0)
        return np.timedelta64(int(days.split()[0] if days else 0) * 86400 * 10**6 + us, "us")
    return float(text)


def holds(sentence: str, table: dict[str, Array]) -> Array:
    """Select rows by sentences about numbers: "x <= 1", "1 < x <= 3", joined by "and"."""
    kept = np.ones(len(next(iter(table.values()))), bool)
    for part in sentence.replace("≤", "<=").replace("≥", ">=").split(" and "):
        names = [word for word in re.split(r" (?:<=|>=|<|>) ", part) if word in table]
        (name,) = names
        before, sign, after = re.fullmatch(
            rf"(?:(\S.*?) (?:<=|<) )?{name} (<=|>=|<|>) (\S.*)", part
        ).groups()  # type: ignore[union-attr]
        values = table[name]
        values = values if values.dtype.kind in "mM" else values.astype(np.float64)
        kept &= SIGNS[sign](values, number(after))
        if before is not None:
            low = re.match(r"\S.*? (<=|<) ", part)[1]  # type: ignore[index]
            kept &= SIGNS[{"<=": ">=", "<": ">"}[low]](values, number(before))
    return kept


def sent(tree: Tree, table: dict[str, Array], node: int, branch: int) -> Array:
    """Select the rows whose values lie in the branch, by the stored cuts."""
    name = tree.node(node).split.column  # type: ignore[union-attr]
    values = np.asarray(read_like(table, tree.schema).column(name).values, np.float64)
    low, high = tree.splits.bounds(node, branch)
    return (values > low) & (values <= high)


MODELS: dict[str, Any] = {
    "default": ceiba.DecisionTreeClassifier(max_depth=7),
    "binned": ceiba.DecisionTreeClassifier(max_bins=16, max_depth=5),
    "rpart": ceiba.rpart("class", cp=0.0, minsplit=4, xval=0),
    "chaid": ceiba.chaid(merge=0.5, split=1.0),
    "significance": ceiba.DecisionTreeClassifier(min_significance=0.9, max_depth=4),
    "forced": ceiba.DecisionTreeClassifier(forced_splits="gauss <= 0.1234567890123", max_depth=4),
}


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("kind", list(MODELS))
def test_printed_cuts_decide_training_rows_as_the_tree_does(kind: str, seed: int) -> None:
    rng = np.random.default_rng([seed, len(kind)])
    table = columns(rng, 150)
    signal = table["gauss"] + (table["close"] - 0.3) * 5e7 + rng.normal(size=150)
    labels = np.array(list("abc"))[np.searchsorted([0.5, 1.5], signal)]
    model = MODELS[kind].fit(table, labels)
    tree: Tree = model.tree_
    assert tree.n_leaves > 2
    text = tree.to_text()
    for node in range(tree.n_nodes):
        split = tree.node(node).split
        if split is None:
            continue
        for branch, child in enumerate(tree.node(node).children):
            sentence = tree.node(node).sentence(branch)
            assert sentence in text
            assert sentence == child.path.sentences()[-1]
            expected = sent(tree, table, node, branch)
            assert np.array_equal(holds(sentence, table), expected), sentence
        if isinstance(split, Cut):
            assert np.array_equal(
                holds(question(tree, node), table), sent(tree, table, node, split.low_branch)
            )
            if tree.schema.columns[tree.schema.index(split.column)].display == "number":
                sign, named = format_cut(split.cut, None, split.digits)
                assert (float(named) <= split.cut) == (sign == "<=")
        elif isinstance(split, Intervals):
            for branch, word in enumerate(edge_labels(tree, node)[: len(split.cuts) + 1]):
                one = word.replace(" – ", f" < {split.column} <= ")
                one = one if split.column in one else " and ".join(
                    f"{split.column} {part}" for part in one.split(", ")
                )  # fmt: skip
                assert np.array_equal(holds(one, table), sent(tree, table, node, branch)), word
    ends = tree.apply(table)
    for rule in rules(tree).rules:
        assert np.array_equal(holds(rule.text, table), ends == rule.node), rule.text
    own = read_like(table, tree.schema)
    for row in range(0, 150, 7):
        one = {name: values[row : row + 1] for name, values in table.items()}
        for step in explain(tree, own, row).steps:
            assert holds(step.sentence, one)[0], step


def test_explanation_prints_value_and_cut_on_their_sides() -> None:
    cut = 0.12345678901234566
    tree = ceiba.DecisionTreeClassifier().fit({"x": [cut - 0.1, cut + 0.1]}, ["a", "b"]).tree_
    (own,) = tree.splits.node_cuts(0)
    for value in (own, np.nextafter(own, 1), float(f"{own:.6g}")):
        said = str(explain(tree, read_like({"x": [value]}, tree.schema))).split("\n")[0]
        shown = float(said.partition("is ")[2].rstrip(")"))
        sentence = said.partition("  (")[0]
        assert holds(sentence, {"x": np.array([shown])})[0], said
        assert holds(sentence, {"x": np.array([value])})[0], said


@pytest.mark.parametrize(
    ("low", "high", "text"),
    [(17.2, 17.4, "x < 17.3"), (8.0, 9.0, "x <= 8.5"), (1.0, np.nextafter(1.0, 2), "x <= 1")],
)
def test_named_number_is_predicted_as_the_text_says(low: float, high: float, text: str) -> None:
    model = ceiba.DecisionTreeClassifier().fit({"x": [low] * 3 + [high] * 3}, list("pppqqq"))
    assert model.tree_.node(0).sentence(0) == text
    for value in (low, high, float(text.split()[-1])):
        expected = "p" if holds(text, {"x": np.array([value])})[0] else "q"
        assert model.predict({"x": [value]}).tolist() == [expected]


def test_digits_survive_saving_pruning_and_edits(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    table = {"x": 5 + rng.normal(size=300) * 1e-8}
    labels = rng.choice(["a", "b"], 300)
    tree = ceiba.DecisionTreeClassifier(max_depth=6).fit(table, labels).tree_
    assert tree.splits.has_digits
    tree.save(tmp_path / "tree.ceiba")
    again = ceiba.load(tmp_path / "tree.ceiba")
    assert again == tree
    assert again.to_text() == tree.to_text()
    for other in (tree.collapse([1]), tree.regrow(0, table, labels, max_depth=3)):
        for node in range(other.n_nodes):
            for branch in range(len(other.node(node).children)):
                sentence = other.node(node).sentence(branch)
                assert np.array_equal(holds(sentence, table), sent(other, table, node, branch))


def test_tree_without_training_data_prints_cuts_exactly() -> None:
    cut = 0.12345678901234566
    tree = ceiba.tree.build((Cut("x", cut), "a", "b"))
    assert tree.node(0).sentence(0) == f"x <= {cut!r}"


@pytest.mark.skipif(shutil.which("node") is None, reason="needs node, to run the page's scripts")
def test_page_prints_cuts_as_python_does(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    table = columns(rng, 400)
    tree = ceiba.DecisionTreeClassifier().fit(table, rng.choice(["a", "b"], 400)).tree_
    infos = tree.schema.columns
    given = {
        "splits": encode_splits(tree.splits),
        "columns": {"levels": [[] for _ in infos], "display": [info.display for info in infos]},
    }
    script = tmp_path / "page.js"
    words = bundle_scripts("report/assets/core/format.js").removesuffix("})();")
    script.write_text(
        f"{words}\nconst given = {json.dumps(given)};\n"
        "const splits = readSplits(given.splits, given.splits.kind.length);\n"
        "Object.assign(M, { columns: given.columns, splits });\n"
        "console.log(JSON.stringify(given.splits.kind.map((kind, i) => kind === CUT ? "
        "cutParts(M.splits.cut[i], M.splits.column[i]) : null)));\n})();",
        "utf-8",
    )
    ran = subprocess.run(["node", script], capture_output=True, text=True, check=True)
    for node, said in enumerate(json.loads(ran.stdout)):
        split = tree.node(node).split
        if not isinstance(split, Cut):
            continue
        info = infos[tree.schema.index(split.column)]
        sign, text = format_cut(split.cut, info, split.digits)
        if info.display == "duration":  # "1 day, 0:00:00" in Python, "1 d 0:00:00" on the page
            text = re.sub(r" days?,", " d", text)
        plain = said[1].replace("−", "-").replace(",", "")
        same = float(plain) == float(text) if info.display == "number" else plain == text
        assert (said[0].replace("≤", "<="), same) == (sign, True), (said, text)
