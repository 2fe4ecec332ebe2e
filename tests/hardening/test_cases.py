"""What campaigns found stays repaired, and each campaign runs a few cases."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.hardening.fuzz import NAMES, campaign
from tests.hardening.fuzz.__main__ import ROOT, WORKER, tally_of, watch
from tests.hardening.fuzz.finding import CASES, FindingError, minimised, replay, run

KEPT = sorted(CASES.glob("*.json"))
N_SEEDS = {"tables": 60, "properties": 40, "files": 10, "edits": 6, "exports": 12}


@pytest.mark.parametrize("path", KEPT, ids=[path.stem for path in KEPT])
@pytest.mark.filterwarnings("ignore")
def test_kept_case_passes(path: Path) -> None:
    replay(path)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.filterwarnings("ignore")
def test_campaign_finds_nothing_in_a_few_cases(name: str) -> None:
    _run_all(name, range(N_SEEDS[name]))


def _run_all(name: str, seeds: range) -> None:
    for seed in seeds:
        run(name, seed)


def test_finding_is_made_small(monkeypatch: pytest.MonkeyPatch) -> None:
    module = campaign("properties")

    def fails_on_a_seven(case: dict[str, Any]) -> None:
        cells = [value for column in case["columns"] for value in column["cells"]]
        assert 7.25 not in cells, "a seven"

    monkeypatch.setattr(module, "check", fails_on_a_seven)
    with pytest.raises(FindingError) as caught:
        _run_all("properties", range(100))
    case = caught.value.case
    assert [column["cells"] for column in case["columns"]] == [[7.25]]
    assert case["options"] == {}
    assert f"--campaign properties --seed {caught.value.seed}" in str(caught.value)


def test_nothing_smaller_than_what_fails_is_kept() -> None:
    smallest = minimised(12, lambda n: iter([n - 2, n - 1]), lambda n: n >= 5)
    assert smallest == 5


def test_tally_counts_the_cases_of_each_kind() -> None:
    tally = tally_of("properties", range(300))
    counts = [int(part.rsplit(" ", 1)[1]) for part in tally.split(", ")]
    assert sum(counts) == 300
    assert min(counts) > 20, tally
    assert tally_of("files", range(3)) == ""


def test_death_of_a_worker_names_the_case_it_died_in() -> None:
    dying = "import os; print('{\"begin\": 6}'); print('{\"begin\": 7}', flush=True); os.abort()"
    last, death = watch([sys.executable, "-c", dying], "tables", 6, Counter())
    assert last == 7
    assert death is not None
    assert "-6" in death


@pytest.mark.slow
def test_worker_runs_cases_and_ends() -> None:
    last, death = watch([*WORKER, "files", "3", "0"], "files", 3, Counter())
    assert (last, death) == (3, None)


@pytest.mark.slow
@pytest.mark.parametrize(("wasted", "dies"), [("while True: pass", True), ("pass", False)])
def test_case_that_takes_too_much_processor_time_ends_its_process(wasted: str, dies: bool) -> None:
    program = (
        "import faulthandler, signal\n"
        "from tests.hardening.fuzz.worker import limit_time\n"
        "faulthandler.register(signal.SIGVTALRM, chain=True)\n"
        f"limit_time(1)\n{wasted}\nfaulthandler.cancel_dump_traceback_later()"
    )
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True)
    assert (done.returncode == -signal.SIGVTALRM) == dies
    assert ("line 5 in <module>" in done.stderr) == dies
