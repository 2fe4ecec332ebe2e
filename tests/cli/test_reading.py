"""Reading files in chunks: compression, encoding, record boundaries, error messages."""

from __future__ import annotations

import bz2
import csv
import gzip
import io
import lzma
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ceiba
from ceiba.errors import DataError, OptionError
from ceiba.table.files.csv_file import CsvFile
from ceiba.table.files.header import read_names
from ceiba.table.files.kinds import as_table
from ceiba.table.files.reading import ReadOptions, load_table, read_batches
from ceiba.table.files.streams import read_pieces
from tests.cli.running import CSV, ok, run

pl = pytest.importorskip("polars")

# Cells over several lines, quotes in quotes, separators in quotes, an empty line, no end of line.
HARD = 'name,x,y\n"a\nb",1,u\n"say ""hi"", twice",2,v\n\nplain,3,u\n"é\n\n",4,v'


def everything(path: Path, encoding: str, rows: int | None) -> list[bytes]:
    return [piece.raw for piece in read_pieces(str(path), encoding, rows=rows)]


@contextmanager
def feed(source: str, folder: Path) -> Iterator[None]:
    """Write w.csv into the pipe, or into the standard input of this process."""
    if source == "-":
        yield
        return
    command = ["cp", "w.csv", "pipe"] if source == "pipe" else ["cat", "w.csv"]
    stdin = os.dup(0)
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        os.dup2(process.stdout.fileno(), 0)
        try:
            yield
        finally:
            process.kill()  # if nobody has read it
            os.dup2(stdin, 0)
            os.close(stdin)


@pytest.mark.parametrize("source", ["pipe", "/dev/stdin", "-"])
def test_streams_are_read_once(
    tmp_path: Path, source: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "w.csv").write_text(CSV, "utf-8")
    again = [] if source == "-" else ["--test", source]
    learn = ["learn", source, "-t", "RAIN", "-q", *again, "-m", "s.ceiba"]
    judge = ["learn", "w.csv", "-t", "RAIN", "--test", source, "--report", "r.html"]
    predict = ["predict", "s.ceiba", source, "-o", "out.csv"]
    if source == "pipe":
        os.mkfifo(tmp_path / "pipe")
    for words in (learn, judge, predict):
        monkeypatch.setattr("ceiba.table.files.streams._COPIES", {})  # as in a new process
        with feed(source, tmp_path):
            out = ok(*words, cwd=tmp_path, stdin=CSV.encode())
        if words is judge:
            assert f"On {'standard input' if source == '-' else source}:" in out
    assert len((tmp_path / "out.csv").read_text("utf-8").splitlines()) == CSV.count("\n")


@pytest.mark.parametrize("encoding", ["utf-8", "cp1252"])
def test_null_characters_are_refused_by_line_and_column(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "n.csv"
    path.write_bytes("x,y\n1,é\n2,b\0\n3,a\n".encode(encoding))
    with pytest.raises(DataError, match="line 3, column 4: NUL character"):
        load_table(str(path), ReadOptions(encoding=encoding))


@pytest.mark.parametrize("rows", [1, 2, 3, 100, None])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "latin-1", "utf-16", "cp1252"])
def test_pieces_are_the_file_in_utf_8_cut_at_records(
    tmp_path: Path, encoding: str, rows: int | None
) -> None:
    path = tmp_path / "hard.csv"
    path.write_bytes(HARD.encode(encoding))
    found = everything(path, encoding, rows)
    assert b"".join(found) == HARD.encode("utf-8")
    assert all(piece.count(b'"') % 2 == 0 for piece in found)
    assert all(piece.endswith(b"\n") for piece in found[:-1])


@pytest.mark.parametrize("rows", [1, 2, 100])
def test_rows_of_pieces_are_the_rows_of_the_whole(tmp_path: Path, rows: int) -> None:
    path = tmp_path / "hard.csv"
    path.write_text(HARD, "utf-8")
    whole = pl.read_csv(path, infer_schema=False)
    found = pl.concat([batch.cells() for batch in read_batches(str(path), ReadOptions(), rows)])
    assert found.equals(whole)


