"""The Seattle rain example, from a table to SQL with the same predictions."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import pytest

import ceiba
from tests.cli.running import ok, run

pl = pytest.importorskip("polars")


def test_seattle_story_in_five_commands(data_folder: Path, tmp_path: Path) -> None:
    source = data_folder / "seattleWeather_1948-2017.csv"
    first = run("learn", source, "-t", "RAIN", "--drop", "DATE", "-m", "leak.ceiba", cwd=tmp_path)
    assert "Column 'PRCP' alone decides 'RAIN'" in first.stderr
    assert ceiba.load(tmp_path / "leak.ceiba").get_n_leaves() == 2

    text = ok(
        "learn", source, "-t", "RAIN", "--drop", "DATE,PRCP", "--prune", "1se",
        "--test-size", 0.3, "-m", "rain.ceiba", cwd=tmp_path,
    )  # fmt: skip
    assert "the 1-SE rule" in text
    said = json.loads(ok("evaluate", "rain.ceiba", source, "--json", cwd=tmp_path))
    assert said["error"] < 0.26 < 0.42 < said["baseline_error"]

    ok("export", "rain.ceiba", "sql", "--dialect", "sqlite", "-o", "rain.sql", cwd=tmp_path)
    frame = pl.read_csv(source, null_values="NA")
    base = sqlite3.connect(":memory:")
    base.execute("CREATE TABLE data (id, TMAX, TMIN)")
    rows = [(i, *row) for i, row in enumerate(frame.select("TMAX", "TMIN").rows())]
    base.executemany("INSERT INTO data VALUES (?, ?, ?)", rows)
    query = (tmp_path / "rain.sql").read_text("utf-8") + "ORDER BY id"
    answers = [row[4] for row in base.execute(query)]
    base.close()
    model = ceiba.load(tmp_path / "rain.ceiba")
    assert [bool(one) for one in answers] == model.predict(frame.select("TMAX", "TMIN")).tolist()
