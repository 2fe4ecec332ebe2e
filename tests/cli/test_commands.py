"""The commands end to end, in processes of their own: what they print, write and exit with."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import os
import signal
import sqlite3
import subprocess
import sys
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ceiba

pytest.importorskip("typer")
pl = pytest.importorskip("polars")

CSV = (
    "clouds,wind,day,RAIN\n8,west,2024-05-01,yes\n7,west,2024-05-02,yes\n6,east,2024-05-03,no\n"
    "1,east,2024-05-04,no\n0,west,2024-05-05,no\nNA,?,2024-05-06,no\n"
)


def run(*arguments: Any, cwd: Path, stdin: bytes | None = None) -> subprocess.CompletedProcess[str]:
    """Run the command line in this process (a process each would take minutes in all)."""
    from ceiba.cli.main import main

    words = [str(one) for one in arguments]
    streams = [io.TextIOWrapper(io.BytesIO(stdin or b""), "utf-8")]
    streams += [io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True) for _ in range(2)]
    code: Any = 0
    with pytest.MonkeyPatch.context() as patch, warnings.catch_warnings():
        patch.setattr(sys, "argv", ["ceiba", *words])
        for name, stream in zip(("stdin", "stdout", "stderr"), streams, strict=True):
            patch.setattr(sys, name, stream)
        patch.setenv("COLUMNS", "100")
        patch.setenv("CEIBA_DEBUG", "")
        patch.chdir(cwd)
        try:
            main()
        except SystemExit as end:
            code = end.code or 0
    out, error = (stream.buffer.getvalue().decode() for stream in streams[1:])  # type: ignore[attr-defined]
    return subprocess.CompletedProcess(words, code, out, error)


def in_process_of_its_own(*arguments: Any, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "ceiba", *map(str, arguments)], cwd=cwd, capture_output=True,
        text=True, check=False, encoding="utf-8", env={**os.environ, "PYTHONUTF8": "1"},
    )  # fmt: skip


def ok(*arguments: Any, cwd: Path, stdin: bytes | None = None) -> str:
    done = run(*arguments, cwd=cwd, stdin=stdin)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "weather.csv").write_text(CSV, "utf-8")
    return tmp_path


@pytest.fixture(scope="module")
def learned(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with iris.csv and the model learned from it."""
    where = tmp_path_factory.mktemp("iris")
    ok("datasets", "iris", "-o", "iris.csv", cwd=where)
    ok("learn", "iris.csv", "-t", "species", "--max-depth", 2, "-q", cwd=where)
    return where


# ---------------------------------------------------------------------- learn


def test_learn_prints_the_tree_and_saves_the_model(folder: Path) -> None:
    text = ok("learn", "weather.csv", "--target", "RAIN", "--drop", "day", cwd=folder)
    assert "clouds <= " in text or "wind = " in text
    assert "saved in weather.ceiba" in text
    model = ceiba.load(folder / "weather.ceiba")
    assert isinstance(model, ceiba.DecisionTreeClassifier)
    assert model.tree_.target.name == "RAIN"
    assert model.tree_.schema.names == ("clouds", "wind")


def test_learn_same_tree_as_in_python(learned: Path) -> None:
    frame = pl.read_csv(learned / "iris.csv")
    same = ceiba.DecisionTreeClassifier(max_depth=2).fit(frame, "species")
    model = ceiba.load(learned / "iris.ceiba")
    assert model.tree_ == same.tree_


def test_learn_json_is_for_machines(folder: Path) -> None:
    said = json.loads(ok("learn", "weather.csv", "-t", "RAIN", "--json", cwd=folder))
    assert said["model"] == "weather.ceiba"
    assert said["task"] == "classification"


