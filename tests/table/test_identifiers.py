"""The rule for identifiers: what names the rows is found, what measures something is kept."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import ceiba
from ceiba.errors import DataWarning, LeakWarning
from ceiba.table import read
from ceiba.table.identifiers import is_identifier

N = 200
RNG = np.random.default_rng(3)
ORDER = RNG.permutation(N)
DISTRICTS = np.repeat([526_300_000, 527_100_000, 923_400_000, 1_007_100_000], N // 4)
IDENTIFIERS: dict[str, Any] = {
    "sequence": np.arange(N),
    "shuffled": 1000 + ORDER,
    "step of ten": 10 * ORDER,
    "leading zeros": [f"{i:05d}" for i in ORDER],
    "one width as text": [str(i) for i in RNG.choice(np.arange(10**7, 10**8), N, replace=False)],
    "one width as number": RNG.choice(np.arange(10**7, 10**8), N, replace=False),
    "random codes": RNG.choice(10**6, N, replace=False),
    "parcels": DISTRICTS + 10 * ORDER,
    "letters and digits": [f"A/5 {i}" for i in ORDER],
    "names": [f"person {i}" for i in ORDER],
    "gaps": [None if i % 10 == 0 else int(i) for i in range(N)],
    "one repeated": [0, *range(N - 1)],
}
MEASUREMENTS: dict[str, Any] = {
    "lognormal": np.unique(RNG.lognormal(12, 1, 2 * N).astype(int))[:N][ORDER],
    "normal": RNG.choice(np.unique(RNG.normal(50_000, 9_000, 9 * N).astype(int)), N, replace=False),
    "squares": ORDER**2,
    "fractions": ORDER + 0.5,
    "few values": ORDER // 5,
    "97 percent": np.where(np.arange(N) < 6, 0, np.arange(N)),
    "decimals as text": [f"{i}.5" for i in ORDER],
    "dates as text": [str(np.datetime64("2024-01-01") + int(i)) for i in ORDER],
    "times as text": [f"2013-01-01T{i % 24:02d}:{i % 60:02d}:00Z" for i in range(N)],
    "dates": np.datetime64("2024-01-01") + ORDER,
    "levels": [f"level {i % 150}" for i in ORDER],
}


@pytest.mark.parametrize("frame", [dict, pd.DataFrame, pl.DataFrame])
@pytest.mark.filterwarnings("ignore::ceiba.errors.DataWarning")
def test_identifiers_are_told_from_measurements(frame: Any) -> None:
    table = read(frame({**IDENTIFIERS, **MEASUREMENTS}))
    found = [one.name for one in table.columns if is_identifier(one)]
    assert found == list(IDENTIFIERS)
    described = ceiba.describe(frame({**IDENTIFIERS, **MEASUREMENTS}))
    assert [one.name for one in described if one.kind == "identifier"] == list(IDENTIFIERS)


@pytest.mark.parametrize(("n_rows", "found"), [(49, False), (50, True)])
def test_fifty_rows_are_needed(n_rows: int, found: bool) -> None:
    assert is_identifier(read({"a": list(range(n_rows))}).columns[0]) is found


def test_independent_measurements_are_seldom_taken_for_identifiers() -> None:
    rng = np.random.default_rng(0)
    taken = 0
    for _ in range(300):
        n = int(rng.integers(150, 1000))
        values = np.exp(rng.normal(11, rng.uniform(0.3, 1.5), n)).astype(np.int64)
        taken += is_identifier(read({"area": values}).columns[0])
    assert taken <= 3


def test_fit_warns_of_an_identifier_and_how_to_drop_it() -> None:
    X = pd.DataFrame({"id": ORDER, "x": RNG.normal(size=N)})
    y = (ORDER > 99).astype(int)  # the identifier decides the target: one warning, not two
    with pytest.warns(DataWarning, match=r"'id' is an identifier.*X.drop\(columns='id'\)") as said:
        ceiba.DecisionTreeClassifier(max_depth=1).fit(X, y)
    assert not [one for one in said if issubclass(one.category, LeakWarning)]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(LeakWarning):  # a leak that is no identifier is still told
            ceiba.DecisionTreeClassifier(max_depth=1).fit(
                {"a": ORDER // 5, "x": X["x"]}, ORDER // 5 > 19
            )
        y = RNG.normal(size=N)
        ceiba.DecisionTreeRegressor(max_depth=1).fit({"a": np.arange(N)}, y)
        ceiba.DecisionTreeRegressor(max_depth=1).fit({"a": np.arange(1.0 * N), "x": y / 2}, y)


@pytest.mark.parametrize(
    "levels", [["001", "002"], ["01.11", "01.12"], ["17463", "A/5 21171"], ["10115", "80331"]]
)
def test_codes_are_not_to_be_converted(levels: list[str]) -> None:
    widened = [text[:-2] + f"{int(text[-2:]) + i:02d}" for text in levels for i in range(30)]
    values = widened * 4  # repeated: no identifier, and nothing else to say
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        read({"code": values, "x": [0.5] * len(values)})


def test_targets_of_texts_are_not_taken_for_a_regression() -> None:
    y = [f"name {i}" for i in range(40)]
    with pytest.warns(DataWarning, match="40 classes in 40 rows.*identifier or free text"):
        ceiba.DecisionTreeClassifier().fit({"x": RNG.normal(size=40)}, y)
    with pytest.warns(DataWarning, match="could represent a regression problem"):
        ceiba.DecisionTreeClassifier().fit({"x": RNG.normal(size=40)}, list(range(40)))
