"""``ceiba learn``: what it reads, learns, says and warns of."""

from __future__ import annotations

import bz2
import gzip
import json
import lzma
import re
import sqlite3
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ceiba
from tests.cli.running import CSV, ok, run

pl = pytest.importorskip("polars")


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


def test_learn_survival_times(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    age, weeks = rng.integers(20, 90, 80), rng.integers(1, 30, 80)
    rows = [f"{a},{w // (1 + (a > 50)) + 1},{'dead' if k % 3 else 'alive'}"
            for k, (a, w) in enumerate(zip(age, weeks, strict=True))]  # fmt: skip
    (tmp_path / "trial.csv").write_text("age,weeks,status\n" + "\n".join(rows), "utf-8")
    times = ("--time", "weeks", "--event", "status=dead")
    ok("learn", "trial.csv", *times, "--max-depth", "2", "--test-size", "0.3", cwd=tmp_path)
    model = ceiba.load(tmp_path / "trial.ceiba")
    assert isinstance(model, ceiba.DecisionTreeSurvival)
    assert model.tree_.target.name == "Surv(weeks, status == dead)"
    assert "Harrell" in ok("evaluate", "trial.ceiba", "trial.csv", cwd=tmp_path)
    assert "Harrell" in ok("curve", "trial.csv", *times, "--repeats", "1", cwd=tmp_path)
    refused = run("export", "trial.ceiba", "sklearn", cwd=tmp_path)
    assert (refused.returncode, "Internal error" in refused.stderr) == (4, False)
    for wrong, message in [
        (("--time", "weeks"), "Pass either --target or, for survival times"),
        ((*times, "-t", "age"), "Pass either --target or, for survival times"),
        ((*times, "--task", "regression"), "--task must be survival"),
        (("-t", "age", "--task", "survival"), "--task survival requires --time and --event"),
        (("--time", "weeks", "--event", "status"), "got 'alive', 'dead'"),
    ]:
        assert message in run("learn", "trial.csv", *wrong, cwd=tmp_path).stderr


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
        "--set", "missing__agreement=both", cwd=folder,
    )  # fmt: skip
    model = ceiba.load(folder / "weather.ceiba")
    assert model.criterion == "entropy"
    assert model.min_samples_leaf == 0.1
    assert model.cost_matrix == {("yes", "no"): 5.0, ("no", "yes"): 1.0}
    assert model.class_prior == {"yes": 0.4, "no": 0.6}
    assert model.missing == ceiba.Surrogates(agreement="both")


def test_learn_categorical_features_reach_the_estimator(folder: Path) -> None:
    (folder / "k.csv").write_text("zip,y\n1,a\n2,b\n3,a\n1,a\n", "utf-8")
    ok("learn", "k.csv", "-t", "y", "--set", "categorical_features=['zip']", cwd=folder)
    tree = ceiba.load(folder / "k.ceiba").tree_
    assert str(tree.schema.columns[0].kind) == "categorical"


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
    done = run("learn", "l.csv", "-t", "y", "-m", "guessed.ceiba", cwd=folder)
    assert "is not UTF-8; it is read as Windows-1252 (Größe)" in done.stderr
    assert ceiba.load(folder / "guessed.ceiba").tree_.schema.names == ("Größe",)
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
    lines = ["id,amount,day,temperature,RAIN"]
    for i in range(n):
        day = np.datetime64("2024-01-01") + i
        amount = {"yes": 1.5, "no": 0, "perhaps": -1}[str(rain[i])]
        lines.append(f"{i + 1},{amount},{day},{temperature[i]},{rain[i]}")
    lines += [f"{n + k},1,2030-01-0{k % 9 + 1},1," for k in range(1, 40)]
    (folder / "r.csv").write_text("\n".join(lines), "utf-8")
    said = run("learn", "r.csv", "-t", "RAIN", cwd=folder).stderr
    assert "Column 'amount' alone decides 'RAIN'" in said
    assert "Dropped identifiers: 'id'. Pass --keep-identifiers to keep them." in said
    assert "contains row numbers" not in said
    assert "'day' has a different date in each row" in said
    assert "Class 'perhaps' has only 3 rows" in said
    assert "39 of 239 rows have no 'RAIN'" in said
    assert "'temperature'" not in said


def test_learn_leaves_identifiers_out_unless_they_are_asked_for(folder: Path) -> None:
    rng = np.random.default_rng(1)
    lines = ["id,code,area,y"]
    areas = rng.choice(np.unique(rng.lognormal(8, 1, 900).astype(int)), 80, replace=False)
    lines += [f"{i},{i:04d},{areas[i]},{'ab'[i > 40]}" for i in range(80)]
    (folder / "i.csv").write_text("\n".join(lines), "utf-8")

    def columns(*flags: str) -> tuple[str, ...]:
        ok("learn", "i.csv", "-t", "y", "-q", *flags, cwd=folder)
        return ceiba.load(folder / "i.ceiba").tree_.schema.names

    assert columns() == ("area",)
    assert columns("--keep-identifiers") == ("id", "code", "area")
    assert columns("--categorical", "code") == ("code", "area")
    assert columns("--drop", "area") == ("id", "code")  # nothing else is left to learn from
    assert "--keep-identifiers" in run("learn", "i.csv", "-t", "y", cwd=folder).stderr
    curve = ok("curve", "i.csv", "-t", "y", "--repeats", "2", "--json", cwd=folder)
    kept = ok("curve", "i.csv", "-t", "y", "--repeats", "2", "--json", "--keep-identifiers",
              cwd=folder)  # fmt: skip
    assert json.loads(curve) != json.loads(kept)