def test_learn_quiet_says_nothing(folder: Path) -> None:
    done = run("learn", "weather.csv", "-t", "RAIN", "-q", cwd=folder)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_learn_kinds_are_as_wanted(folder: Path) -> None:
    (folder / "k.csv").write_text("zip,size,y\n1,S,0.5\n2,M,1.5\n3,L,2.5\n1,S,0.25\n", "utf-8")
    ok("learn", "k.csv", "-t", "y", "--categorical", "zip", "--ordered", "size=S<M<L", cwd=folder)
    tree = ceiba.load(folder / "k.ceiba").tree_
    assert [str(info.kind) for info in tree.schema.columns] == ["categorical", "ordered"]
    assert tree.schema.columns[1].levels == ("S", "M", "L")
    assert tree.task == "regression"


def test_learn_options_reach_the_estimator(folder: Path) -> None:
    (folder / "costs.csv").write_text("truth,predicted,cost\nyes,no,5\nno,yes,1\n", "utf-8")
    ok(
        "learn", "weather.csv", "-t", "RAIN", "--criterion", "entropy", "--missing", "surrogate",
        "--min-samples-leaf", "0.1", "--costs", "costs.csv", "--prior", "yes=0.4,no=0.6",
        "--set", "surrogate_style=1", cwd=folder,
    )  # fmt: skip
    model = ceiba.load(folder / "weather.ceiba")
    assert model.criterion == "entropy"
    assert model.min_samples_leaf == 0.1
    assert model.cost_matrix == {("yes", "no"): 5.0, ("no", "yes"): 1.0}
    assert model.class_prior == {"yes": 0.4, "no": 0.6}
    assert model.surrogate_style == 1


def test_learn_weights_are_taken_from_their_column(folder: Path) -> None:
    (folder / "w.csv").write_text("x,n,y\n1,2,a\n2,3,b\n", "utf-8")
    ok("learn", "w.csv", "-t", "y", "--weight", "n", cwd=folder)
    tree = ceiba.load(folder / "w.ceiba").tree_
    assert tree.weight.tolist() == [5.0, 2.0, 3.0]
    assert tree.schema.names == ("x",)


def test_learn_recipe_rpart(learned: Path) -> None:
    ok("learn", "iris.csv", "-t", "species", "--recipe", "rpart", "-m", "r.ceiba", cwd=learned)
    assert type(ceiba.load(learned / "r.ceiba")).__name__ == "RpartClassifier"


@pytest.mark.parametrize(
    ("name", "pack"),
    [
        ("w.csv.gz", lambda raw: gzip.compress(raw)),
        ("w.csv.bz2", lambda raw: bz2.compress(raw)),
        ("w.csv.xz", lambda raw: lzma.compress(raw)),
        ("w.tsv", lambda raw: raw.replace(b",", b"\t")),
        ("w.csv", lambda raw: raw.replace(b",", b";")),
        ("w.txt", lambda raw: raw.replace(b",", b"|")),
        ("bom.csv", lambda raw: b"\xef\xbb\xbf" + raw),
    ],
)
def test_learn_reads_any_separator_and_compression(folder: Path, name: str, pack: Any) -> None:
    (folder / name).write_bytes(pack(CSV.encode()))
    ok("learn", name, "-t", "RAIN", "-m", "m.ceiba", "-q", cwd=folder)
    ok("learn", "weather.csv", "-t", "RAIN", "-m", "plain.ceiba", "-q", cwd=folder)
    assert ceiba.load(folder / "m.ceiba").tree_ == ceiba.load(folder / "plain.ceiba").tree_


def test_learn_reads_parquet_arrow_and_databases(folder: Path) -> None:
    frame = pl.read_csv(folder / "weather.csv", null_values=["NA", "?"], try_parse_dates=True).drop(
        "day"
    )
    frame.write_parquet(folder / "w.parquet")
    frame.write_ipc(folder / "w.arrow")
    frame.write_ndjson(folder / "w.ndjson")
    base = sqlite3.connect(folder / "w.db")
    base.execute('CREATE TABLE "my table" (clouds, wind, RAIN)')
    base.executemany('INSERT INTO "my table" VALUES (?, ?, ?)', frame.rows())
    base.commit()
    base.close()
    trees = []
    for source in ("w.parquet", "w.arrow", "w.ndjson", "w.db::my table"):
        ok("learn", source, "-t", "RAIN", "-m", "m.ceiba", "-q", cwd=folder)
        trees.append(ceiba.load(folder / "m.ceiba").tree_)
    assert all(tree == trees[0] for tree in trees)


