"""Commands that answer for a model: mimic, errors, reasons, compare, card."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest

import ceiba
from tests.cli.running import ok, run


@pytest.fixture
def scored(learned: Path) -> Path:
    """Return a folder with the answers of a tree of one split in scored.csv."""
    ok("learn", "iris.csv", "-t", "species", "--max-depth", 1, "-m", "one.ceiba", "-q", cwd=learned)
    ok("predict", "one.ceiba", "iris.csv", "-o", "scored.csv", cwd=learned)
    return learned


def test_mimic_of_a_column_gives_the_tree_that_wrote_it(scored: Path) -> None:
    given = ("mimic", "scored.csv", "-p", "prediction", "-t", "species", "--json")
    said = json.loads(ok(*given, "-o", "m.ceiba", "--report", "m.html", cwd=scored))
    assert said["fidelity"] == 1
    assert {row["of"] for row in said["accuracy"]} == {"model", "tree"}
    assert ceiba.load(scored / "m.ceiba").get_n_leaves() == 2
    assert "agrees with the model on 100 % of held-out rows" in (scored / "m.html").read_text(
        "utf-8"
    )


def test_errors_of_a_column_and_of_the_model_agree(scored: Path) -> None:
    by_column = ok("errors", "scored.csv", "-p", "prediction", "-t", "species", cwd=scored)
    by_model = ok("errors", "iris.csv", "--model", "one.ceiba", cwd=scored)
    assert by_column == by_model
    assert "petal" in by_model


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (("-p", "prediction"), "--predictions requires --target"),
        ((), "Pass either --predictions"),
        (("-p", "prediction", "-m", "one.ceiba"), "Pass either --predictions"),
        (("-m", "one.ceiba", "--drop", "a"), "--drop is not supported with --model"),
        (("-p", "predictoin", "-t", "species"), "Did you mean 'prediction'"),
    ],
)
def test_errors_without_answers_or_truth_is_refused(
    scored: Path, flags: tuple[str, ...], message: str
) -> None:
    ended = run("errors", "scored.csv", *flags, cwd=scored)
    assert ended.returncode == 2
    assert message in ended.stderr


def test_reasons_are_those_of_the_method(scored: Path) -> None:
    row = {"sepal length": 7.0, "sepal width": 3.2, "petal length": 4.7, "petal width": 1.4}
    reasons = ceiba.load(scored / "iris.ceiba").reasons(row)
    given = ("reasons", "iris.ceiba", "iris.csv", "--row", 51)
    assert ok(*given, cwd=scored) == f"{reasons}\n"
    said = json.loads(ok(*given, "--json", cwd=scored))
    assert [reason["column"] for reason in said["reasons"]] == [r.column for r in reasons]
    values = [f"-v{name}={value}" for name, value in row.items()]
    spanish = ok("--lang", "es", "reasons", "iris.ceiba", *values, cwd=scored)
    assert "la respuesta cambia con" in spanish
    refused = run(*given, "--protected", "sepal width,petal width", cwd=scored)
    assert refused.returncode == 2
    assert "use protected columns, got 'petal width'" in refused.stderr


def test_compare_writes_a_page_and_takes_models_of_other_columns(scored: Path) -> None:
    ok("learn", "iris.csv", "-t", "species", "--drop", "petal length", "-m", "b.ceiba", cwd=scored)
    given = ("compare", "one.ceiba", "b.ceiba", "iris.csv")
    said = json.loads(ok(*given, "--report", "c.html", "--json", cwd=scored))
    assert [row["figure"] for row in said["differences"]] == ["error", "log loss"]
    assert said["rows"][0]["row"] >= 1
    assert "Comparison of two models" in (scored / "c.html").read_text("utf-8")
    back = json.loads(ok("compare", "b.ceiba", "one.ceiba", "iris.csv", "--json", cwd=scored))
    for row, other in zip(said["differences"], back["differences"], strict=True):
        assert (row["first"], row["second"]) == (other["second"], other["first"])


def test_compare_weights_rows_and_shows_the_costs_of_the_models(scored: Path) -> None:
    costs = "truth,predicted,cost\nsetosa,virginica,9\n"
    (scored / "costs.csv").write_text(costs, "utf-8")
    given = ("-t", "species", "--costs", "costs.csv", "--max-depth", "1", "-m", "costs.ceiba")
    ok("learn", "iris.csv", *given, cwd=scored)
    lines = (scored / "iris.csv").read_text("utf-8").splitlines()
    twice = [f"{line},{2 * ('setosa' in line)}" for line in lines[1:]]
    (scored / "weighted.csv").write_text("\n".join([f"{lines[0]},w", *twice]), "utf-8")
    given = ("compare", "one.ceiba", "costs.ceiba", "weighted.csv", "--json")
    figures = {
        row["figure"]: row["second"]
        for row in json.loads(ok(*given, "--weight", "w", cwd=scored))["differences"]
    }
    alone = json.loads(ok(*given, cwd=scored))["differences"]
    assert [row["figure"] for row in alone] == ["error", "cost", "log loss"]
    assert figures["error"] == 0  # only setosa counts
    assert alone[0]["second"] == pytest.approx(1 / 3)


def test_card_is_written_in_the_format_of_its_ending(scored: Path) -> None:
    given = ("card", "iris.ceiba", "--data", "iris.csv", "--owner", "botanists", "-q")
    ok(*given, "-o", "card.md", cwd=scored)
    assert (scored / "card.md").read_text("utf-8") == ok(*given, cwd=scored)
    said = json.loads(ok(*given, "--json", cwd=scored))
    assert said["sections"]["Intended use"]["owner"] == "botanists"
    assert "Calibration" in said["sections"]
    alone = run("card", "iris.ceiba", "--by", "species", cwd=scored)
    assert alone.returncode == 2
    assert "--by requires --data" in alone.stderr


def test_fixed_columns_are_separated_by_commas(scored: Path) -> None:
    given = ("counterfactual", "iris.ceiba", "iris.csv", "--row", 51)
    assert "petal width" in ok(*given, "--fixed", "petal length,sepal width", cwd=scored)


def test_card_has_the_commands_that_rebuild_the_model(scored: Path) -> None:
    ok("learn", scored / "iris.csv", "-t", "species", "-m", "big.ceiba", "-q", cwd=scored)
    ok("prune", "big.ceiba", "--leaves", 3, "-o", "small.ceiba", cwd=scored)
    commands = json.loads(ok("card", "small.ceiba", "--json", cwd=scored))["sections"]
    rebuilt = commands["Model details"]["rebuilt by"].strip("`")
    assert rebuilt == (
        "ceiba learn iris.csv -t species -m big.ceiba -q && "
        "ceiba prune big.ceiba --leaves 3 -o small.ceiba"
    )
    small = ceiba.load(scored / "small.ceiba").to_text()
    for command in rebuilt.split(" && "):
        ok(*shlex.split(command)[1:], cwd=scored)
    assert ceiba.load(scored / "small.ceiba").to_text() == small
