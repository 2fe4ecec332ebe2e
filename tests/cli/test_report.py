"""``ceiba report`` and ``ceiba learn --report``: the page, with the rows it was given."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.cli.running import ok, run

pytest.importorskip("typer")


@pytest.fixture
def table(tmp_path: Path) -> Path:
    rng = np.random.default_rng(0)
    clouds = rng.integers(0, 9, 120)
    wind = np.where(rng.random(120) < 0.5, "west", "east")
    rain = np.where(clouds + 2 * (wind == "west") + rng.normal(0, 1, 120) > 6, "yes", "no")
    lines = [f"{c},{w},{r}" for c, w, r in zip(clouds, wind, rain, strict=True)]
    path = tmp_path / "weather.csv"
    path.write_text("\n".join(["clouds,wind,RAIN", *lines, "3,east,"]), "utf-8")
    return path


def payload_of(path: Path) -> dict[str, Any]:
    found = re.search(r'data-encoding="json">(.*?)</script>', path.read_text("utf-8"), re.DOTALL)
    assert found is not None
    made: dict[str, Any] = json.loads(found[1])
    return made


def test_learn_report_holds_training_quantiles_and_the_rows_kept_apart(table: Path) -> None:
    said = run(
        *("learn", table.name, "-t", "RAIN", "--test-size", 0.25, "--report", "page.html"),
        cwd=table.parent,
    )
    assert said.returncode == 0, said.stderr
    assert "report written to page.html" in said.stderr
    made = payload_of(table.parent / "page.html")
    assert made["nodes"]["n_rows"][0] == 90
    assert made["test"]["n_rows"][0] == 30
    assert made["columns"]["quantiles"][0] is not None


def test_learn_report_with_a_test_file_holds_its_rows(table: Path) -> None:
    (table.parent / "test.csv").write_text("clouds,wind,RAIN\n8,west,yes\n0,east,no\n", "utf-8")
    ok(
        *("learn", table.name, "-t", "RAIN", "--test", "test.csv", "--report", "page.html"),
        cwd=table.parent,
    )
    made = payload_of(table.parent / "page.html")
    assert made["nodes"]["n_rows"][0] == 120
    assert made["test"]["counts"][:2] == [1, 1]


def test_report_of_a_saved_model_without_data_has_no_test(table: Path) -> None:
    ok("learn", table.name, "-t", "RAIN", cwd=table.parent)
    ok("report", "weather.ceiba", cwd=table.parent)
    made = payload_of(table.parent / "weather.html")
    assert made["test"] is None
    assert made["target"] == "RAIN"


def test_report_with_data_counts_rows_with_the_truth_and_says_what_is_left_out(
    table: Path,
) -> None:
    ok("learn", table.name, "-t", "RAIN", cwd=table.parent)
    said = run(
        *("report", "weather.ceiba", "--data", table.name, "-o", "p.html"),
        *("--title", "Rain & <wind>", "--lang", "es"),
        cwd=table.parent,
    )
    assert said.returncode == 0, said.stderr
    assert "Left out: 1 row without a target value." in said.stderr
    made = payload_of(table.parent / "p.html")
    assert made["test"]["n_rows"][0] == 120
    assert (made["title"], made["lang"]) == ("Rain & <wind>", "es")


@pytest.mark.parametrize(
    ("words", "reason"),
    [(["--lang", "xx"], "xx"), (["--data", "absent.csv"], "absent.csv")],
)
def test_report_wrong_option_is_refused_in_words(
    table: Path, words: list[str], reason: str
) -> None:
    ok("learn", table.name, "-t", "RAIN", cwd=table.parent)
    said = run("report", "weather.ceiba", *words, cwd=table.parent)
    assert said.returncode != 0
    assert reason in said.stderr
    assert "Traceback" not in said.stderr
