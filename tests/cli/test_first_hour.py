"""The first hour: eight tasks from file to report, with exports as four places write them.

One table is written as Excel does in Seville, São Paulo, Stuttgart and Boston. Whatever the
dialect, each task gives the same kinds and the same figures.
"""

from __future__ import annotations

import json
import random
import re
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.cli.running import ok, run

pytest.importorskip("polars")


@dataclass(frozen=True)
class Dialect:
    """How a place writes a table; the columns are id, income, rate, city, day and the target."""

    names: tuple[str, ...]
    cities: tuple[str, ...]
    no_yes: tuple[str, str]
    encoding: str
    day: str
    money: str = "{}"
    rate: str = "{}"
    separator: str = ";"
    comma: bool = True
    thousands: bool = False

    def number(self, value: float, thousands: bool = False) -> str:
        text = f"{value:,.2f}" if thousands else f"{value:.2f}"
        return text.translate(str.maketrans(".,", ",.")) if self.comma else text

    def income(self, value: float) -> str:
        return self.money.format(self.number(value, self.thousands))


_SPANISH = ("expediente", "ingresos", "interés", "ciudad", "fecha", "impago")
_GERMAN = ("Vertrag", "Einkommen", "Zinssatz", "Wohnort (Größe)", "Datum", "Ausfall")
_ANDALUSIA = ("Cádiz", "Málaga", "Sevilla", "Úbeda")
_SOUTH = ("Köln", "München", "Stuttgart", "Tübingen")
DIALECTS = {
    "seville": Dialect(_SPANISH, _ANDALUSIA, ("no", "sí"), "cp1252", "{d:02}/{m:02}/{y}"),
    "seville_bom": Dialect(_SPANISH, _ANDALUSIA, ("no", "sí"), "utf-8-sig", "{d:02}/{m:02}/{y}"),
    "sao_paulo": Dialect(
        ("contrato", "renda", "taxa", "cidade", "data", "inadimplente"),
        ("Belém", "Maceió", "São Paulo", "Uberlândia"), ("Não", "Sim"), "utf-8",
        "{d:02}/{m:02}/{y}", money="R$ {}", rate="{}%", thousands=True,
    ),
    "stuttgart": Dialect(
        _GERMAN, _SOUTH, ("nein", "ja"), "utf-16", "{d:02}.{m:02}.{y}", thousands=True
    ),
    "stuttgart_latin": Dialect(
        _GERMAN, _SOUTH, ("nein", "ja"), "latin-1", "{d:02}.{m:02}.{y}", thousands=True
    ),
    "boston": Dialect(
        ("id", "income", "rate", "city", "date", "default"),
        ("Austin", "Boston", "Denver", "Fargo"), ("no", "yes"), "utf-8", "{m:02}/{d:02}/{y}",
        money='"${}"', separator=",", comma=False, thousands=True,
    ),
}  # fmt: skip


#: What comes out of every task, in the words of Boston.
KINDS = ("identifier", "number", "number", "category", "date", "category")
MEDIAN_INCOME = 2761.83
ACCURACY = 0.94
TREE = """
root  n=300 (100%)  no p=0.79
income <= 1500.365  n=62 (20.7%)  yes p=0.532
rate <= 3.995  n=26 (8.7%)  → no p=1
rate > 3.995  n=36 (12%)  → yes p=0.917
income > 1500.365 or missing  n=238 (79.3%)  no p=0.874
rate <= 7.22  n=172 (57.3%)  → no p=0.959
rate > 7.22  n=66 (22%)  no p=0.652
city in {Austin, Boston, Denver}  n=45 (15%)  → no p=0.933
city = Fargo  n=21 (7%)  → yes p=0.952
"""


def write(path: Path, place: Dialect, n_rows: int, seed: int) -> None:
    """Write the table: low income at a high rate fails, and in the last city any very high rate."""
    rng = random.Random(seed)
    lines = [place.separator.join(place.names)]
    for k in range(n_rows):
        income, rate, city = rng.uniform(600, 4800), rng.uniform(0.5, 9.5), rng.randrange(4)
        fails = (income < 1500 and rate > 4) or (city == 3 and rate > 7)
        fails ^= rng.random() < 0.04
        day = place.day.format(
            d=rng.randint(1, 28), m=rng.randint(1, 12), y=rng.randint(2020, 2024)
        )
        unknown = rng.random() < 0.05
        cells = [
            str(1000 + k),
            "" if unknown else place.income(income),
            place.rate.format(place.number(rate)),
            place.cities[city],
            day,
            place.no_yes[fails],
        ]
        lines.append(place.separator.join(cells))
    path.write_bytes("\r\n".join([*lines, ""]).encode(place.encoding))


