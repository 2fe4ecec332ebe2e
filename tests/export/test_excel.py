"""The workbook, computed by LibreOffice where it is installed, against `predict`."""

from __future__ import annotations

import io
import re
import shutil
import subprocess
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import ceiba
from ceiba.errors import OptionError, TreeError
from ceiba.table import Kind
from tests.export.drawn_trees import Drawn, draw

openpyxl = pytest.importorskip("openpyxl", reason="openpyxl is not installed")
OFFICE = shutil.which("soffice") or shutil.which("libreoffice")
needs_office = pytest.mark.skipif(OFFICE is None, reason="LibreOffice is not installed")


def computed(books: dict[str, bytes], folder: Path) -> dict[str, list[dict[str, Any]]]:
    """Return the rows of the sheet Data of each workbook, computed by LibreOffice."""
    assert OFFICE is not None
    (folder / "out").mkdir()
    for name, content in books.items():
        (folder / f"{name}.xlsx").write_bytes(content)
    subprocess.run(
        [OFFICE, f"-env:UserInstallation=file://{folder}/profile", "--headless", "--convert-to",
         "xlsx", "--outdir", str(folder / "out"), *(str(folder / f"{n}.xlsx") for n in books)],
        check=True, capture_output=True, timeout=600,
    )  # fmt: skip
    found = {}
    for name in books:
        sheet = openpyxl.load_workbook(folder / "out" / f"{name}.xlsx", data_only=True)["Data"]
        head, *rows = sheet.iter_rows(values_only=True)
        found[name] = [dict(zip(head, row, strict=True)) for row in rows]
    return found


def away_from_cuts(drawn: Drawn) -> dict[str, list[Any]]:
    """Leave out rows that differ from a cut beyond the 15th digit: a spreadsheet rounds there."""
    tree = drawn.tree
    tables = [tree.splits, *([] if tree.surrogates is None else [tree.surrogates.splits])]
    cuts = np.concatenate([
        part
        for splits in tables
        for part in (splits.cut, *(splits.interval_cuts(i) for i in range(len(splits.cut))))
    ])  # fmt: skip
    cuts = cuts[np.isfinite(cuts)]
    keep = np.ones(drawn.n, bool)
    for info in tree.schema.columns:
        if info.is_numeric:
            values = np.array(drawn.rows[info.name], float)[:, None]
            near = np.abs(values - cuts) <= 1e-12 * np.maximum(np.abs(values), np.abs(cuts))
            keep &= ~(near & (values != cuts)).any(axis=1)
            keep &= ~np.isinf(values[:, 0])
    return {
        name: [v for v, kept in zip(values, keep.tolist(), strict=True) if kept][:1000]
        for name, values in drawn.rows.items()
    }


@needs_office
def test_workbooks_of_random_trees_predict_as_the_trees(tmp_path: Path) -> None:
    kinds = ("learn", "surrogate", "majority")
    trees, rows, books = [], {}, {}
    for seed in range(12):
        drawn = draw(seed, 6000, missing=kinds[seed % 3])
        rows[str(seed)] = away_from_cuts(drawn)
        try:
            books[str(seed)] = drawn.tree.export("excel", X=rows[str(seed)])
            trees.append(drawn)
        except TreeError:  # subnormal cuts
            continue
    found = computed(books, tmp_path)
    assert len(trees) >= 6
    for drawn in trees:
        lines, X = found[str(drawn.seed)], rows[str(drawn.seed)]
        assert len(lines) == 1000
        assert [line["leaf"] for line in lines] == drawn.tree.apply(X).tolist(), drawn.seed
        answers = drawn.tree.predict(X).tolist()
        if drawn.tree.task.has_classes:
            assert [line["prediction"] for line in lines] == answers, drawn.seed
        else:
            np.testing.assert_allclose([line["prediction"] for line in lines], answers, rtol=1e-14)


