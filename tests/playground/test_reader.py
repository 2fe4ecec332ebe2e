"""The page's CSV reader: the table of `ceiba.read_file`, or a refusal with the reason."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ceiba
from ceiba.table import read
from tests.marks import slow
from tests.playground.scripts import read_files
from tests.table.csv_folder import N_CASES, cases

pytest.importorskip("polars")
pytestmark = pytest.mark.filterwarnings("ignore::ceiba.errors.DataWarning")


def columns_of(path: Path, **options: Any) -> list[dict[str, Any]]:
    """Return the columns that Python reads, as the page's reader returns them."""
    return [
        {
            "name": column.info.name,
            "kind": str(column.info.kind),
            "display": column.info.display,
            "values": [None if v != v else v for v in np.asarray(column.values, float).tolist()]
            if column.info.is_numeric
            else column.values.tolist(),
            "levels": None if column.info.is_numeric else list(column.info.levels),
            "nMissing": column.info.n_missing,
        }
        for column in read(ceiba.read_file(path, **options)).columns
    ]


@pytest.mark.parametrize("n_cases", [40, *slow([N_CASES])])
def test_reader_shared_folder_is_read_as_in_python_or_refused(tmp_path: Path, n_cases: int) -> None:
    questions, options = [], []
    for case in cases(n_cases):
        for name, data in case.files.items():
            (tmp_path / name).write_bytes(data)
            questions.append({"path": str(tmp_path / name), "options": case.options})
            options.append(case.options)
    answers = read_files(tmp_path, questions)
    refused = [
        Path(q["path"]).suffix for q, a in zip(questions, answers, strict=True) if "error" in a
    ]
    assert set(refused) == {".bz2"}
    assert {a["error"] for a in answers if "error" in a} == {"pg_packed"}
    assert len(answers) - len(refused) > n_cases
    for question, given, answer in zip(questions, options, answers, strict=True):
        if "error" not in answer:
            expected = columns_of(Path(question["path"]), **given)
            for column, wanted in zip(answer["result"], expected, strict=True):
                assert column == wanted, (question["path"], wanted["name"])


#: Texts whose table depends on a rule that the folder does not reach.
ODD = {
    "points.csv": "a,b\n1.234,x\n5.678,y\n",
    "semicolons.csv": "a;b;y\n1,234;2.5;x\n5,678;3.5;y\n",
    "commas.csv": 'a;b\n"1.234";"1,5"\n"5.678";"2,5"\n',
    "reais.csv": "a;b\nR$ 1.234;x\nR$ 5.678;y\n",
    "percent.csv": "a,b\n5 %,x\n7.5 %,y\n",
    "codes.csv": "zip,b\n00501,x\n10001,y\n",
    "weak.csv": "a,b\n-,x\n.,-\n3,y\n",
    "onlyweak.csv": "a,b\n-,x\n-,y\n",
    "sep.csv": "sep=;\na;b\n1;x\n2;y\n",
    "spaces.csv": "a b\n1 x\n2 y\n",
    "blank.csv": "a,b\n1,x\n\n,\n2,y\n",
    "short.csv": "a,b,c\n1,x\n2,y,z\n",
    "trailing.csv": "a,b,\n1,x,\n2,y,\n",
    "noheader.csv": "1,2,x\n3,4,y\n5,6,x\n",
    "years.csv": "2019,2020,2021\n1,2,3\n4,5,6\n",
    "huge.csv": "a,b\n1e400,x\n2,y\n",
    "large.csv": "a,b\n123456789012345678901,x\n2,y\n",
    "astral.csv": "a,y\n\U0001f600,1\n\uff5e,2\nz,1\n\U0001f600x,2\n",
    "dates.csv": "d,e,y\n31/12/2020,01/02/2021,a\n01/02/2020,03/04/2021,b\n",
    "months.csv": "d,e,y\n12/31/2020,01/02/2021,a\n01/02/2020,03/04/2021,b\n",
    "short_years.csv": "d,y\n31/12/69,a\n01/02/70,b\n",
    "old.csv": "d,y\n0099-12-31,a\n1750-02-28,b\n",
    "no_day.csv": "d,y\n2021-02-30,a\n2021-02-28,b\n",
    "times.csv": "d,y\n2021-02-28 10:30:00,a\n2021-03-01 23:59:59,b\n",
    "mac.csv": "a,b\r1,x\r2,y\r",
    "quotes.csv": 'a,b\n"say ""hi""",1\n"x\ny",2\n"",3\n',
    "signs.csv": "a,b\n+1.5,-0\n-.5,+3\n5.,1e-3\n",
    "true.csv": "a,b\nTRUE,x\nfalse,y\n,z\n",
    "unicode_space.csv": "a,b\n\u00a0x\u2003,1\ny,2\n",
    "digits.csv": "a,b\n\u0661\u0662,1\n\u0663,2\n",
    "nan.csv": "a,b\nNaN,x\n1,y\ninf,x\n",
}


def test_reader_odd_notations_are_read_as_in_python(tmp_path: Path) -> None:
    for name, text in ODD.items():
        (tmp_path / name).write_bytes(text.encode())
    questions = [{"path": str(tmp_path / name), "options": {}} for name in ODD]
    answers = dict(zip(ODD, read_files(tmp_path, questions), strict=True))
    assert {
        name: answer.get("error") for name, answer in answers.items() if "error" in answer
    } == {}
    for name, answer in answers.items():
        for column in answer["result"]:  # JSON has whole numbers too
            column["values"] = [None if v is None else float(v) for v in column["values"]]
        assert answer["result"] == columns_of(tmp_path / name), name


#: Files that the page refuses, and why.
REFUSED = {
    "open.csv": (b'a,b\n"x,1\n', "pg_quote_open"),
    "inside.csv": (b'a,b\n5" pipe,1\n6" pipe,2\n', "pg_quote"),
    "ragged.csv": (b"a,b\n1,2\n3,4,5\n", "pg_ragged"),
    "double.csv": (b"a,a\n1,2\n", "pg_duplicate"),
    "empty.csv": (b"", "pg_empty"),
    "one.csv": (b"a\n1\n2\n", "pg_one_column"),
    "zoned.csv": (b"d,y\n2021-02-28T10:30:00+02:00,a\n2021-02-28T10:30:00Z,b\n", "pg_time"),
    "latin.csv": ("a,y\nse\u00f1or,1\n".encode("cp1252"), "pg_not_utf8"),
    "sheet.csv": (b"PK\x03\x04rest", "pg_packed"),
    "nul.csv": (b"a,b\n\x00,1\n", "pg_binary"),
}


def test_reader_refuses_what_it_does_not_cover_with_a_reason(tmp_path: Path) -> None:
    for name, (data, _) in REFUSED.items():
        (tmp_path / name).write_bytes(data)
    questions = [{"path": str(tmp_path / name), "options": {}} for name in REFUSED]
    answers = read_files(tmp_path, questions)
    found = {name: answer.get("error") for name, answer in zip(REFUSED, answers, strict=True)}
    assert found == {name: reason for name, (_, reason) in REFUSED.items()}
    assert answers[2]["values"] == {"line": 3, "cells": 3, "names": 2}