def test_learn_adds_missing_markers_to_the_default_ones(folder: Path) -> None:
    rows = [f"{-999 if i % 4 == 0 else i % 7},{'NA' if i % 3 else 'clerk'},{'ab'[i % 2]}"
            for i in range(60)]  # fmt: skip
    (folder / "m.csv").write_text("age,job,y\n" + "\n".join(rows), "utf-8")
    ok("learn", "m.csv", "-t", "y", "-q", "--missing-marker=-999", cwd=folder)
    age, job = ceiba.load(folder / "m.ceiba").tree_.schema.columns
    assert (age.minimum, age.n_missing) == (0, 15)
    assert (job.levels, job.n_missing) == (("clerk",), 40)
    frame = ceiba.read_file(folder / "m.csv", missing_marker=["-999"])
    assert frame["job"].null_count() == 40


@pytest.mark.parametrize("lang", ["en", "es"])
def test_learn_lists_the_criteria_of_the_task(folder: Path, lang: str) -> None:
    rows = "".join(f"{i},{i * 1.5},{'ab'[i % 2]}\n" for i in range(30))
    (folder / "r.csv").write_text("x,y,c\n" + rows, "utf-8")
    bad = ("--criterion", "mae", "--lang", lang)
    for target, own, other in (("y", "absolute_error", "gini"), ("c", "gini", "absolute_error")):
        done = run("learn", "r.csv", "-t", target, *bad, cwd=folder)
        assert done.returncode == 2
        assert own in done.stderr
        assert other not in done.stderr
    shown = " ".join(run("learn", "--help", "--lang", lang, cwd=folder).stdout.split())
    assert {"gini", "absolute_error", "f_test"} <= set(re.findall(r"\w+", shown))


def test_nan_in_large_parquet_is_missing(folder: Path) -> None:
    n = 250_000
    rng = np.random.default_rng(0)
    gaps = rng.random(n) < 0.05
    frame = pl.DataFrame({
        "amount": np.where(gaps, np.nan, rng.lognormal(3, 1, n)),
        "city": rng.choice(["Oslo", "Lima"], n),
        "pair": np.arange(n) // 2,
        "y": rng.integers(0, 2, n),
    })  # fmt: skip
    frame.write_parquet(folder / "large.parquet")
    made = json.loads(ok("describe", "large.parquet", "--json", cwd=folder))
    assert made["n_missing"] == int(gaps.sum())
    by_name = {one["name"]: one for one in made["columns"]}
    assert by_name["pair"]["kind"] == "number"  # different in a sample, but not in all rows
    assert by_name["city"]["n_counted"] < n
    text = ok("describe", "large.parquet", cwd=folder)
    assert "Oslo 50%" in text
    assert "of a sample of the rows" in text


def test_errors_of_json_are_json(folder: Path) -> None:
    for words, code, kind in (
        (("learn", "none.csv", "-t", "y"), 3, "DataError"),
        (("learn", "weather.csv", "-t", "RIAN"), 2, "OptionError"),
        (("summary", "none.ceiba"), 4, "ModelFileError"),
        (("summary", "--nothing"), 2, "NoSuchOption"),
    ):
        done = run(*words, "--json", cwd=folder)
        made = json.loads(done.stdout)["error"]
        assert (done.returncode, made["exit_code"], made["type"]) == (code, code, kind)
        assert made["message"].split()[0] in done.stderr


def test_learn_optimal_tree_says_what_is_proven(folder: Path) -> None:
    search = ("--search", "optimal", "--max-depth", "2", "--time-limit", "20")
    text = ok("learn", "weather.csv", "-t", "RAIN", "--drop", "day", *search, cwd=folder)
    assert "No tree of depth 2 has fewer than" in text
    model = ceiba.load(folder / "weather.ceiba")
    assert model.search.time_limit == 20
    assert model.certificate_.proven
    summary = ok("summary", "weather.ceiba", cwd=folder)
    assert "the best tree" in summary
    assert f"{model.certificate_.nodes:,} cuts in" in summary
    shown = ok("show", "weather.ceiba", cwd=folder)
    assert " ".join(shown.split()).endswith(str(model.certificate_))
    refused = run("learn", "weather.csv", "-t", "RAIN", "--time-limit", "3", cwd=folder)
    assert refused.returncode != 0
    assert "--time-limit requires --search optimal" in refused.stderr