@pytest.mark.slow
@needs_office
def test_large_tree_dates_and_booleans_are_computed(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    n = 400
    X = pd.DataFrame({
        "amount": rng.normal(size=n).round(3),
        "day": pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 900, n), "D"),
        "time": pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 10**6, n), "s"),
        "wait": pd.to_timedelta(rng.integers(0, 10**5, n), "s"),
        "member": rng.random(n) < 0.5,
        "code": pd.Categorical([f"={k}" for k in rng.integers(0, 40, n)]),
    })  # fmt: skip
    X.loc[rng.random(n) < 0.1, "amount"] = np.nan
    seconds = X["time"].dt.hour + X["wait"].dt.total_seconds() / 2e4
    y = (X["amount"].fillna(1) > 0) ^ X["member"] ^ (X["day"].dt.month > 6) ^ (seconds % 3 > 1)
    model = ceiba.DecisionTreeClassifier().fit(X, np.where(y, "@yes", "no"))
    assert model.get_n_leaves() > 70
    found = computed({"book": model.export("excel", X=X)}, tmp_path)["book"]
    assert [line["leaf"] for line in found] == model.apply(X).tolist()
    assert [line["prediction"] for line in found] == model.predict(X).tolist()
    assert {line["probability"] for line in found} == {1}


@needs_office
def test_cell_of_another_type_is_an_error_and_an_empty_row_is_empty(tmp_path: Path) -> None:
    tree = ceiba.tree.build(("x <= 2", "a", ("c in {u}", "b", "d")), levels={"c": ["u", "v"]})
    books = openpyxl.load_workbook(io.BytesIO(tree.export("excel", rows=4)))
    assert [books["Data"][at].value for at in ("A1", "B1")] == ["c", "x"]
    for at, value in {"B2": "many", "B3": 1, "B4": 3, "A4": "U"}.items():
        books["Data"][at] = value
    books.save(tmp_path / "typed.xlsx")
    lines = computed({"book": (tmp_path / "typed.xlsx").read_bytes()}, tmp_path)["book"]
    assert [line["prediction"] for line in lines] == ["#N/A", "a", tree.predict(
        {"x": [3.0], "c": ["U"]})[0], None]  # fmt: skip


def formulas(content: bytes) -> list[str]:
    with zipfile.ZipFile(io.BytesIO(content)) as book:
        sheet = book.read("xl/worksheets/sheet1.xml").decode()
    return re.findall(r"<f>(.*?)</f>", sheet)


def nesting(formula: str) -> int:
    level = deepest = 0
    for character in re.sub(r'"[^"]*"', "", formula):
        level += (character == "(") - (character == ")")
        deepest = max(deepest, level)
    assert level == 0
    return deepest


def test_formulas_stay_within_the_limits_of_excel() -> None:
    rng = np.random.default_rng(1)
    X = {"x": rng.normal(size=3000), "c": rng.choice([f"level {k}" for k in range(300)], 3000)}
    tree = ceiba.DecisionTreeClassifier().fit(X, rng.integers(0, 2, 3000)).tree_
    assert tree.n_leaves > 500
    written = formulas(tree.export("excel", rows=1))
    assert len(written) > 10
    assert max(map(len, written)) < 8192
    assert max(map(nesting, written)) <= 64


def test_texts_that_look_like_formulas_are_marked_as_texts() -> None:
    tree = ceiba.tree.build(
        ("=cmd() in {+1, -2}", "@a", "b"), target="t", levels={"=cmd()": ["+1", "-2", "0"]}
    )
    sheet = openpyxl.load_workbook(io.BytesIO(tree.export("excel", rows=1)))
    head = sheet["Data"]["A1"]
    assert (head.value, head.data_type, head.quotePrefix) == ("=cmd()", "s", True)
    answers = {cell.value: cell.quotePrefix for cell in sheet["Rules"]["D"]}
    assert answers == {"prediction": False, "@a": True, "b": False}


def test_same_tree_gives_the_same_bytes() -> None:
    tree = draw(1, 10, missing="learn").tree
    assert tree.export("excel") == tree.export("xlsx")


def test_what_a_workbook_cannot_hold_is_refused() -> None:
    tree = ceiba.tree.build(("x <= 2", "a", "b"))
    with pytest.raises(OptionError, match="rows must be"):
        tree.export("excel", rows=0)
    with pytest.raises(TreeError, match="1,048,576 rows"):
        tree.export("excel", rows=2_000_000)
    with pytest.raises(TreeError, match="characters allowed in XML"):
        ceiba.tree.build(("x <= 2", "a\x01", "b")).export("excel")
    fractional = draw(0, 10, missing="fractional").tree
    with pytest.raises(TreeError, match="fractional"):
        fractional.export("excel")
    assert Kind.NUMERIC in {info.kind for info in fractional.schema.columns}
