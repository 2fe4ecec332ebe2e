"""Small spreadsheets whose cells are far apart: refused, and nothing ends but their reader."""

from __future__ import annotations

import struct
import zipfile
from pathlib import Path

import pytest

import ceiba
from ceiba.cli.options.shared_options import ReadingFlags
from ceiba.cli.studio_job import open_table
from ceiba.errors import DataError
from ceiba.studio.launch import initial_setup
from ceiba.studio.work.workspace import Workspace
from tests.cli.running import run

pytest.importorskip("python_calamine")
pytest.importorskip("resource", reason="this system does not limit memory")

Cells = list[tuple[int, int]]  # rows and columns, from 0
_RELATIONS = (
    '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
    '<Relationship Id="rId1" Target="{0}" Type="http://schemas.openxmlformats.org/'
    'officeDocument/2006/relationships/{1}"/></Relationships>'
)
_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"


def _letters(column: int) -> str:
    return (_letters(column // 26 - 1) if column >= 26 else "") + chr(65 + column % 26)


def xlsx(path: Path, cells: Cells) -> None:
    rows = "".join(
        f'<row r="{r + 1}"><c r="{_letters(c)}{r + 1}"><v>1</v></c></row>' for r, c in cells
    )
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as book:
        book.writestr("_rels/.rels", _RELATIONS.format("xl/workbook.xml", "officeDocument"))
        book.writestr(
            "xl/_rels/workbook.xml.rels", _RELATIONS.format("worksheets/s.xml", "worksheet")
        )
        book.writestr(
            "xl/workbook.xml",
            f'<workbook xmlns="{_MAIN}" xmlns:r="{_OFFICE}"><sheets>'
            '<sheet name="S" sheetId="1" r:id="rId1"/></sheets></workbook>',
        )
        book.writestr(
            "xl/worksheets/s.xml",
            f'<worksheet xmlns="{_MAIN}"><sheetData>{rows}</sheetData></worksheet>',
        )


def xlsb(path: Path, cells: Cells) -> None:
    def record(kind: int, data: bytes = b"") -> bytes:
        kinds = bytes([kind]) if kind < 128 else bytes([kind & 127 | 128, kind >> 7])
        return kinds + bytes([len(data)]) + data

    def text(value: str) -> bytes:
        return struct.pack("<I", len(value)) + value.encode("utf-16le")

    sheet = b"".join(
        record(0, struct.pack("<IIH", r, 0, 300) + bytes(7))
        + record(5, struct.pack("<IId", c, 0, 1.0))
        for r, c in cells
    )
    named = record(156, struct.pack("<II", 0, 1) + text("rId1") + text("S"))
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as book:
        book.writestr(
            "xl/_rels/workbook.bin.rels", _RELATIONS.format("worksheets/s.bin", "worksheet")
        )
        book.writestr(
            "xl/workbook.bin", record(131) + record(143) + named + record(144) + record(132)
        )
        size = record(148, struct.pack("<IIII", 0, cells[-1][0], 0, cells[-1][1]))
        book.writestr(
            "xl/worksheets/s.bin",
            record(129) + size + record(145) + sheet + record(146) + record(130),
        )


def xls(path: Path, cells: Cells) -> None:
    def record(kind: int, data: bytes = b"") -> bytes:
        return struct.pack("<HH", kind, len(data)) + data

    def begin(kind: int) -> bytes:
        return record(0x809, struct.pack("<HHHHII", 0x600, kind, 0, 0, 0, 0))

    def entry(name: str, kind: int, start: int, size: int, child: int = 0xFFFFFFFF) -> bytes:
        text = name.encode("utf-16le") + bytes(2)
        links = struct.pack("<HBBIII", len(text), kind, 1, 0xFFFFFFFF, 0xFFFFFFFF, child)
        return text.ljust(64, b"\0") + links + bytes(36) + struct.pack("<IQ", start, size)

    at = len(begin(5)) + 4 + 9 + 4  # where the sheet begins
    book = begin(5) + record(0x85, struct.pack("<IHBB", at, 0, 1, 0) + b"S") + record(10)
    book += begin(16)
    book += b"".join(record(0x203, struct.pack("<HHHd", r, c, 0, 1.0)) for r, c in cells)
    book = (book + record(10)).ljust(4096, b"\0")
    sectors = [0xFFFFFFFD, 0xFFFFFFFE, *range(3, 10), 0xFFFFFFFE]
    sectors += [0xFFFFFFFF] * (128 - len(sectors))
    header = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(16)
    header += struct.pack("<HHHHH", 0x3E, 3, 0xFFFE, 9, 6) + bytes(6)
    header += struct.pack("<IIIIIIIIII", 0, 1, 1, 0, 4096, 0xFFFFFFFE, 0, 0xFFFFFFFE, 0, 0)
    folder = entry("Root Entry", 5, 0xFFFFFFFE, 0, 1) + entry("Workbook", 2, 2, 4096) + bytes(256)
    path.write_bytes(header.ljust(512, b"\xff") + struct.pack("<128I", *sectors) + folder + book)


WRITERS = {"xlsx": xlsx, "xlsb": xlsb, "xls": xls}
FAR = {"xlsx": (1_048_575, 16_383), "xlsb": (1_048_575, 16_383), "xls": (65_535, 65_535)}


@pytest.mark.parametrize("ending", WRITERS)
def test_near_cells_are_read(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"a.{ending}"
    WRITERS[ending](path, [(0, 0), (1, 0), (2_000, 0)])  # empty rows are none
    assert ceiba.read_file(path, header=False).shape == (3, 1)


@pytest.mark.parametrize("ending", WRITERS)
def test_cells_too_far_apart_are_refused(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"a.{ending}"
    WRITERS[ending](path, [(0, 0), FAR[ending]])
    done = run("describe", path, cwd=tmp_path)
    assert done.returncode == 3
    assert "more than 2 GiB of memory" in " ".join(done.stderr.split())


def test_held_out_file_does_not_end_the_studio(tmp_path: Path) -> None:
    data = tmp_path / "data.csv"
    data.write_text("x,y\n" + "1,a\n2,b\n" * 10)
    xlsx(tmp_path / "far.xlsx", [(0, 0), FAR["xlsx"]])
    (tmp_path / "no.parquet").write_bytes(b"PAR1" + bytes(50) + b"\xff\xff\xff\x7fPAR1")
    source, name = open_table(str(data), "y", ReadingFlags(), None)
    workspace = Workspace(source, initial_setup(source, name, {}))
    before = workspace.state
    for file in ("far.xlsx", "no.parquet"):
        with pytest.raises(DataError, match=file):
            workspace.act("set_held_out", {"file": file})
    assert workspace.state is before
