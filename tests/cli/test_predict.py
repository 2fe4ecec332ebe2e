"""``ceiba predict``: predictions appended to the rows of a file."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import ceiba
from tests.cli.running import ok, run

pl = pytest.importorskip("polars")


def test_predict_appends_answers_and_keeps_the_rest(folder: Path) -> None:
    ok("learn", "weather.csv", "-t", "RAIN", "--drop", "day", "-q", cwd=folder)
    text = ok("predict", "weather.ceiba", "weather.csv", "-p", "--leaf", cwd=folder)
    lines = text.splitlines()
    assert lines[0] == "clouds,wind,day,RAIN,prediction,probability_no,probability_yes,leaf"
    assert lines[1].startswith("8,west,2024-05-01,yes,yes,")
    assert len(lines) == 7


def test_predict_in_small_pieces_is_the_same(learned: Path) -> None:
    whole = ok("predict", "iris.ceiba", "iris.csv", cwd=learned)
    pieces = ok("predict", "iris.ceiba", "iris.csv", "--chunk", 7, cwd=learned)
    assert pieces == whole


def test_predict_agrees_with_python(learned: Path) -> None:
    ok("predict", "iris.ceiba", "iris.csv", "-o", "out.parquet", "--only", "--leaf", cwd=learned)
    found = pl.read_parquet(learned / "out.parquet")
    model = ceiba.load(learned / "iris.ceiba")
    frame = pl.read_csv(learned / "iris.csv")
    assert found["prediction"].to_list() == model.tree_.predict(frame).tolist()
    assert found["leaf"].to_list() == model.tree_.apply(frame).tolist()


def test_predict_escapes_what_a_spreadsheet_would_run(folder: Path) -> None:
    cells = ["=1+1", "+cmd|' /C calc'!A0", "-2+3", "@SUM(A1)", "\tx", "-5", "+1.5e3", "plain"]
    rows = [f'"{cell}",{k},"=yes"' if k % 2 else f'"{cell}",{k},no' for k, cell in enumerate(cells)]
    (folder / "odd.csv").write_text("\n".join(['"@note",k,y', *rows * 8]) + "\n", "utf-8")
    ok("learn", "odd.csv", "-t", "y", "--drop", "@note", "-q", cwd=folder)
    verbatim = pl.read_csv(ok("predict", "odd.ceiba", "odd.csv", "-p", cwd=folder).encode())
    assert verbatim["@note"].to_list()[:8] == cells
    text = ok("predict", "odd.ceiba", "odd.csv", "-p", "--escape-formulas", cwd=folder)
    escaped = pl.read_csv(text.encode(), infer_schema=False)
    formulas = [f"'{cell}" for cell in cells[:5]]
    assert escaped["'@note"].to_list()[:8] == [*formulas, *cells[5:]]
    assert escaped["prediction"].to_list()[:2] == ["no", "'=yes"]
    assert escaped.columns[:3] == ["'@note", "k", "y"]


def test_predict_from_standard_input_to_standard_output(folder: Path) -> None:
    ok("learn", "weather.csv", "-t", "RAIN", "--drop", "day", "-q", cwd=folder)
    text = ok(
        "predict", "weather.ceiba", "-", "--only", cwd=folder,
        stdin=b"wind,clouds\nwest,9\neast,\n",
    )  # fmt: skip
    assert text.splitlines()[0] == "prediction"
    assert len(text.splitlines()) == 3


def test_predict_missing_markers_of_learning_hold_again(folder: Path) -> None:
    (folder / "m.csv").write_text("x,y\n1,a\n-,b\n3,b\n", "utf-8")
    ok("learn", "m.csv", "-t", "y", "--missing-marker", "-", "-q", cwd=folder)
    assert len(ok("predict", "m.ceiba", "m.csv", cwd=folder).splitlines()) == 4


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp1252", "utf-16", "latin-1"])
def test_predict_says_in_which_encoding_it_writes(folder: Path, encoding: str) -> None:
    lines = [f"São Paulo,{i % 9},{'não' if i % 9 < 4 else 'sim'}" for i in range(40)]
    text = "\n".join(["cidade,x,y", *lines]) + "\n"
    (folder / "e.csv").write_bytes(text.encode(encoding))
    given = ("--encoding", encoding) if encoding == "latin-1" else ()
    ok("learn", "e.csv", "-t", "y", "-q", *given, cwd=folder)
    done = run("predict", "e.ceiba", "e.csv", "-o", "out.csv", *given, cwd=folder)
    kept = encoding.startswith("utf-8")
    assert ("the output is UTF-8" in done.stderr) is not kept
    found = (folder / "out.csv").read_bytes().decode("utf-8")
    assert found.startswith("\ufeff") is (encoding == "utf-8-sig")
    answered = [f"{line},{line.rpartition(',')[2]}" for line in lines]
    assert found.removeprefix("\ufeff").splitlines() == ["cidade,x,y,prediction", *answered]


def test_predict_empty_table_gives_a_header(folder: Path) -> None:
    ok("learn", "weather.csv", "-t", "RAIN", "--drop", "day", "-q", cwd=folder)
    (folder / "e.csv").write_text("clouds,wind\n", "utf-8")
    assert ok("predict", "weather.ceiba", "e.csv", cwd=folder) == "clouds,wind,prediction\n"


def test_predict_dates_and_booleans_come_back(folder: Path) -> None:
    rows = "".join(f"2024-05-{d:02},{str(d % 2 == 0).lower()},{d}.5\n" for d in range(1, 21))
    (folder / "t.csv").write_text("day,even,y\n" + rows, "utf-8")
    ok("learn", "t.csv", "-t", "y", "-q", cwd=folder)
    tree = ceiba.load(folder / "t.ceiba").tree_
    assert [info.display for info in tree.schema.columns] == ["date", "boolean"]
    found = ok("predict", "t.ceiba", "t.csv", "--only", cwd=folder).splitlines()[1:]
    assert [float(one) for one in found] == [d + 0.5 for d in range(1, 21)]


def test_predict_bad_cell_is_named_by_line_and_column(folder: Path) -> None:
    ok("learn", "weather.csv", "-t", "RAIN", "--drop", "day", "-q", cwd=folder)
    (folder / "b.csv").write_text("clouds,wind\n1,west\nmany,east\n", "utf-8")
    done = run("predict", "weather.ceiba", "b.csv", "-o", "out.csv", cwd=folder)
    assert done.returncode == 3
    assert "line 3, column 'clouds': 'many' is not a number" in done.stderr
    assert not (folder / "out.csv").exists()
    assert "Traceback" not in done.stderr


def test_predict_interrupted_says_so_and_leaves_no_file(folder: Path) -> None:
    ok("learn", "weather.csv", "-t", "RAIN", "--drop", "day", "-q", cwd=folder)
    before = {path.name for path in folder.iterdir()}
    process = subprocess.Popen(
        [sys.executable, "-m", "ceiba", "predict", "weather.ceiba", "-", "-o", "out.csv"],
        cwd=folder, stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert process.stdin is not None
    process.stdin.write("clouds,wind\n" + "1,west\n" * 400_000)
    process.stdin.flush()
    until = time.monotonic() + 120
    while {path.name for path in folder.iterdir()} == before and time.monotonic() < until:
        time.sleep(0.05)
    assert {path.name for path in folder.iterdir()} != before  # the file has been begun
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 130
    assert said == "ceiba: interrupted; no file was changed\n"
    assert {path.name for path in folder.iterdir()} == before


#: Sends Ctrl-C in the middle of an import that prints and swallows whatever is raised in it, as
#: the import of an extension may.
_SWALLOWS = """
import os, signal, sys, time, traceback
class Finder:
    def find_spec(self, name, *_):
        if name == "sklearn":
            try:
                os.kill(os.getpid(), signal.SIGINT)
                time.sleep(0.05)
            except BaseException:
                traceback.print_exc()
