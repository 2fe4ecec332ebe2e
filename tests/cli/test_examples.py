"""``--example NAME``: a table of the package instead of a file."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import ceiba
from ceiba import datasets
from tests.cli.running import ok, run

LEARNED = ["titanic", "german_credit", "bike_sharing", "iris"]


@pytest.mark.parametrize("name", LEARNED)
def test_learned_example_is_the_tree_of_the_loader(tmp_path: Path, name: str) -> None:
    ok("learn", "--example", name, "--max-depth", 4, "-q", cwd=tmp_path)
    data = datasets.load(name)
    kind = ceiba.DecisionTreeRegressor if name == "bike_sharing" else ceiba.DecisionTreeClassifier
    tree = ceiba.load(tmp_path / f"{name}.ceiba").tree_
    assert tree.to_text() == kind(max_depth=4).fit(data.data, data.target).tree_.to_text()


def test_learned_example_has_the_metadata_of_its_file(tmp_path: Path) -> None:
    text = run("learn", "--example", "titanic", "--max-depth", 2, cwd=tmp_path)
    assert text.stderr.startswith("titanic: 891 rows, 8 columns")
    said = json.loads(ok("summary", "titanic.ceiba", "--json", cwd=tmp_path))
    assert (said["metadata"]["data"], said["metadata"]["target"]) == ("titanic.csv", "survived")


def test_learned_example_of_survival_times_is_a_survival_tree(tmp_path: Path) -> None:
    ok("learn", "--example", "lung", "--max-depth", 2, "-q", cwd=tmp_path)
    assert ceiba.load(tmp_path / "lung.ceiba").tree_.task == "survival"


@pytest.mark.parametrize("name", datasets.describe_tables())
def test_described_example_has_its_rows(tmp_path: Path, name: str) -> None:
    said = json.loads(ok("describe", "--example", name, "--json", cwd=tmp_path))
    assert said["n_rows"] == len(datasets.load(name).y)


def test_described_example_equals_the_file_that_datasets_writes(tmp_path: Path) -> None:
    ok("datasets", "german_credit", "-o", "credit.csv", cwd=tmp_path)
    from_file = ok("describe", "credit.csv", "-t", "risk", cwd=tmp_path)
    assert from_file == ok("describe", "--example", "german_credit", cwd=tmp_path)


def test_report_of_an_example_learns_it_first(tmp_path: Path) -> None:
    ok("report", "--example", "bike_sharing", "--lang", "pt", cwd=tmp_path)
    page = (tmp_path / "bike_sharing.html").read_text("utf-8")
    assert 'lang="pt"' in page
    assert "Bike sharing" in page


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["learn"], "Pass either a table (DATA) or --example NAME."),
        (["learn", "x.csv", "--example", "iris"], "Pass either a table"),
        (["learn", "--example", "titanc"], "Did you mean 'titanic'?"),
        (["learn", "x.csv"], "Missing option '--target'"),
        (["describe"], "Pass either a table (DATA) or --example NAME"),
        (["report"], "Pass either MODEL or --example NAME"),
        (["report", "--example", "iris", "--data", "x.csv"], "supports only --out"),
        (["report", "--example", "lung"], "it has a survival target"),
        (["studio"], "Pass either DATA (a table or a model) or --example NAME"),
        (["studio", "--example", "iris", "--target", "species"], "not supported with --example"),
    ],
)
def test_wrong_example_is_refused(tmp_path: Path, arguments: list[str], said: str) -> None:
    done = run(*arguments, cwd=tmp_path)
    assert done.returncode == 2
    assert said in " ".join(done.stderr.split())
    assert not list(tmp_path.iterdir())
