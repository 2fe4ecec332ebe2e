"""Time zones are stored, shown and not mixed; ISO text is read where dates are expected."""

from __future__ import annotations

import datetime
import json
import shutil
import subprocess
import zoneinfo
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import ceiba
from ceiba.errors import DataError, DataTypeError, SchemaError
from ceiba.table import read

ZONE = "America/New_York"
HOURS = pd.date_range("2024-01-01", periods=400, freq="h", tz=ZONE)
Y = (np.arange(400) >= 200).astype(int)  # from 2024-01-09 08:00 on


def columns() -> dict[str, Any]:
    """The same column from every container."""
    return {
        "pandas": pd.DataFrame({"t": HOURS}),
        "polars": pl.DataFrame(
            {"t": pl.Series(list(HOURS.to_pydatetime())).dt.convert_time_zone(ZONE)}
        ),
        "arrow": pa.table({"t": pa.array(list(HOURS.to_pydatetime()), pa.timestamp("us", ZONE))}),
        "dict": {"t": [one.astimezone(zoneinfo.ZoneInfo(ZONE)) for one in HOURS.to_pydatetime()]},
    }


def model(**options: Any) -> Any:
    return ceiba.DecisionTreeClassifier(**options).fit(columns()["pandas"], Y)


@pytest.mark.parametrize("container", ["pandas", "polars", "arrow", "dict"])
def test_zone_is_stored_and_shown(container: str) -> None:
    tree = ceiba.DecisionTreeClassifier().fit(columns()[container], Y).tree_
    assert tree.schema.columns[0].zone == ZONE
    assert "t <= 2024-01-09T07:30:00-05:00" in str(tree)
    assert tree == model().tree_


def test_zone_is_shown_by_explain_and_rules_and_kept_in_files(tmp_path: Path) -> None:
    fitted = model()
    assert "t is 2024-01-01T00:00:00-05:00" in str(fitted.explain(columns()["pandas"][:1]))
    assert "2024-01-09T07:30:00-05:00" in str(fitted.tree_.rules())
    fitted.save(tmp_path / "m.ceiba")
    back = ceiba.load(tmp_path / "m.ceiba")
    assert back.tree_ == fitted.tree_
    assert str(back.tree_) == str(fitted.tree_)


def test_another_zone_is_the_same_moment() -> None:
    rows = pd.DataFrame({"t": HOURS.tz_convert("Asia/Tokyo")})
    assert model().predict(rows).tolist() == Y.tolist()


@pytest.mark.parametrize(
    "rows",
    [
        pd.DataFrame({"t": [pd.Timestamp("2024-01-09 09:00")]}),
        {"t": [datetime.datetime(2024, 1, 9, 9)]},
        {"t": [datetime.date(2024, 1, 9)]},
        {"t": ["2024-01-09T09:00:00"]},
    ],
    ids=["pandas", "datetime", "date", "text"],
)
def test_time_without_a_zone_is_refused_after_a_fit_with_one(rows: Any) -> None:
    with pytest.raises(SchemaError, match=f"expected datetimes in a time zone .{ZONE}.*localize"):
        model().predict(rows)


def test_time_with_a_zone_is_refused_after_a_fit_without_one() -> None:
    plain = pd.DataFrame({"t": HOURS.tz_localize(None)})
    fitted = ceiba.DecisionTreeClassifier().fit(plain, Y)
    assert "t <= 2024-01-09T07:30:00 " in str(fitted.tree_)
    with pytest.raises(SchemaError, match="without a time zone, got datetimes in a time zone"):
        fitted.predict(columns()["pandas"])


def test_column_of_nothing_but_missing_fits() -> None:
    assert model().predict({"t": [None]}).tolist() in ([0], [1])


def test_python_datetimes_with_and_without_a_zone_in_one_column_are_refused() -> None:
    mixed = [datetime.datetime(2024, 1, 1), datetime.datetime(2024, 1, 1, tzinfo=datetime.UTC)]
    with pytest.raises(DataTypeError, match="mixes times with and without a time zone"):
        read({"t": mixed})


def test_datetimes_of_several_zones_are_shown_in_utc() -> None:
    two = [HOURS[0].to_pydatetime(), HOURS[1].tz_convert("Asia/Tokyo").to_pydatetime()]
    assert read({"t": two}).schema.columns[0].zone == "UTC"


# ---------------------------------------------------------------------- ISO text


def test_iso_text_is_read_where_dates_are_expected() -> None:
    texts = [one.isoformat() for one in HOURS]
    assert model().predict({"t": texts}).tolist() == Y.tolist()
    assert model().predict([{"t": texts[0]}, {"t": texts[-1]}]).tolist() == [0, 1]


