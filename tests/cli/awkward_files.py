"""Forty awkward files as people have them, with what each must be read as, or why it is refused.

A case is a file written into a folder, the options a user would give, and the kinds of its columns
as `ceiba describe` names them; or a part of the message with which it is refused.
"""

from __future__ import annotations

import bz2
import datetime
import gzip
import lzma
import sqlite3
import zipfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

N = 40  # rows of a file


@dataclass(frozen=True)
class Case:
    """One awkward file."""

    name: str
    write: Callable[[Path], object]
    kinds: dict[str, str] = field(default_factory=dict)
    options: tuple[str, ...] = ()
    says: str = ""  # part of what is said on the standard error
    refused: str = ""  # part of the message if it cannot be learned from
    ranges: dict[str, tuple[float, float]] = field(default_factory=dict)  # minimum and maximum
    n_missing: int | None = None
    n_rows: int = N
    target: str = "y"


def y(i: int) -> str:
    return "yes" if i % 3 else "no"


def comma(value: float) -> str:
    return f"{value:.2f}".replace(".", ",")


def thousands(value: float, group: str = ".", mark: str = ",") -> str:
    text = f"{value:,.2f}"
    return text.replace(",", "\0").replace(".", mark).replace("\0", group)


def rows(line: Callable[[int], str], header: str | None, n: int = N) -> str:
    head = [header] if header is not None else []
    return "\n".join([*head, *(line(i) for i in range(n))]) + "\n"


def text(content: str, encoding: str = "utf-8") -> Callable[[Path], object]:
    return lambda path: path.write_bytes(content.encode(encoding))


def packed(content: str, pack: Callable[[bytes], bytes]) -> Callable[[Path], object]:
    return lambda path: path.write_bytes(pack(content.encode()))


def zipped(*names: str) -> Callable[[Path], object]:
    def write(path: Path) -> None:
        with zipfile.ZipFile(path, "w") as archive:
            for name in names:
                archive.writestr(name, PLAIN)

    return write


def sheet(cells: list[list[Any]], *more: str) -> Callable[[Path], object]:
    def write(path: Path) -> None:
        from openpyxl import Workbook

        book = Workbook()
        for row in cells:
            book.active.append(row)
        for name in more:
            book.create_sheet(name).append(["nothing"])
        book.save(path)

    return write


def ods(cells: list[list[Any]]) -> Callable[[Path], object]:
    """Write what LibreOffice writes, as little of it as a reader needs."""
    space = "urn:oasis:names:tc:opendocument:xmlns:"

    def cell(value: Any) -> str:
        if isinstance(value, int | float):
            return f'<table:table-cell office:value-type="float" office:value="{value}"/>'
        return (
            f'<table:table-cell office:value-type="string"><text:p>{value}</text:p>'
            "</table:table-cell>"
        )

    def write(path: Path) -> None:
        body = "".join(
            f"<table:table-row>{''.join(map(cell, row))}</table:table-row>" for row in cells
        )
        content = (
            f'<?xml version="1.0" encoding="UTF-8"?><office:document-content '
            f'xmlns:office="{space}office:1.0" xmlns:table="{space}table:1.0" '
            f'xmlns:text="{space}text:1.0"><office:body><office:spreadsheet>'
            f'<table:table table:name="May">{body}</table:table>'
            "</office:spreadsheet></office:body></office:document-content>"
        )
        kind = "application/vnd.oasis.opendocument.spreadsheet"
        manifest = (
            f'<manifest:manifest xmlns:manifest="{space}manifest:1.0"><manifest:file-entry '
            f'manifest:full-path="/" manifest:media-type="{kind}"/></manifest:manifest>'
        )
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("mimetype", kind)
            archive.writestr("META-INF/manifest.xml", manifest)
            archive.writestr("content.xml", content)

    return write


def frame(**columns: Any) -> Callable[[Path], object]:
    def write(path: Path) -> None:
        import polars as pl

        pl.DataFrame(columns).write_parquet(path)

    return write


def database(path: Path) -> None:
    base = sqlite3.connect(path)
    base.execute("CREATE TABLE t (x REAL, c TEXT, y TEXT)")
    base.executemany(
        "INSERT INTO t VALUES (?, ?, ?)", [(i / 2, "ab"[i % 2], y(i)) for i in range(N)]
    )
    base.commit()
    base.close()


