"""Numbers and dates however they are written: read back as what they were."""

from __future__ import annotations

import datetime
from pathlib import Path

import numpy as np
import pytest

from ceiba.errors import OptionError
from ceiba.table.files import cell_styles
from ceiba.table.files.cell_styles import INTEGER, TEXT, Style, choose_styles, matching_styles
from ceiba.table.files.csv_file import CsvPiece
from ceiba.table.files.header import detect_separator, is_header, make_unique, name_columns
from ceiba.table.files.reading import MARKERS, ReadOptions, load_table

pl = pytest.importorskip("polars")
RNG = np.random.default_rng(11)


def written(value: float, decimal: str, thousands: str, prefix: str, suffix: str) -> str:
    sign, size = ("-" if value < 0 else ""), f"{abs(value):,.2f}"
    body = size.replace(",", "\0").replace(".", decimal).replace("\0", thousands)
    return f"{sign}{prefix}{body}{suffix}"


@pytest.mark.parametrize(
    ("prefix", "suffix"), [("", ""), ("R$ ", ""), ("$", ""), ("", " €"), ("", "%")]
)
@pytest.mark.parametrize(
    ("decimal", "thousands"),
    [(".", ""), (",", ""), (".", ","), (",", "."), (",", " "), (",", "\u00a0"), (".", "'")],
)
def test_numbers_of_every_style_are_read_back(
    decimal: str, thousands: str, prefix: str, suffix: str
) -> None:
    values = np.round(RNG.normal(0, 30_000, 60), 2)
    cells = [written(value, decimal, thousands, prefix, suffix) for value in values]
    made = choose_styles({"x": matching_styles(cells)}, separator=";")
    assert made.styles["x"].read(pl.Series(cells)).to_list() == pytest.approx(values.tolist())
    assert made.ambiguities == []
    assert Style.from_dict(made.styles["x"].to_dict()) == made.styles["x"]


@pytest.mark.parametrize(
    "form",
    ["%Y-%m-%d", "%Y/%m/%d", "%d/%m/%Y", "%m/%d/%Y", "%d.%m.%Y", "%d-%m-%Y", "%d/%m/%y",
     "%d/%m/%Y %H:%M", "%d.%m.%Y %H:%M:%S", "%Y-%m-%d %H:%M:%S"],
)  # fmt: skip
def test_dates_of_every_style_are_read_back(form: str) -> None:
    times = [
        datetime.datetime(2023, 1, 13, 7, 5) + datetime.timedelta(days=9 * k) for k in range(50)
    ]
    cells = [f"{time:{form}}" for time in times]
    style = choose_styles({"x": matching_styles(cells)}).styles["x"]
    wanted = [time if "%H" in form else time.date() for time in times]
    assert style.read(pl.Series(cells)).to_list() == wanted


@pytest.mark.parametrize(
    ("cells", "separator", "values", "doubt"),
    [
        (["1.234", "5.678"], ",", [1.234, 5.678], False),
        (["1.234", "5.678"], ";", [1.234, 5.678], True),
        (["1,234", "5,678"], ";", [1.234, 5.678], True),
        (["1,234", "5,678"], "\t", [1234, 5678], True),
        (["1.234.567", "5.678"], ";", [1234567, 5678], False),
        (["1,234,567", "5,678"], ",", [1234567, 5678], False),
        (["0.123", "1.234"], ";", [0.123, 1.234], False),
        (["1 234", "5 678"], ";", [1234, 5678], False),
    ],
)
def test_what_may_be_two_numbers_is_said(
    cells: list[str], separator: str, values: list[float], doubt: bool
) -> None:
    made = choose_styles({"x": matching_styles(cells)}, separator=separator)
    assert made.styles["x"].read(pl.Series(cells)).to_list() == values
    assert bool(made.ambiguities) == doubt


def test_doubt_is_settled_by_the_user_the_file_and_the_model() -> None:
    fits = {"x": matching_styles(["1.234", "5.678"])}
    comma, point = Style("number", ",", "."), Style("number", ".")
    assert choose_styles(fits, separator=";", decimal_comma=True).styles["x"] == comma
    assert choose_styles(fits, separator=";", decimal_comma=False).styles["x"] == point
    assert choose_styles(fits, separator=";", defaults={"x": comma}).styles["x"] == comma
    beside = fits | {"y": matching_styles(["0,5"])}
    assert choose_styles(beside, separator=";").styles["x"] == comma
    assert choose_styles(fits | {"y": matching_styles(["0.5"])}, separator=";").ambiguities == []
    days = {"d": matching_styles(["03/04/2024", "05/06/2024"])}
    assert choose_styles(days).styles["d"].form == "%d/%m/%Y"
    assert choose_styles(days).ambiguities
    assert choose_styles(days, day_first=False).styles["d"].form == "%m/%d/%Y"
    assert (
        choose_styles(days | {"e": matching_styles(["12/31/2024"])}).styles["d"].form == "%m/%d/%Y"
    )


@pytest.mark.parametrize(
    "cells", [["007", "12"], ["$1", "€2"], ["1", "x"], ["12%", "3"], ["31/31/2024"], ["1e5x"]]
)
def test_what_is_no_number_stays_text(cells: list[str]) -> None:
    assert choose_styles({"x": matching_styles(cells)}).styles["x"] == TEXT


