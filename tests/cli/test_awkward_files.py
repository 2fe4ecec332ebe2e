"""Every awkward file is learned from with the kinds it has, or refused with what to do."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import ceiba
from tests.cli.awkward_files import CASES, Case
from tests.cli.running import ok, run

pytest.importorskip("polars")


def test_there_are_forty() -> None:
    assert len(CASES) >= 40
    assert len({case.name for case in CASES}) == len(CASES)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_awkward_file_is_read_right_or_refused(case: Case, tmp_path: Path) -> None:
    case.write(tmp_path / case.name)
    arguments = (case.name, *case.options)
    learn = ("learn", *arguments, "-t", case.target, "-m", "m.ceiba", "--max-depth", 2)
    if case.refused:
        refused = run(*learn, cwd=tmp_path)
        assert refused.returncode in (2, 3), refused.stderr
        assert case.refused in " ".join(refused.stderr.split())
        assert "Traceback" not in refused.stderr
        return
    shown = run("describe", *arguments, "--json", cwd=tmp_path)
    assert shown.returncode == 0, shown.stderr
    made = json.loads(shown.stdout)
    columns = {one["name"]: one for one in made["columns"]}
    assert made["n_rows"] == case.n_rows
    assert {name: columns[name]["kind"] for name in case.kinds} == case.kinds
    for name, (low, high) in case.ranges.items():
        assert columns[name]["quantiles"][0] == pytest.approx(low)
        assert columns[name]["quantiles"][-1] == pytest.approx(high)
    if case.n_missing is not None:
        assert made["n_missing"] == case.n_missing
    learned = run(*learn, cwd=tmp_path)
    assert learned.returncode == 0, learned.stderr
    said = " ".join(learned.stderr.split())
    assert f"{case.n_rows:,} rows, {len(columns):,} column" in said
    assert case.says in said
    check_rows_are_read_again(case, tmp_path)


def check_rows_are_read_again(case: Case, folder: Path) -> None:
    """Predict the file itself: as many answers as rows, each one that `evaluate` finds too."""
    answers = ok("predict", "m.ceiba", case.name, *case.options, "--only", "--leaf", cwd=folder)
    lines = answers.splitlines()[1:]
    tree = ceiba.load(folder / "m.ceiba").tree_
    ends = [int(line.rpartition(",")[2].rpartition(";")[2]) for line in lines]
    inner = [int(tree.n_rows[node]) for node in sorted(set(ends))]
    assert [ends.count(node) for node in sorted(set(ends))] == inner