def day(i: int) -> datetime.date:
    return datetime.date(2024, 1, 1) + datetime.timedelta(days=11 * (i // 2))


PLAIN = rows(lambda i: f"{i % 7},{'ab'[i % 2]},{y(i)}", "x,c,y")
SHEET = [["x", "when", "c", "y"], *([i / 2, day(i), "ab"[i % 2], y(i)] for i in range(N))]
GAPS = ("NULL", "NA", "-", "?")
NUMBER_AND_CATEGORY = {"x": "number", "c": "category", "y": "category"}

CASES = [
    Case("comma decimals.csv", text(rows(lambda i: f"{comma(i / 7)};{y(i)}", "x;y")),
         {"x": "number"}, ranges={"x": (0, 5.57)}),
    Case("point thousands.csv", text(rows(lambda i: f"{thousands(i * 99.5)};{y(i)}", "x;y")),
         {"x": "number"}, ranges={"x": (0, 3880.5)}),
    Case("whole thousands.csv",
         text(rows(lambda i: f"{thousands(1000.0 * (i + 1))[:-3]};{comma(i / 4)};{y(i)}", "x;z;y")),
         {"x": "number", "z": "number"}, says="1.234 is read as the number 1234",
         ranges={"x": (1000, 40000)}),
    Case("english thousands.csv",
         text(rows(lambda i: f'"{thousands(i * 99.5, ",", ".")}",{y(i)}', "x,y")),
         {"x": "number"}, ranges={"x": (0, 3880.5)}),
    Case("blank thousands.csv",
         text(rows(lambda i: f"{thousands(i * 99.5, chr(0xA0))};{y(i)}", "x;y")),
         {"x": "number"}, ranges={"x": (0, 3880.5)}),
    Case("swiss thousands.csv",
         text(rows(lambda i: f"{thousands(i * 99.5, chr(39), '.')};{y(i)}", "x;y")),
         {"x": "number"}, ranges={"x": (0, 3880.5)}),
    Case("percent.csv", text(rows(lambda i: f"{comma(i / 4)} %;{y(i)}", "x;y")),
         {"x": "number"}, ranges={"x": (0, 9.75)}),
    Case("reais.csv", text(rows(lambda i: f"R$ {thousands(i * 99.5)};{y(i)}", "x;y")),
         {"x": "number"}, ranges={"x": (0, 3880.5)}),
    Case("dollars.csv", text(rows(lambda i: f'"-${thousands(i * 99.5, ",", ".")}",{y(i)}', "x,y")),
         {"x": "number"}, ranges={"x": (-3880.5, 0)}),
    Case("euros.csv", text(rows(lambda i: f"{comma(i / 4)} €;{y(i)}", "x;y")),
         {"x": "number"}, ranges={"x": (0, 9.75)}),
    Case("two currencies.csv",
         text(rows(lambda i: f"{'$€'[i % 2]}{i},{y(i)}", "x,y")),
         {"x": "category"}, says="looks like numbers"),
    Case("no header.csv", text(rows(lambda i: f"{i % 9},{'ab'[i % 2]},{y(i)}", None)),
         {"column_1": "number", "column_2": "category"}, target="3", says="no header"),
    Case("no header of words.csv",
         text(rows(lambda i: f"{'ab'[i % 2]},{'cd'[i % 2]},{y(i)}", None)),
         {"column_1": "category", "column_2": "category"}, target="-1", says="no header"),
    Case("names given.csv", text(rows(lambda i: f"{i % 9},{'ab'[i % 2]},{y(i)}", None)),
         NUMBER_AND_CATEGORY, ("--names", "x,c,y", "--no-header")),
    Case("years as names.csv", text(rows(lambda i: f"{y(i)},{i % 9},{i % 7}", "y,2019,2020")),
         {"2019": "number", "2020": "number"}),
    Case("utf-16.csv", text(PLAIN.replace("a", "ä"), "utf-16"), NUMBER_AND_CATEGORY),
    Case("utf-16 without mark.csv", text(PLAIN, "utf-16-le"), NUMBER_AND_CATEGORY),
    Case("bom.csv", text(PLAIN, "utf-8-sig"), NUMBER_AND_CATEGORY),
    Case("windows.csv", text(PLAIN.replace("a", "año"), "cp1252"), NUMBER_AND_CATEGORY,
         says="read as Windows-1252 (año)"),
    Case("cyrillic.csv", text(PLAIN.replace("a", "год"), "cp1251"), refused="--encoding"),
    Case("polish.csv", text(PLAIN.replace("a", "łódź"), "cp1250"), refused="--encoding"),
    Case("windows said.csv", text(PLAIN.replace("a", "ñ"), "cp1252"), NUMBER_AND_CATEGORY,
         ("--encoding", "cp1252")),
    Case("old mac.csv", text(PLAIN.replace("\n", "\r")), NUMBER_AND_CATEGORY),
    Case("excel sep.csv", text("sep=;\n" + PLAIN.replace(",", ";")), NUMBER_AND_CATEGORY),
    Case("quoted newlines.csv",
         text(rows(lambda i: f'{i % 7},"{"ab"[i % 2]}\nnext line",{y(i)}', 'x,"c",y')),
         NUMBER_AND_CATEGORY),
    Case("duplicate names.csv", text(rows(lambda i: f"{i % 7},{i % 5},{y(i)}", "x,x,y")),
         {"x": "number", "x_2": "number"}, says="Duplicate column name 'x'"),
    Case("nameless.csv", text(rows(lambda i: f"{i % 7};{y(i)};", "x;y;")), {"x": "number"},
         says="without name"),
    Case("iso dates.csv", text(rows(lambda i: f"{day(i)},{y(i)}", "x,y")), {"x": "date"}),
    Case("german dates.csv", text(rows(lambda i: f"{day(i):%d.%m.%Y};{y(i)}", "x;y")),
         {"x": "date"}),
    Case("american dates.csv", text(rows(lambda i: f"{day(i):%m/%d/%Y},{y(i)}", "x,y")),
         {"x": "date"}),
    Case("dates in doubt.csv",
         text(rows(lambda i: f"0{i % 9 + 1}/0{i % 7 + 1}/2024,{y(i)}", "x,y")),
         {"x": "date"}, says="the day first"),
    Case("markers.csv",
         text(rows(lambda i: f"{GAPS[i] if i < 4 else i % 9},{'+-'[i % 2]},{y(i)}", "x,c,y")),
         NUMBER_AND_CATEGORY, n_missing=4),
    Case("a word among numbers.csv",
         text(rows(lambda i: f"{i if i else 'unknown'},{y(i)}", "x,y")), {"x": "category"},
         says="'unknown' is not a number"),
    Case("zip codes.csv", text(rows(lambda i: f"0{1000 + i % 9},{y(i)}", "x,y")), {"x": "category"},
         says="begin with 0"),
    Case("identifier.csv",
         text(rows(lambda i: f"{i + 1},{i % 3},{y(i)}", "nr,x,y", 60)),
         {"nr": "identifier", "x": "number"}, n_rows=60, says="Dropped identifiers: 'nr'"),
    Case("blanks.csv", text(PLAIN.replace(",", ", ").replace("a", "?")),
         {"x": "number", "c": "category"}, n_missing=N // 2),
    Case("one column.csv", text(rows(y, "y")), refused="at least one column to split on"),
    Case("wide.csv",
         text(rows(lambda i: ";".join([*(comma(i * j % 11) for j in range(400)), y(i)]),
                   ";".join([*(f"x{j}" for j in range(400)), "y"]))),
         {"x7": "number", "x399": "number"}),
    Case("many levels.csv", text(rows(lambda i: f"v{i % 1500},{y(i)}", "x,y", 4000)),
         {"x": "category"}, says="1,500 levels", n_rows=4000),
    Case("plain.csv.gz", packed(PLAIN, gzip.compress), NUMBER_AND_CATEGORY),
    Case("plain.csv.bz2", packed(PLAIN, bz2.compress), NUMBER_AND_CATEGORY),
    Case("plain.csv.xz", packed(PLAIN, lzma.compress), NUMBER_AND_CATEGORY),
    Case("plain.csv.zst", packed(PLAIN, lambda raw: zstd(raw)), NUMBER_AND_CATEGORY),
    Case("one.csv.zip", zipped("one.csv"), NUMBER_AND_CATEGORY),
    Case("two.csv.zip", zipped("one.csv", "two.csv"), refused="must contain one file, got 2"),
    Case("nested.parquet",
         frame(x=[i / 2 for i in range(N)], tags=[["a", "b"]] * N, where=[{"lat": 1.0}] * N,
               y=[y(i) for i in range(N)]),
         {"x": "number"}, says="tags, where"),
    Case("book.xlsx", sheet(SHEET), {"x": "number", "when": "date", "c": "category"}),
    Case("book.ods", ods([["x", "c", "y"], *([i / 4, "ab"[i % 2], y(i)] for i in range(N))]),
         NUMBER_AND_CATEGORY, ranges={"x": (0, 9.75)}),
    Case("two sheets.xlsx", sheet(SHEET, "other"), {"x": "number"}, says="2 nonempty sheets"),
    Case("title.xlsx", sheet([["Sales of 2024"], *SHEET]), refused="--skip-rows"),
    Case("title skipped.xlsx", sheet([["Sales of 2024"], *SHEET]), {"x": "number", "when": "date"},
         ("--skip-rows", "1")),
    Case("texts.xlsx",
         sheet([["x", "y"], *([comma(i / 4), y(i)] for i in range(N))]), {"x": "number"},
         ranges={"x": (0, 9.75)}),
    Case("no.xlsx", text(PLAIN), refused="cannot be read as a spreadsheet"),
    Case("shop.db::t", lambda path: database(path.with_name("shop.db")), NUMBER_AND_CATEGORY),
    Case("ragged.csv", text(PLAIN + "1,2,3,4\n"), refused="line 42: expected 3 fields, got 4"),
    Case("empty.csv", text(""), refused="is empty"),
    Case("title.csv", text("Report of 2024\n\n" + PLAIN), NUMBER_AND_CATEGORY,
         ("--skip-rows", "2")),
]  # fmt: skip


def zstd(raw: bytes) -> bytes:
    import pyarrow as pa

    packed: bytes = pa.compress(raw, codec="zstd", asbytes=True)
    return packed