def test_learn_reads_latin_1_and_says_so_when_not_told(folder: Path) -> None:
    (folder / "l.csv").write_bytes("Größe,y\n1,a\n2,b\n".encode("latin-1"))
    done = run("learn", "l.csv", "-t", "y", cwd=folder)
    assert done.returncode == 3
    assert "line 1, column 3: byte 0xf6" in done.stderr
    assert "--encoding latin-1" in done.stderr
    ok("learn", "l.csv", "-t", "y", "--encoding", "latin-1", cwd=folder)
    assert ceiba.load(folder / "l.ceiba").tree_.schema.names == ("Größe",)


def test_learn_decimal_comma(folder: Path) -> None:
    (folder / "d.csv").write_text("x;y\n1,5;a\n2,5;b\n", "utf-8")
    ok("learn", "d.csv", "-t", "y", "--decimal-comma", cwd=folder)
    assert ceiba.load(folder / "d.ceiba").tree_.splits.cut[0] == 2.0


def test_learn_types_follow_from_all_rows(folder: Path) -> None:
    rows = "".join(f"{i},,{i},2024-05-01,{'ab'[i % 2]}\n" for i in range(10_500))
    late = "10500.5,7.5,x,2024-06-01,a\n"
    (folder / "late.csv").write_text("a,b,c,d,y\n" + rows + late, "utf-8")
    ok("learn", "late.csv", "-t", "y", "--max-depth", 1, "-q", cwd=folder)
    columns = ceiba.load(folder / "late.ceiba").tree_.schema.columns
    assert [str(one.kind) for one in columns] == ["numeric", "numeric", "categorical", "numeric"]
    assert columns[3].display == "date"


# ---------------------------------------------------------------------- warnings


def test_learn_warns_of_a_leak_an_identifier_and_a_rare_class(folder: Path) -> None:
    rng = np.random.default_rng(0)
    n = 200
    temperature = rng.normal(size=n).round(2)
    rain = np.where(rng.random(n) < 0.4, "yes", "no").astype(object)
    rain[:3] = "perhaps"
    lines = ["id,day,temperature,amount,RAIN"]
    for i in range(n):
        day = np.datetime64("2024-01-01") + i
        amount = {"yes": 1.5, "no": 0, "perhaps": -1}[str(rain[i])]
        lines.append(f"{i + 1},{day},{temperature[i]},{amount},{rain[i]}")
    lines += [f"{n + k},2030-01-0{k % 9 + 1},1,1," for k in range(1, 40)]
    (folder / "r.csv").write_text("\n".join(lines), "utf-8")
    said = run("learn", "r.csv", "-t", "RAIN", cwd=folder).stderr
    assert "Column 'amount' alone decides 'RAIN'" in said
    assert "Column 'id' counts the rows" in said
    assert "'day' has another date in each row" in said
    assert "Class 'perhaps' has only 3 rows" in said
    assert "39 of 239 rows have no 'RAIN'" in said
    assert "temperature" not in said


# ---------------------------------------------------------------------- predict


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


def test_predict_interrupted_leaves_no_file(folder: Path) -> None:
    ok("learn", "weather.csv", "-t", "RAIN", "--drop", "day", "-q", cwd=folder)
    before = {path.name for path in folder.iterdir()}
    process = subprocess.Popen(
        [sys.executable, "-m", "ceiba", "predict", "weather.ceiba", "-", "-o", "out.csv"],
        cwd=folder, stdin=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    time.sleep(1.5)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=20)
    # Before the command has begun, the interpreter itself ends by the signal.
    assert process.returncode in (130, -signal.SIGINT), said
    assert {path.name for path in folder.iterdir()} == before


