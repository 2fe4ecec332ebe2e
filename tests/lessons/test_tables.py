"""Tables of the lessons: read from a file if there is one, else a stand-in by the stated recipe."""

from __future__ import annotations

import numpy as np
import pytest

import ceiba
from ceiba import lessons
from ceiba.lessons import lesson, run, table
from ceiba.lessons.tables import TABLES
from ceiba.lessons.writing import page


@pytest.mark.parametrize("name", TABLES)
def test_stand_in_is_the_same_each_time_and_says_so(name):
    first, second = table(name), table(name)
    assert first.source == "stand-in"
    assert first.columns == second.columns


def test_stand_in_of_seattle_rains_where_something_fell():
    rain = table("seattle").columns
    for inches, answer in zip(rain["PRCP"], rain["RAIN"], strict=True):
        assert answer == (None if inches is None else "TRUE" if inches > 0 else "FALSE")
    assert min(inches for inches in rain["PRCP"] if inches) == 0.01
    assert rain["RAIN"].count(None) == 3


def test_stand_in_of_water_has_the_shares_of_its_recipe():
    water = table("water").columns
    assert np.mean([one is None for one in water["Sulfate"]]) == pytest.approx(0.24, abs=0.04)
    sulfate = np.array([np.nan if one is None else one for one in water["Sulfate"]])
    unlike = np.abs(sulfate - 334) > 1.4 * 41
    drinkable = np.array(water["Potability"])
    assert drinkable[unlike].mean() == pytest.approx(0.65, abs=0.1)
    assert drinkable[~unlike & ~np.isnan(sulfate)].mean() == pytest.approx(0.35, abs=0.05)


def test_stand_in_of_hitters_has_three_levels_of_salary():
    players = table("hitters").columns
    known = [i for i, one in enumerate(players["Salary"]) if one is not None]
    assert (len(players["Salary"]), len(known)) == (322, 263)
    young = [np.log(players["Salary"][i]) for i in known if players["Years"][i] < 4.5]
    assert np.mean(young) == pytest.approx(5.1, abs=0.15)


def test_file_is_read_from_a_path(tmp_path):
    path = tmp_path / "mine.csv"
    path.write_text("Hits,Years,Salary,other\n66,1,NA,x\n81,14,475,y\n")
    players = table("hitters", path)
    assert players.source == "file"
    assert players.columns == {"Years": [1.0, 14.0], "Hits": [66.0, 81.0], "Salary": [None, 475.0]}


def test_file_without_a_column_is_refused_by_name(tmp_path):
    path = tmp_path / "mine.csv"
    path.write_text("Hits,Salary\n66,1\n")
    with pytest.raises(ceiba.DataError, match="'Years'"):
        table("hitters", path)


def test_file_that_is_absent_is_refused(tmp_path):
    with pytest.raises(ceiba.DataError, match="nowhere.csv"):
        table("water", tmp_path / "nowhere.csv")


def test_unknown_table_is_refused_with_a_hint():
    with pytest.raises(ceiba.OptionError, match="seattle"):
        table("seatle")


def test_folder_that_is_absent_is_refused(tmp_path):
    with pytest.raises(ceiba.DataError, match="Not a directory"):
        run(lesson(6), tmp_path / "nowhere")


def test_unknown_lesson_and_language_are_refused():
    with pytest.raises(ceiba.OptionError, match="from 1 to 9, got 10"):
        lesson(10)
    with pytest.raises(ceiba.OptionError, match="en, es, pt"):
        lesson(1).text("fr")


def test_lesson_6_runs_on_the_real_tables(data_folder):
    finished = run(lesson(6), data_folder)
    assert finished.value("n_days") == 25_551
    assert finished.value("from_on") == 1.0
    assert finished.value("above") == pytest.approx(0.9635, abs=1e-4)
    assert "com a tabela verdadeira" in page(finished, "pt")
    assert lessons.table("seattle").source == "stand-in"  # the folder was for that run only