def test_pieces_begin_at_their_lines(tmp_path: Path) -> None:
    path = tmp_path / "hard.csv"
    path.write_text(HARD, "utf-8")
    for rows in (1, 2, 100):
        for piece in CsvFile(str(path), ReadOptions(), rows):
            for k, text in enumerate(piece.parse()["x"].to_list()):
                line = {"1": 2, "2": 4, None: 5, "3": 6, "4": 7}[text]
                assert piece.find_line(k) == line


@pytest.mark.parametrize(
    ("ending", "pack"),
    [
        (".gz", gzip.compress),
        (".bz2", bz2.compress),
        (".xz", lambda raw: lzma.compress(raw, preset=0)),
    ],
)
def test_packed_file_is_not_unpacked_at_once(tmp_path: Path, ending: str, pack: Any) -> None:
    rng = np.random.default_rng(0)
    rows = "".join(f"{one}\n" for one in rng.integers(0, 10**9, 500_000))
    path = tmp_path / f"l.csv{ending}"
    path.write_bytes(pack(("x\n" + rows).encode()))
    reader = read_pieces(str(path), "utf-8", rows=1000)
    first = next(reader)
    assert len(first.raw) < 50_000
    assert first.done < path.stat().st_size / 2
    reader.close()


@pytest.mark.parametrize("ending", [".gz", ".bz2", ".xz"])
def test_file_that_is_packed_otherwise_is_an_error(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"no.csv{ending}"
    path.write_bytes(b"x,y\n1,2\n" * 100)
    with pytest.raises(DataError, match="cannot be decompressed"):
        everything(path, "utf-8", None)


def test_zst_is_read(tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow")
    packed = pa.compress(HARD.encode(), codec="zstd", asbytes=True)
    (tmp_path / "hard.csv.zst").write_bytes(packed)
    (tmp_path / "hard.csv").write_text(HARD, "utf-8")
    frames = [
        load_table(str(tmp_path / name), ReadOptions()).frame
        for name in ("hard.csv.zst", "hard.csv")
    ]
    assert frames[0].equals(frames[1])


@pytest.mark.parametrize("size", [10, 2**20 - 1, 3 * 2**20])
def test_bad_byte_is_named_by_line_and_column(tmp_path: Path, size: int) -> None:
    path = tmp_path / "bad.csv"
    good = b"x,y\n" + b"1,2\n" * (size // 4)
    path.write_bytes(good + b"12\xff4,a\n")
    with pytest.raises(DataError, match=f"line {good.count(10) + 1}, column 3: byte 0xff"):
        everything(path, "utf-8", None)


def test_character_over_two_blocks_is_one(tmp_path: Path) -> None:
    path = tmp_path / "e.csv"
    text = "é" * 2**20  # two bytes each; a block ends after an odd number of bytes
    path.write_text("x" + text, "utf-8")
    assert b"".join(everything(path, "utf-8", None)).decode() == "x" + text


# ---------------------------------------------------------------------- types


@pytest.mark.parametrize(
    ("cells", "kind"),
    [
        (["1", "2", ""], "Int8"),
        (["1", "300", "70000"], "Int32"),
        (["1", "2.5"], "Float64"),
        ([" 1", "2 "], "Int8"),
        (["007", "x"], "Categorical"),
        (["true", "FALSE", ""], "Boolean"),
        (["2024-05-01", ""], "Date"),
        (["2024-05-01 10:00:00", "2024-05-02"], "Datetime"),
        (["10:00", "11:30"], "Categorical"),
        (["", "NA"], "Categorical"),
    ],
)
@pytest.mark.parametrize("late", [False, True])
def test_type_of_a_column_follows_from_all_rows(
    tmp_path: Path, cells: list[str], kind: str, late: bool
) -> None:
    # Late: after ten thousand rows of the first cell alone come all of them.
    rows = [cells[0]] * (10_001 if late else 0) + cells
    path = tmp_path / "t.csv"
    path.write_text("z,x\n" + "".join(f"0,{one}\n" for one in rows), "utf-8")
    frame = load_table(str(path), ReadOptions()).frame
    assert str(frame["x"].dtype).startswith(kind)
    assert len(frame) == len(rows)


def test_whole_numbers_in_float32_grow_the_same_tree() -> None:
    rng = np.random.default_rng(3)
    x = rng.integers(-(2**24), 2**24, 3000)
    y = (x + rng.normal(0, 2**22, 3000) > 0).tolist()
    table = as_table([pl.Series("x", x)])
    assert table.columns[0].values.dtype == np.float32
    model = ceiba.DecisionTreeClassifier().fit(table, y)
    assert model.tree_ == ceiba.DecisionTreeClassifier().fit({"x": x}, y).tree_
    beyond = as_table([pl.Series("x", [2**24 + 1, 2**24])])
    assert beyond.columns[0].values.tolist() == [2**24 + 1, 2**24]


def test_standard_input_is_read_twice_where_types_need_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    text = "x\n" + "1\n" * 10_001 + "late\n"
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
    assert load_table("-", ReadOptions()).frame["x"].to_list()[-1] == "late"


# ---------------------------------------------------------------------- answers beside any file


@pytest.fixture
def model(folder: Path) -> Path:
    ok("learn", "weather.csv", "-t", "RAIN", "--drop", "day", "-q", cwd=folder)
    return folder


@pytest.mark.parametrize("chunk", [1, 3, 1000])
@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("plain.csv", lambda text: text),
        ("crlf.csv", lambda text: text.replace("\n", "\r\n")),
        ("quoted.csv", lambda text: text.replace("west", '"west"')),
        ("over lines.csv", lambda text: text.replace("2024-05-02", '"2024\n05"')),
        ("semicolon.csv", lambda text: text.replace(",", ";")),
        ("blanks.csv", lambda text: text.replace("8,", " 8 ,")),
        ("short record.csv", lambda text: text + "5,west\n"),
        ("no last line end.csv", lambda text: text.rstrip()),
    ],
)
def test_rows_keep_their_cells_and_get_their_answers(
    model: Path, name: str, change: Any, chunk: int
) -> None:
    (model / name).write_text(change(CSV), "utf-8", newline="")
    ok("predict", "weather.ceiba", name, "-o", "out.csv", "--chunk", chunk, "-p", cwd=model)
    separator = ";" if name == "semicolon.csv" else ","
    options = {"separator": separator, "infer_schema": False}
    before = pl.read_csv(model / name, **options)
    after = pl.read_csv(model / "out.csv", **options)
    assert after.select(before.columns).equals(before)
    tree = ceiba.load(model / "weather.ceiba").tree_
    rows = {
        "clouds": before["clouds"].str.strip_chars().cast(pl.Float64, strict=False),
        "wind": before["wind"].replace("?", None),
    }
    assert after["prediction"].to_list() == tree.predict(rows).tolist()
    shares: Any = tree.predict_proba(rows)
    assert after["probability_no"].cast(pl.Float64).to_list() == shares[:, 0].tolist()


def test_classes_that_need_quotes_get_them(tmp_path: Path) -> None:
    (tmp_path / "q.csv").write_text('x,y\n1,"a,b"\n2,"say ""c"""\n', "utf-8")
    ok("learn", "q.csv", "-t", "y", "-q", cwd=tmp_path)
    (tmp_path / "new.csv").write_text("x\n1\n2\n", "utf-8")
    text = ok("predict", "q.ceiba", "new.csv", cwd=tmp_path)
    assert text == 'x,prediction\n1,"a,b"\n2,"say ""c"""\n'


def test_decimal_commas_are_read_and_written(tmp_path: Path) -> None:
    (tmp_path / "d.csv").write_text("x;y\n1,5;2,5\n2,5;3,75\n", "utf-8")
    ok("learn", "d.csv", "-t", "y", "--decimal-comma", "-q", cwd=tmp_path)
    text = ok("predict", "d.ceiba", "d.csv", "--decimal-comma", cwd=tmp_path)
    assert text == "x;y;prediction\n1,5;2,5;2,5\n2,5;3,75;3,75\n"


def test_parquet_is_written_piece_by_piece(model: Path) -> None:
    rows = pl.DataFrame({"clouds": [8.0, None, 1.0] * 400, "wind": ["west", "east", None] * 400})
    rows.write_parquet(model / "in.parquet")
    ok("predict", "weather.ceiba", "in.parquet", "-o", "out.parquet", "--chunk", 100, cwd=model)
    found = pl.read_parquet(model / "out.parquet")
    assert found.select(rows.columns).equals(rows)
    tree = ceiba.load(model / "weather.ceiba").tree_
    assert found["prediction"].to_list() == tree.predict(rows).tolist()


def test_parquet_that_fails_half_way_leaves_no_file(model: Path) -> None:
    (model / "late.csv").write_text("clouds,wind\n" + "1,west\n" * 500 + "many,west\n", "utf-8")
    before = {path.name for path in model.iterdir()}
    done = run("predict", "weather.ceiba", "late.csv", "-o", "o.parquet", "--chunk", 50, cwd=model)
    assert done.returncode == 3
    assert "line 502, column 'clouds': 'many' is not a number" in done.stderr
    assert {path.name for path in model.iterdir()} == before


@pytest.mark.parametrize("rows", [None, 1, 3, 100])
def test_skipped_lines_may_extend_over_several_pieces(tmp_path: Path, rows: int | None) -> None:
    path = tmp_path / "title.csv"
    path.write_text("title\n" * 50 + "\nx,y\n" + "1,a\n" * 20, "utf-8")
    for skip, names, n, line in (
        (50, ("x", "y"), 20, 53),
        (51, ("x", "y"), 20, 53),
        (52, ("column_1", "column_2"), 20, 53),
        (60, ("column_1", "column_2"), 12, 61),
    ):
        pieces = list(file := CsvFile(str(path), ReadOptions(skip_rows=skip), rows))
        assert (file.format.names, pieces[0].line) == (names, line)
        assert pl.concat([p.parse() for p in pieces]).rows() == [("1", "a")] * n
    with pytest.raises(DataError, match="empty after the skipped lines"):
        CsvFile(str(path), ReadOptions(skip_rows=72), rows)
    with pytest.raises(OptionError, match="less than the number of lines"):
        CsvFile(str(path), ReadOptions(skip_rows=73), rows)


def test_first_cell_that_is_too_long_is_named(tmp_path: Path) -> None:
    """An unclosed quote in the first line makes such a cell of the whole file."""
    path = tmp_path / "long.csv"
    for first in ('"x,y', "a" * 131_073 + ",y"):
        path.write_text(first + "\n" + "1.5,a\n" * 30_000, "utf-8")
        with pytest.raises(DataError, match=r"long\.csv.*first record.* 131,072 characters.*quote"):
            CsvFile(str(path), ReadOptions())
    path.write_text("a" * 131_073, "utf-8")
    with pytest.raises(DataError, match=r"long\.csv: .*131,072 characters"):
        read_names(str(path))
    path.write_text("a" * 131_072 + ",y\n1,a\n2,b\n", "utf-8")
    assert CsvFile(str(path), ReadOptions()).format.names[1] == "y"
    path.write_text("x,y\n" + "a" * 200_000 + ",b\n", "utf-8")  # cells below the first record
    assert len(load_table(str(path), ReadOptions()).frame["x"][0]) == 200_000


def test_errors_name_lines_below_long_cells(tmp_path: Path) -> None:
    path, cell = tmp_path / "long.csv", '"' + "a\n" * 70_000 + '"'
    for rows, message in (
        (f"1,{cell}\n2,b,c\n", "line 70003: expected 2 fields, got 3"),
        ('1,a\n2,"b\n' + "3,c\n" * 40_000, "line 3: unclosed quote"),
    ):
        path.write_text(f"x,y\n{rows}", "utf-8")
        with pytest.raises(DataError, match=message):
            load_table(str(path), ReadOptions())
    path.write_text(f"x,y\n1,{cell}\n2,b\n", "utf-8")
    assert next(iter(CsvFile(str(path), ReadOptions()))).find_line(1) == 70_003
    assert csv.field_size_limit() == 131_072


def test_quotes_in_names_of_columns_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "quotes.csv"
    path.write_text('"a""b","c, d",y\n1,2,p\n3,4,q\n')
    frame = load_table(str(path), ReadOptions()).frame
    assert frame.columns == ['a"b', "c, d", "y"]
    assert frame['a"b'].to_list() == [1, 3]