# ---------------------------------------------------------------------- the other commands


def test_evaluate_prints_confusion_and_baseline(learned: Path) -> None:
    text = ok("evaluate", "iris.ceiba", "iris.csv", cwd=learned)
    assert "accuracy 0.96" in text
    assert "always 'setosa'" in text
    said = json.loads(ok("evaluate", "iris.ceiba", "iris.csv", "--json", cwd=learned))
    assert said["confusion"] == [[50, 0, 0], [0, 49, 1], [0, 5, 45]]


def test_show_prints_the_tree(learned: Path) -> None:
    text = ok("show", "iris.ceiba", "--ascii", cwd=learned)
    assert text.splitlines()[1] == "|- petal length <= 2.45  n=50 (33.3%)  -> setosa p=1"


def test_summary_says_the_size(learned: Path) -> None:
    said = json.loads(ok("summary", "iris.ceiba", "--json", cwd=learned))
    assert said["leaves"] == 3
    assert said["metadata"]["data"] == "iris.csv"
    assert "learned from iris.csv" in ok("summary", "iris.ceiba", cwd=learned)


def test_explain_says_the_way(learned: Path) -> None:
    text = ok("explain", "iris.ceiba", "iris.csv", "--row", 51, cwd=learned)
    assert "petal length > 2.45  (petal length is 4.7)" in text
    other = ok("explain", "iris.ceiba", "-v", "petal length=1", cwd=learned)
    assert other.splitlines()[-1].startswith("=> setosa")


def test_rules_lists_one_per_leaf(learned: Path) -> None:
    assert len(json.loads(ok("rules", "iris.ceiba", "--json", cwd=learned))) == 3
    assert "petal length <= 2.45" in ok("rules", "iris.ceiba", "--sort", "lift", cwd=learned)


def test_prune_lists_and_writes(learned: Path) -> None:
    assert "alpha  n_leaves" in ok("prune", "iris.ceiba", cwd=learned)
    text = ok("prune", "iris.ceiba", "--leaves", 2, "-o", "small.ceiba", cwd=learned)
    assert "3 leaves -> 2 leaves" in text
    assert ceiba.load(learned / "small.ceiba").get_n_leaves() == 2


def test_plot_writes_a_picture(learned: Path) -> None:
    pytest.importorskip("matplotlib")
    ok("plot", "iris.ceiba", "-o", "t.svg", cwd=learned)
    assert "<svg" in (learned / "t.svg").read_text("utf-8")


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("m.sql", "SELECT"),
        ("m.py", "def predict(row)"),
        ("m.c", "long tree_apply"),
        ("m.js", "function predict"),
        ("m.json", '"nodes"'),
        ("m.pmml", "<TreeModel"),
        ("m.rules", "if petal length"),
    ],
)
def test_export_format_by_ending(learned: Path, name: str, said: str) -> None:
    ok("export", "iris.ceiba", "-o", name, cwd=learned)
    assert said in (learned / name).read_text("utf-8")


def test_export_sql_dialect_to_standard_output(learned: Path) -> None:
    text = ok("export", "iris.ceiba", "sql", "--dialect", "postgresql", "--table", "f", cwd=learned)
    assert "::float8" in text
    assert 'FROM "f" AS t' in text


def test_compare_says_where_models_disagree(learned: Path) -> None:
    ok("learn", "iris.csv", "-t", "species", "--max-depth", 1, "-m", "one.ceiba", "-q", cwd=learned)
    said = json.loads(ok("compare", "one.ceiba", "iris.ceiba", "iris.csv", "--json", cwd=learned))
    assert said["disagreement"]["rows"] == 46
    assert said["disagreement"]["second_right"] == 45
    assert said["splits"]["first"] == {"petal length": 1}


