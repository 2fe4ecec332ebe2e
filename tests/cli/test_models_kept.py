"""A model that is there is never lost; the page of a pruned tree walks the whole sequence."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

import ceiba
from tests.cli.running import ok, run

pytest.importorskip("polars")


def test_model_that_is_there_is_kept(folder: Path) -> None:
    learn = ("learn", "weather.csv", "-t", "RAIN", "--drop", "day")
    assert "replaced" not in run(*learn, cwd=folder).stderr
    first = (folder / "weather.ceiba").read_bytes()
    said = run(*learn, "--max-depth", 1, cwd=folder).stderr
    assert "Replaced weather.ceiba. The old file is saved as weather.ceiba.bak." in said
    assert (folder / "weather.ceiba.bak").read_bytes() == first
    second = (folder / "weather.ceiba").read_bytes()
    said = run(*learn, "--min-samples-leaf", 3, cwd=folder).stderr
    assert "saved as weather.ceiba.bak2." in said
    assert (folder / "weather.ceiba.bak").read_bytes() == first
    assert (folder / "weather.ceiba.bak2").read_bytes() == second


def test_same_model_again_leaves_no_copy(folder: Path) -> None:
    learn = ("learn", "weather.csv", "-t", "RAIN", "--drop", "day")
    ok(*learn, cwd=folder)
    model = folder / "weather.ceiba"
    model.write_text(re.sub(r'"at": "[^"]*"', '"at": "2020"', model.read_text("utf-8")), "utf-8")
    said = run(*learn, cwd=folder).stderr
    assert "replaced" not in said
    assert not list(folder.glob("*.bak*"))


def test_model_may_go_to_a_device(folder: Path) -> None:
    ok("learn", "weather.csv", "-t", "RAIN", "-m", "/dev/null", cwd=folder)
    assert not list(folder.glob("*.ceiba*"))


def test_prune_keeps_what_it_replaces(learned: Path, tmp_path: Path) -> None:
    (tmp_path / "m.ceiba").write_bytes((learned / "iris.ceiba").read_bytes())
    done = run("prune", "m.ceiba", "--leaves", 2, "-o", "m.ceiba", cwd=tmp_path)
    assert "saved as m.ceiba.bak" in done.stderr
    assert ceiba.load(tmp_path / "m.ceiba.bak").tree_.n_leaves == 3


def payload(page: Path) -> Any:
    found = re.search(r'<script[^>]*type="application/json"[^>]*>(.*?)</script>',
                      page.read_text("utf-8"), re.DOTALL)  # fmt: skip
    assert found is not None
    return json.loads(found[1])


@pytest.mark.parametrize("small", [False, True])
def test_page_of_a_pruned_tree_walks_the_whole_sequence(learned: Path, small: bool) -> None:
    name = f"page{small}.html"
    flags = ["--small-report"] if small else []
    ok("learn", "iris.csv", "-t", "species", "--prune", "1se", "--report", name, *flags,
       "-m", f"{small}.ceiba", "-q", cwd=learned)  # fmt: skip
    model = ceiba.load(learned / f"{small}.ceiba")
    assert model.prune == "1se"
    grown = ceiba.DecisionTreeClassifier().fit(*_frame(learned))
    nodes = payload(learned / name)["nodes"]
    n_nodes = len(nodes["parent"]) if isinstance(nodes, dict) else len(nodes)
    assert n_nodes == (model.tree_.n_nodes if small else grown.tree_.n_nodes)


def _frame(folder: Path) -> tuple[Any, str]:
    import polars as pl

    return pl.read_csv(folder / "iris.csv"), "species"


def test_small_report_without_a_report_is_refused(folder: Path) -> None:
    done = run("learn", "weather.csv", "-t", "RAIN", "--small-report", cwd=folder)
    assert done.returncode == 2
    assert "--report" in done.stderr