@dataclass(frozen=True)
class Desk:
    """A folder with this year's and last year's export and what `learn` said of the first."""

    folder: Path
    place: Dialect
    said: str

    def name(self, column: int) -> str:
        return self.place.names[column]

    def in_boston(self, text: str) -> str:
        """Return a text with this place's names and levels replaced by those of Boston."""
        there = DIALECTS["boston"]
        for one, other in zip(self.place.names, there.names, strict=True):
            text = text.replace(one, other)
        for one, other in zip(self.place.cities, there.cities, strict=True):
            text = text.replace(one, other)
        for one, other in zip(self.place.no_yes, there.no_yes, strict=True):
            text = re.sub(rf"(?<!\w){one}(?!\w)", other, text)
        return text


@pytest.fixture(scope="module", params=DIALECTS)
def desk(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Desk:
    place = DIALECTS[request.param]
    folder = tmp_path_factory.mktemp(request.param)
    write(folder / "a.csv", place, 300, 3)
    write(folder / "b.csv", place, 100, 4)
    done = run("learn", "a.csv", "-t", place.names[-1], "--drop", place.names[0], "--prune", "1se",
               "--min-samples-leaf", 10, "--report", "a.html", cwd=folder)  # fmt: skip
    assert done.returncode == 0, done.stderr
    return Desk(folder, place, done.stdout + done.stderr)


def test_describe(desk: Desk) -> None:
    data = json.loads(ok("describe", "a.csv", "-t", desk.name(-1), "--json", cwd=desk.folder))
    assert [(one["name"], one["kind"]) for one in data["columns"]] == list(
        zip(desk.place.names, KINDS, strict=True)
    )
    assert (data["n_rows"], data["n_missing"]) == (300, 15)
    income, day = data["columns"][1], data["columns"][4]
    assert income["quantiles"][2] == pytest.approx(MEDIAN_INCOME)
    assert day["n_distinct"] == 268


def test_learn_and_report(desk: Desk) -> None:
    assert "5 leaves from 300 rows, saved in a.ceiba" in desk.said
    assert "report written to a.html" in desk.said
    page = (desk.folder / "a.html").read_text("utf-8")
    assert desk.place.cities[3] in page or json.dumps(desk.place.cities[3])[1:-1] in page


def test_show(desk: Desk) -> None:
    text = desk.in_boston(ok("show", "a.ceiba", cwd=desk.folder))
    lines = {re.sub(r"^[│├└─ ]+", "", line) for line in text.split("\n")}
    assert lines == set(TREE.split("\n"))


def test_evaluate_on_a_second_file(desk: Desk) -> None:
    data = json.loads(ok("evaluate", "a.ceiba", "b.csv", "--json", cwd=desk.folder))
    assert data["accuracy"] == pytest.approx(ACCURACY)


def test_predict_keeps_the_file_as_it_is_written(desk: Desk) -> None:
    ok("predict", "a.ceiba", "b.csv", "-o", "answers.csv", cwd=desk.folder)
    given = (desk.folder / "b.csv").read_bytes().decode(desk.place.encoding).splitlines()
    made = (desk.folder / "answers.csv").read_bytes().decode("utf-8-sig").splitlines()
    assert len(made) == 101
    assert made[0].split(desk.place.separator)[-1] == "prediction"
    wrong = 0
    for before, after in zip(given[1:], made[1:], strict=True):
        row, _, answer = after.rpartition(desk.place.separator)
        assert row.replace('"', "") == before.replace('"', "")
        wrong += answer != before.rpartition(desk.place.separator)[2]
    assert wrong == round(100 * (1 - ACCURACY))


def test_explain_a_row_of_the_file_and_one_that_is_typed(desk: Desk) -> None:
    name, place = desk.name, desk.place
    of_file = ok("explain", "a.ceiba", "b.csv", "--row", 3, cwd=desk.folder)
    rate = re.search(rf"{name(2)} is ([\d.]+)\)", of_file)
    assert rate is not None, of_file
    typed = ok("explain", "a.ceiba", "-v", f"{name(1)}={_typed(place, 1234.5)}", "-v",
               f"{name(2)}={place.rate.format(place.number(8.25))}", cwd=desk.folder)  # fmt: skip
    assert f"{name(1)} is 1234.5)" in typed
    assert f"{name(2)} is 8.25)" in typed
    assert f"{place.no_yes[1]} " in typed


def _typed(place: Dialect, value: float) -> str:
    return place.income(value).strip('"')


def test_ask_takes_numbers_as_the_file_has_them(desk: Desk) -> None:
    place = desk.place
    answers = f"{_typed(place, 1234.5)}\n{place.number(8.25)}\n"
    text = ok("ask", "a.ceiba", cwd=desk.folder, stdin=answers.encode())
    assert f"{desk.name(-1)}: {place.no_yes[1]}" in text
    assert f"{desk.name(1)} is 1234.5)" in text


def test_export_and_plot(desk: Desk) -> None:
    pytest.importorskip("matplotlib")
    sql = ok("export", "a.ceiba", "sql", cwd=desk.folder)
    assert f'"{desk.name(1)}"' in sql
    assert f"'{desk.place.cities[3]}'" in sql
    ok("plot", "a.ceiba", "-o", "tree.png", cwd=desk.folder)
    assert (desk.folder / "tree.png").read_bytes().startswith(b"\x89PNG")