def test_datasets_lists_and_writes(tmp_path: Path) -> None:
    assert "restaurant" in ok("datasets", cwd=tmp_path)
    text = ok("datasets", "play_tennis", cwd=tmp_path)
    assert text.splitlines()[0] == "Outlook,Temperature,Humidity,Wind,PlayTennis"
    assert len(text.splitlines()) == 15


def test_curve_gives_a_table(learned: Path) -> None:
    said = json.loads(
        ok("curve", "iris.csv", "-t", "species", "--repeats", 2, "--json", cwd=learned)
    )
    assert set(said) == {"size", "mean", "low", "high"}


# ---------------------------------------------------------------------- mistakes


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["learn", "weather.csv"], 2, "--target"),
        (["learn", "weather.csv", "-t", "RIAN"], 2, "Did you mean 'RAIN'"),
        (["learn", "weather.csv", "-t", "RAIN", "--drop", "cloud"], 2, "Did you mean 'clouds'"),
        (["learn", "weather.csv", "-t", "RAIN", "--criterion", "x"], 2, "criterion"),
        (["learn", "weather.csv", "-t", "RAIN", "--set", "depth=2"], 2, "no option 'depth'"),
        (["learn", "weather.csv", "-t", "RAIN", "--recipe", "rprt"], 2, "Did you mean 'rpart'"),
        (["learn", "weather.csv", "-t", "RAIN", "--test-size", "2"], 2, "between 0 and 1"),
        (["learn", "weather.csv", "-t", "RAIN", "--numeric", "wind"], 3, "line 2, column 'wind'"),
        (["learn", "none.csv", "-t", "x"], 3, "is not there"),
        (["learn", "empty.csv", "-t", "x"], 3, "empty"),
        (["show", "weather.csv"], 4, "not a model file"),
        (["show", "none.ceiba"], 4, "Cannot read"),
        (["nonsense"], 2, "nonsense"),
        (["datasets", "irsi"], 2, "Did you mean 'iris'"),
    ],
)
def test_mistake_has_its_exit_code_and_no_traceback(
    folder: Path, arguments: list[str], code: int, said: str
) -> None:
    (folder / "empty.csv").write_text("", "utf-8")
    done = run(*arguments, cwd=folder)
    assert done.returncode == code, done.stderr
    assert said in done.stderr
    assert "Traceback" not in done.stderr


def test_debug_shows_the_traceback(folder: Path) -> None:
    done = in_process_of_its_own("--debug", "show", "weather.csv", cwd=folder)
    assert "Traceback" in done.stderr


def test_help_of_every_command_has_an_example(tmp_path: Path) -> None:
    from ceiba.cli.main import COMMANDS

    for name in COMMANDS:
        text = ok(name, "--help", cwd=tmp_path)
        assert f"ceiba {name}" in " ".join(text.split()), name


def test_help_starts_in_under_400_ms_of_cpu(tmp_path: Path) -> None:
    import resource

    times = []
    for _ in range(3):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        in_process_of_its_own("--help", cwd=tmp_path)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        times.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    assert min(times) < 0.4


@pytest.mark.skipif(sys.platform == "win32", reason="needs Linux")
def test_show_in_a_terminal_draws_lines(learned: Path) -> None:
    import pty

    leader, follower = pty.openpty()
    done = subprocess.run(
        [sys.executable, "-m", "ceiba", "show", "iris.ceiba"], cwd=learned, stdout=follower,
        stderr=follower, stdin=follower, check=False, env={**os.environ, "PYTHONUTF8": "1"},
    )  # fmt: skip
    os.close(follower)
    text = os.read(leader, 65536).decode()
    os.close(leader)
    assert done.returncode == 0
    assert "├─ petal length <= 2.45" in text


# ---------------------------------------------------------------------- the story of Seattle


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
