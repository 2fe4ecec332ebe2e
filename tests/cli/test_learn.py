"""``ceiba learn``: what it reads, learns, says and warns of."""

from __future__ import annotations

import bz2
import gzip
import json
import lzma
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
    lines = ["id,day,temperature,amount,RAIN"]
    for i in range(n):
        day = np.datetime64("2024-01-01") + i
        amount = {"yes": 1.5, "no": 0, "perhaps": -1}[str(rain[i])]
        lines.append(f"{i + 1},{day},{temperature[i]},{amount},{rain[i]}")
    lines += [f"{n + k},2030-01-0{k % 9 + 1},1,1," for k in range(1, 40)]
    (folder / "r.csv").write_text("\n".join(lines), "utf-8")
    said = run("learn", "r.csv", "-t", "RAIN", cwd=folder).stderr
    assert "Column 'amount' alone decides 'RAIN'" in said
    assert "Column 'id' numbers the rows" in said
    assert "'day' has another date in each row" in said
    assert "Class 'perhaps' has only 3 rows" in said
    assert "39 of 239 rows have no 'RAIN'" in said
    assert "'temperature'" not in said


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
    assert "--time-limit is about --search optimal" in refused.stderr