sys.meta_path.insert(0, Finder())
from ceiba.cli.main import main
main()
"""


def test_interrupt_in_an_import_is_said_after_it(folder: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", _SWALLOWS, "learn", "weather.csv", "-t", "RAIN", "-q"], cwd=folder,
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (130, "ceiba: interrupted; no file was changed\n")
    assert [path.name for path in folder.iterdir()] == ["weather.csv"]


#: Sends Ctrl-C in a function, after the model was saved or the checkpoint file was opened.
_LATE = """
import os, signal, sys, time
from ceiba.cli.learn_job import LearnJob
from ceiba.cli.main import main
from ceiba.estimators import DecisionTreeClassifier
def interrupt(*_, checkpoint=None, **__):
    if checkpoint is not None:
        open(checkpoint, "w").close()
    os.kill(os.getpid(), signal.SIGINT)
    time.sleep(5)
if "--checkpoint" in sys.argv:
    DecisionTreeClassifier.fit = interrupt
LearnJob.report = interrupt
main()
"""


@pytest.mark.parametrize(
    ("flags", "name"),
    [
        (["--report", "r.html"], "weather.ceiba"),
        (["--report", "r.html", "--max-depth", "1"], "weather.ceiba"),  # replaces a file
        (["--memory", "1GB", "--checkpoint", "fit.log"], "fit.log"),
    ],
)
def test_interrupt_names_the_files_that_were_changed(
    folder: Path, flags: list[str], name: str
) -> None:
    if "--max-depth" in flags:
        ok("learn", "weather.csv", "-t", "RAIN", "-q", cwd=folder)
    done = subprocess.run(
        [sys.executable, "-c", _LATE, "learn", "weather.csv", "-t", "RAIN", "-q", *flags],
        cwd=folder, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (130, f"ceiba: interrupted; changed files: {name}\n")
    assert (folder / name).exists()
    assert not (folder / "r.html").exists()


SLOW_DELAYS = [pytest.param(delay, marks=pytest.mark.slow) for delay in (0.0, 0.05, 0.15, 0.5, 0.8)]


@pytest.mark.parametrize("delay", [0.3, *SLOW_DELAYS])
def test_interrupt_at_any_time_is_said_in_one_line(folder: Path, delay: float) -> None:
    """Most of a second goes into imports: interrupt there, too."""
    program = (
        "import signal; signal.signal(signal.SIGINT, signal.SIG_IGN)\n"  # until main listens
        "from ceiba.cli.main import main; print(1, flush=True); main()"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", program, "learn", "weather.csv", "-t", "RAIN", "-q"],
        cwd=folder, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    assert process.stdout is not None
    process.stdout.readline()
    time.sleep(delay)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=60)
    ending = (process.returncode, said)
    assert ending in {(130, "ceiba: interrupted; no file was changed\n"), (0, "")}


def test_predict_that_nobody_reads_to_the_end_is_no_mistake(folder: Path) -> None:
    ok("learn", "weather.csv", "-t", "RAIN", "--drop", "day", "-q", cwd=folder)
    (folder / "long.csv").write_text("clouds,wind\n" + "1,west\n" * 400_000, "utf-8")
    process = subprocess.Popen(
        [sys.executable, "-m", "ceiba", "predict", "weather.ceiba", "long.csv"],
        cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    assert process.stdout is not None
    assert process.stdout.readline() == b"clouds,wind,prediction\n"
    process.stdout.close()
    assert process.stderr is not None
    assert process.stderr.read() == b""
    process.stderr.close()
    assert process.wait(60) == 0