def test_iso_dates_are_read_where_dates_are_expected() -> None:
    days = [datetime.date(2024, 1, k) for k in range(1, 21)]
    fitted = ceiba.DecisionTreeRegressor().fit({"day": days}, np.arange(20.0))
    texts = [day.isoformat() for day in days]
    assert fitted.predict({"day": texts}).tolist() == list(range(20))
    assert fitted.predict({"day": [*texts[:2], None]}).tolist()[:2] == [0, 1]


def test_text_that_is_no_date_is_named() -> None:
    with pytest.raises(DataError, match="Column 't': 'tomorrow' is not a date"):
        model().predict({"t": ["2024-01-09T09:00:00-05:00", "tomorrow"]})


# ---------------------------------------------------------------------- exports


def test_exported_python_takes_what_a_user_has() -> None:
    module: dict[str, Any] = {}
    exec(model().tree_.export("python"), module)
    for form in (lambda t: t.to_pydatetime(), lambda t: t.isoformat(), lambda t: t.timestamp()):
        assert [module["predict"]({"t": form(one)}) for one in HOURS] == Y.tolist()
    utc = HOURS[300].tz_convert("UTC").isoformat().replace("+00:00", "Z")
    assert module["predict"]({"t": utc}) == 1
    for naive in (datetime.datetime(2024, 1, 9), "2024-01-09T09:00:00"):
        with pytest.raises(ValueError, match="with and without a time zone"):
            module["predict"]({"t": naive})


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
def test_exported_python_takes_scalars_of_numpy_and_pandas(unit: str) -> None:
    moments = (HOURS.tz_localize(None) - pd.Timedelta("50000D") + pd.Timedelta("1ms")).as_unit("ns")
    fitted = ceiba.DecisionTreeRegressor().fit({"t": moments}, np.arange(len(moments)))
    module: dict[str, Any] = {}
    exec(fitted.tree_.export("python"), module)
    numbers = moments.to_numpy().astype(f"M8[{unit}]")
    expected = fitted.predict({"t": numbers})
    for values in (numbers, [pd.Timestamp(one) for one in numbers]):
        assert [module["predict"]({"t": one}) for one in values] == expected.tolist()
    seconds = numbers.astype("M8[s]").astype(np.int64)
    assert module["predict"]({"t": seconds[5]}) == module["predict"]({"t": int(seconds[5])})


def test_exported_python_takes_missing_times_and_refuses_numpy_times_for_a_zone() -> None:
    module: dict[str, Any] = {}
    exec(model().tree_.export("python"), module)
    assert [module["predict"]({"t": one}) for one in HOURS] == Y.tolist()  # pandas, with a zone
    for gone in (pd.NaT, np.datetime64("NaT")):
        assert module["predict"]({"t": gone}) == module["predict"]({"t": None})
    with pytest.raises(ValueError, match="with and without a time zone"):
        module["predict"]({"t": np.datetime64("2024-01-09T09:00")})


@pytest.mark.parametrize("unit", ["D", "ms", "ns"])
def test_exported_python_takes_durations_of_numpy_and_pandas(unit: str) -> None:
    spans = np.arange(-5, 15).astype("m8[D]").astype(f"m8[{unit}]")
    fitted = ceiba.DecisionTreeRegressor().fit({"d": spans}, np.arange(20.0))
    module: dict[str, Any] = {}
    exec(fitted.tree_.export("python"), module)
    for values in (spans, [pd.Timedelta(one) for one in spans]):
        assert [module["predict"]({"d": one}) for one in values] == list(range(20))


def test_exported_javascript_takes_iso_text(tmp_path: Path) -> None:
    node = shutil.which("node")
    if node is None:
        pytest.skip("node is not installed")
    (tmp_path / "t.js").write_text(model().tree_.export("javascript"), "utf-8")
    texts = json.dumps([one.isoformat() for one in HOURS])
    answers = f"{texts}.map((s) => t.predict({{t: s}}))"
    script = f"const t = require('./t.js'); console.log(JSON.stringify({answers}))"
    (tmp_path / "run.js").write_text(script, "utf-8")
    done = subprocess.run([node, tmp_path / "run.js"], capture_output=True, check=True)
    assert json.loads(done.stdout) == Y.tolist()


def test_sample_of_a_column_with_a_zone_can_be_predicted() -> None:
    tree = model().tree_
    X, y = tree.sample(20, random_state=0)
    assert tree.predict(X).tolist() == y.tolist()