def test_markers_of_nothing_are_missing_among_numbers_only() -> None:
    assert matching_styles(["1", "-", ".", "2"])[0] == INTEGER
    assert matching_styles(["+", "-"]) == ()


@pytest.mark.parametrize("late", ["1.234,5", "12,5", "text"])
def test_style_follows_from_all_rows(tmp_path: Path, late: str) -> None:
    path = tmp_path / "late.csv"
    path.write_text("x;y\n" + "1.234;a\n" * 10_500 + f"{late};b\n", "utf-8")
    frame = load_table(str(path), ReadOptions()).frame
    if late == "text":
        assert frame["x"].dtype == pl.Categorical
    else:
        assert frame["x"][0] == 1234.0
        assert frame["x"][-1] == {"1.234,5": 1234.5, "12,5": 12.5}[late]


# ---------------------------------------------------------------------- header


@pytest.mark.parametrize(
    ("rows", "names"),
    [
        ([["age", "job"], ["39", "clerk"]], True),
        ([["39", "clerk"], ["50", "smith"]], False),
        ([["country", "2019", "2020"], ["Chile", "1", "2"]], True),
        ([["a", "b"], ["c", "d"], ["e", "f"]], True),
        ([["low", "low", "no"], ["low", "high", "no"], ["high", "low", "yes"]], False),
        ([["x"], ["1"]], True),
        ([["a", "b"]], True),
    ],
)
def test_first_line_holds_names_or_data(rows: list[list[str]], names: bool) -> None:
    assert is_header(rows) == names


def test_names_are_as_many_as_columns() -> None:
    with pytest.raises(OptionError, match="must list 3 names.* got 2"):
        name_columns([["1", "2", "3"]], ReadOptions(names=("a", "b")), "f.csv")
    assert make_unique(["x", "x", "x_2", "x"])[0] == ["x", "x_3", "x_2", "x_4"]


def test_model_names_the_columns_of_a_file_without_header() -> None:
    rows = [["1", "a"], ["2", "b"]]
    reading = ReadOptions(expected=("x",), stored_names=("x", "c", "y"), target="y")
    assert name_columns(rows, reading, "f.csv") == (["x", "c"], False, [])


@pytest.mark.parametrize(
    ("text", "separator"),
    [("a;b\n1,5;2\n", ";"), ("a,b\n1;2,3\n", ","), ("a b\n1 2\n", " "), ("a\tb, c\n1\t2\n", "\t"),
     ("one column\n1\n", ",")],
)  # fmt: skip
def test_separator_is_what_lines_agree_on(text: str, separator: str) -> None:
    assert detect_separator(text) == separator


@pytest.mark.parametrize(
    ("cells", "numbers"),
    [
        (["R$ 215.000", "R$ 98.500"], [215000.0, 98500.0]),
        (["1.250 €", "900 €"], [1250.0, 900.0]),
        (["$1,250", "$900"], [1250.0, 900.0]),
    ],
)
def test_three_digits_after_a_mark_are_thousands_of_money(
    cells: list[str], numbers: list[float]
) -> None:
    for separator in (",", ";"):
        made = choose_styles({"price": matching_styles(cells)}, separator=separator)
        assert made.styles["price"].read(pl.Series(cells)).to_list() == numbers
        assert not made.ambiguities


def test_shapes_of_cells_fit_the_styles_that_the_cells_fit() -> None:
    """Styles are judged by shapes, in which 1 stands for any digit but 0."""
    draw = np.random.default_rng(3)
    signs = np.array(list("0123456789") * 3 + list(".,' -+%$") + ["R$", "e", "\u00a0"])
    numbers = 0
    for _ in range(3000):
        cells = {"".join(draw.choice(signs, draw.integers(1, 9))) for _ in range(2)}
        if draw.random() < 0.5:
            cells = {f"{x:.{draw.integers(0, 4)}f}" for x in draw.normal(0, 2000, 4)}
        bare = {cell.strip() for cell in cells} - {*cell_styles.WEAK_MARKERS}
        expected = tuple(cell_styles._matching_number_styles(sorted(bare))) if bare else ()
        made = matching_styles(cells)
        if not made or made[0].kind not in ("date", "datetime"):
            assert made == expected, cells
            numbers += bool(made)
    assert numbers > 1000


@pytest.mark.parametrize("marker", ["", "NA", "NaN", "nan", "-999", "x"])
@pytest.mark.parametrize("at", [5, 11_000])
def test_markers_among_numbers_are_missing_wherever_the_first_one_stands(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, marker: str, at: int
) -> None:
    monkeypatch.setattr("ceiba.table.files.streams._PIECE_SIZE", 2**16)
    cells = [[str(k % 97), f"{k / 8}", "ab"[k % 2], "z"] for k in range(12_000)]
    cells[at][:3] = [marker] * 3
    path = tmp_path / "numbers.csv"
    path.write_text("n,x,s,t\n" + "\n".join(map(",".join, cells)) + "\n")
    reading = ReadOptions(markers=(*MARKERS, "-999"))
    frame = load_table(str(path), reading).frame
    monkeypatch.setattr(CsvPiece, "parse_numbers", CsvPiece.parse)
    assert frame.equals(load_table(str(path), reading).frame)
    missing = marker != "x"
    assert frame["s"][at] == (None if missing else "x")
    assert frame["n"].null_count() == (1 if missing else 0)
