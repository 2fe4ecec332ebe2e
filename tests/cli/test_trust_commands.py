"""The commands that ask whether a model can be trusted."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import ceiba
from tests.cli.running import ok, run
from tests.cli.test_report import payload_of


def test_counterfactual_says_what_would_have_to_change(learned: Path) -> None:
    given = ("counterfactual", "iris.ceiba", "iris.csv", "--row", 51)
    text = ok(*given, "--target", "setosa", cwd=learned)
    assert text.splitlines()[0].startswith("1. petal length <= 2.45 (is 4.7) -> setosa (prob")
    text = ok("--lang", "es", *given, "--target", "setosa", cwd=learned)
    assert text.startswith("1. petal length <= 2.45 (ahora 4.7) -> setosa (prob")
    said = json.loads(ok(*given, "--json", "-k", 1, cwd=learned))
    assert said[0]["changes"][0]["column"] == "petal width"
    assert "No allowed change" in ok(
        *given, "--target", "setosa", "--up", "petal length", cwd=learned
    )


def test_counterfactual_of_an_unknown_class_says_the_classes(learned: Path) -> None:
    ended = run("counterfactual", "iris.ceiba", "iris.csv", "--target", "rose", cwd=learned)
    assert ended.returncode == 2
    assert "Classes: ['setosa', 'versicolor', 'virginica']" in ended.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ("counterfactual", "iris.ceiba", "iris.csv", "--cost", "petal width=1,2"),
            "--cost must be COLUMN=NUMBER",
        ),
        (
            ("stability", "iris.ceiba", "iris.csv", "--rivals", 0, "--resamples", 5),
            "--resamples is not supported with --rivals",
        ),
        (
            ("plot", "iris.ceiba", "--kind", "importance", "--max-depth", 1),
            "--max-depth requires --kind tree",
        ),
    ],
)
def test_options_that_cannot_have_an_effect_raise_an_error(
    learned: Path, arguments: tuple[Any, ...], message: str
) -> None:
    ended = run(*arguments, cwd=learned)
    assert ended.returncode == 2
    assert message in ended.stderr


def test_drift_ends_with_5_above_the_limit(learned: Path) -> None:
    text = ok("drift", "iris.ceiba", "iris.csv", "--fail-psi", 0.1, cwd=learned)
    assert "no branch shares changed" in text
    lines = (learned / "iris.csv").read_text("utf-8").splitlines()
    (learned / "moved.csv").write_text("\n".join([lines[0], *lines[1:60] * 2]), "utf-8")
    ended = run("drift", "iris.ceiba", "moved.csv", "--with-target", "--fail-psi", 0.1, cwd=learned)
    assert ended.returncode == 5
    assert "the change starts at node 0" in ended.stdout
    said = json.loads(ok("drift", "iris.ceiba", "moved.csv", "--json", cwd=learned))
    assert said["start"] == 0


def test_evaluate_by_prints_every_group(learned: Path) -> None:
    lines = (learned / "iris.csv").read_text("utf-8").splitlines()
    sides = ["side", *(["left", "right"] * 75)]
    rows = [f"{line},{side}" for line, side in zip(lines, sides, strict=True)]
    (learned / "sides.csv").write_text("\n".join(rows), "utf-8")
    given = ("evaluate", "iris.ceiba", "sides.csv", "--by", "side", "--positive", "virginica")
    text = ok(*given, cwd=learned)
    assert text.splitlines()[0] == "by side, of class 'virginica', approximate 95 % intervals"
    said = json.loads(ok(*given, "--json", cwd=learned))
    assert said["reference"] in ("left", "right")


def test_stability_prints_and_draws(learned: Path) -> None:
    given = ("stability", "iris.ceiba", "iris.csv")
    text = ok(*given, "--resamples", 10, "--plot", "s.png", cwd=learned)
    assert text.startswith("10 resampled trees: two of them predict the same class for 9")
    assert (learned / "s.png").stat().st_size > 1000
    said = json.loads(ok(*given, "--rivals", 0, "--json", cwd=learned))
    assert set(said["column"]) >= {"petal length", "petal width"}


def test_explain_shapley_gives_contributions_that_add_up(learned: Path) -> None:
    given = ("explain", "iris.ceiba", "iris.csv", "--row", 51, "--shapley")
    text = ok(*given, cwd=learned)
    assert "contributions to the probability of 'versicolor'" in text
    said = json.loads(ok(*given, "--json", cwd=learned))["shapley"]
    model = ceiba.load(learned / "iris.ceiba")
    rows = [line.split(",") for line in (learned / "iris.csv").read_text("utf-8").splitlines()]
    row = {name: [float(cell)] for name, cell in zip(rows[0][:4], rows[51][:4], strict=True)}
    why = model.shap_values(row).of_class("versicolor")
    by_name = dict(zip(why.names, why.values[0].tolist(), strict=True))
    assert dict(zip(said["column"], said["contribution"], strict=True)) == by_name
    many = json.loads(ok(*given, "--background", "iris.csv", "--json", cwd=learned))["shapley"]
    assert many["contribution"] != said["contribution"]
    alone = run("explain", "iris.ceiba", "iris.csv", "--background", "iris.csv", cwd=learned)
    assert alone.returncode == 2
    assert "requires --shapley" in alone.stderr


def test_counterfactual_only_goes_to_allowed_levels(learned: Path) -> None:
    lines = ["colour,size,sold"]
    lines += [f"{c},{s},{'yes' if c == 'red' or s > 5 else 'no'}" for c in COLOURS for s in SIZES]
    (learned / "shop.csv").write_text("\n".join(lines), "utf-8")
    ok("learn", "shop.csv", "-t", "sold", cwd=learned)
    given = ("counterfactual", "shop.ceiba", "-v", "colour=blue", "-v", "size=2", "--fixed", "size")
    assert "colour = red" in ok(*given, cwd=learned)
    assert "No allowed change" in ok(*given, "--allow", "colour=green", cwd=learned)
    wrong = run(*given, "--allow", "color=green", cwd=learned)
    assert wrong.returncode == 2
    assert "Did you mean 'colour'" in wrong.stderr


COLOURS, SIZES = ("red", "blue", "green"), range(1, 9)


def test_report_with_checks_has_what_was_asked_for(learned: Path) -> None:
    given = ("report", "iris.ceiba", "-o", "page.html")
    rows = ("--train", "iris.csv", "--data", "iris.csv", "--drift", "iris.csv")
    asked = ("--stability", 5, "--rivals", 0, "--by", "petal width", "--positive", "virginica")
    ok(*given, *rows, *asked, cwd=learned)
    trust = payload_of(learned / "page.html")["trust"]
    assert trust["stability"]["resamples"] == 5
    assert trust["rivals"][0]["node"] == 0
    assert trust["groups"][0]["by"] == "petal width"
    assert trust["groups"][0]["positive"] == "virginica"
    assert trust["drift"]["now"] == 150
    assert trust["drift"]["leaves"]["rates"] is not None
    ok(*given, cwd=learned)
    assert payload_of(learned / "page.html")["trust"] is None


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (("--stability", 5), "--stability requires --train"),
        (("--rivals", 0), "--rivals requires --train"),
        (("--by", "petal width"), "--by requires --data"),
        (("--positive", "virginica"), "--positive requires --by"),
        (("--weight", "w"), "--weight requires"),
    ],
)
def test_report_check_without_its_rows_is_refused(
    learned: Path, flags: tuple[Any, ...], message: str
) -> None:
    ended = run("report", "iris.ceiba", *flags, cwd=learned)
    assert ended.returncode == 2
    assert message in " ".join(ended.stderr.split())
