"""The commands that ask whether a model can be trusted."""

from __future__ import annotations

import json
from pathlib import Path

from tests.cli.running import ok, run


def test_counterfactual_says_what_would_have_to_change(learned: Path) -> None:
    given = ("counterfactual", "iris.ceiba", "iris.csv", "--row", 51)
    text = ok(*given, "--target", "setosa", cwd=learned)
    assert text.splitlines()[0].startswith("1. petal length <= 2.45 (is 4.7) -> setosa (prob")
    said = json.loads(ok(*given, "--json", "-k", 1, cwd=learned))
    assert said[0]["changes"][0]["column"] == "petal width"
    assert "No allowed change" in ok(
        *given, "--target", "setosa", "--up", "petal length", cwd=learned
    )


def test_counterfactual_of_an_unknown_class_says_the_classes(learned: Path) -> None:
    ended = run("counterfactual", "iris.ceiba", "iris.csv", "--target", "rose", cwd=learned)
    assert ended.returncode == 2
    assert "Classes: ['setosa', 'versicolor', 'virginica']" in ended.stderr


def test_drift_ends_with_5_above_the_limit(learned: Path) -> None:
    text = ok("drift", "iris.ceiba", "iris.csv", "--fail-psi", 0.1, cwd=learned)
    assert "no node's traffic has changed" in text
    lines = (learned / "iris.csv").read_text("utf-8").splitlines()
    (learned / "moved.csv").write_text("\n".join([lines[0], *lines[1:60] * 2]), "utf-8")
    ended = run(
        "drift", "iris.ceiba", "moved.csv", "--with-target", "--fail-psi", 0.1, "--html", "d.html",
        cwd=learned,
    )  # fmt: skip
    assert ended.returncode == 5
    assert "the change starts at node 0" in ended.stdout
    assert (learned / "d.html").read_text("utf-8").startswith("<!doctype html>")
    said = json.loads(ok("drift", "iris.ceiba", "moved.csv", "--json", cwd=learned))
    assert said["start"] == 0


def test_evaluate_by_prints_every_group(learned: Path) -> None:
    lines = (learned / "iris.csv").read_text("utf-8").splitlines()
    sides = ["side", *(["left", "right"] * 75)]
    rows = [f"{line},{side}" for line, side in zip(lines, sides, strict=True)]
    (learned / "sides.csv").write_text("\n".join(rows), "utf-8")
    given = ("evaluate", "iris.ceiba", "sides.csv", "--by", "side", "--positive", "virginica")
    text = ok(*given, cwd=learned)
    assert text.splitlines()[0] == "by side, of class 'virginica', 95 % intervals"
    said = json.loads(ok(*given, "--json", cwd=learned))
    assert said["reference"] in ("left", "right")


def test_stability_prints_and_draws(learned: Path) -> None:
    given = ("stability", "iris.ceiba", "iris.csv")
    text = ok(*given, "--resamples", 10, "--plot", "s.png", cwd=learned)
    assert text.startswith("10 resampled trees: two of them give a row the same answer in 9")
    assert (learned / "s.png").stat().st_size > 1000
    said = json.loads(ok(*given, "--rivals", 0, "--json", cwd=learned))
    assert set(said["column"]) >= {"petal length", "petal width"}
