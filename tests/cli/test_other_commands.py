"""What the commands about a model print and write."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import ceiba
from tests.cli.running import ok, run


def test_evaluate_of_unknown_labels_is_refused_or_warned_about(learned: Path) -> None:
    text = (learned / "iris.csv").read_text("utf-8")
    (learned / "dots.csv").write_text(re.sub(r"(?m)(setosa|versicolor|virginica)$", r"\1.", text))
    ended = run("evaluate", "iris.ceiba", "dots.csv", cwd=learned)
    assert ended.returncode == 3
    assert (
        "y must contain at least one class of the model, got only 'setosa.' (50 rows)"
        in ended.stderr
    )
    assert "Did you mean 'setosa' for 'setosa.'?" in ended.stderr
    (learned / "few.csv").write_text(text.replace("setosa", "Setosa", 3))
    ended = run("evaluate", "iris.ceiba", "few.csv", cwd=learned)
    assert ended.returncode == 0
    assert "in 3 rows of 150" in " ".join(ended.stderr.split())
    assert "Did you mean 'setosa' for 'Setosa'?" in " ".join(ended.stderr.split())


def test_evaluate_prints_confusion_and_baseline(learned: Path) -> None:
    text = ok("evaluate", "iris.ceiba", "iris.csv", cwd=learned)
    assert "accuracy 0.96" in text
    assert "always 'setosa'" in text
    said = json.loads(ok("evaluate", "iris.ceiba", "iris.csv", "--json", cwd=learned))
    assert said["confusion"] == [[50, 0, 0], [0, 49, 1], [0, 5, 45]]


def test_show_prints_the_tree(learned: Path) -> None:
    text = ok("show", "iris.ceiba", "--ascii", cwd=learned)
    assert text.splitlines()[1] == "|- petal length <= 2.45  n=50 (33.3%)  -> setosa p=1"


def test_summary_says_the_size(learned: Path) -> None:
    said = json.loads(ok("summary", "iris.ceiba", "--json", cwd=learned))
    assert said["leaves"] == 3
    assert said["metadata"]["data"] == "iris.csv"
    assert "learned from iris.csv" in ok("summary", "iris.ceiba", cwd=learned)


def test_explain_says_the_way(learned: Path) -> None:
    text = ok("explain", "iris.ceiba", "iris.csv", "--row", 51, cwd=learned)
    assert "petal length > 2.45  (petal length is 4.7)" in text
    other = ok("explain", "iris.ceiba", "-v", "petal length=1", cwd=learned)
    assert other.splitlines()[-1].startswith("=> setosa")


def test_rules_lists_one_per_leaf(learned: Path) -> None:
    rules = json.loads(ok("rules", "iris.ceiba", "--json", cwd=learned))
    assert len(rules) == 3
    assert all(rule["optimistic"] for rule in rules)
    assert "petal length <= 2.45" in ok("rules", "iris.ceiba", "--sort", "lift", cwd=learned)


def test_prune_lists_and_writes(learned: Path) -> None:
    assert "alpha  n_leaves" in ok("prune", "iris.ceiba", cwd=learned)
    text = ok("prune", "iris.ceiba", "--leaves", 2, "-o", "small.ceiba", cwd=learned)
    assert "3 leaves -> 2 leaves" in text
    assert ceiba.load(learned / "small.ceiba").get_n_leaves() == 2


def test_plot_writes_a_picture(learned: Path) -> None:
    pytest.importorskip("matplotlib")
    ok("plot", "iris.ceiba", "-o", "t.svg", cwd=learned)
    assert "<svg" in (learned / "t.svg").read_text("utf-8")


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("m.sql", "SELECT"),
        ("m.py", "def predict(row)"),
        ("m.c", "long tree_apply"),
        ("m.js", "function predict"),
        ("m.json", '"nodes"'),
        ("m.pmml", "<TreeModel"),
        ("m.rules", "if petal length"),
    ],
)
def test_export_format_by_ending(learned: Path, name: str, said: str) -> None:
    ok("export", "iris.ceiba", "-o", name, cwd=learned)
    assert said in (learned / name).read_text("utf-8")


def test_export_sql_dialect_to_standard_output(learned: Path) -> None:
    text = ok("export", "iris.ceiba", "sql", "--dialect", "postgresql", "--table", "f", cwd=learned)
    assert "::float8" in text
    assert 'FROM "f" AS t' in text


def test_compare_says_where_models_disagree(learned: Path) -> None:
    ok("learn", "iris.csv", "-t", "species", "--max-depth", 1, "-m", "one.ceiba", "-q", cwd=learned)
    said = json.loads(ok("compare", "one.ceiba", "iris.ceiba", "iris.csv", "--json", cwd=learned))
    assert said["mcnemar"]["disagree"] == 46
    assert said["mcnemar"]["second_only"] == 45
    assert said["splits"]["first"] == {"petal length": 1}


def test_datasets_lists_and_writes(tmp_path: Path) -> None:
    assert "restaurant" in ok("datasets", cwd=tmp_path)
    text = ok("datasets", "play_tennis", cwd=tmp_path)
    assert text.splitlines()[0] == "Outlook,Temperature,Humidity,Wind,PlayTennis"
    assert len(text.splitlines()) == 15


def test_curve_gives_a_table(learned: Path) -> None:
    said = json.loads(
        ok("curve", "iris.csv", "-t", "species", "--repeats", 2, "--json", cwd=learned)
    )
    assert set(said) == {"size", "mean", "low", "high"}
