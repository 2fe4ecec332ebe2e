"""Real tables straight from pandas and polars: fit, predict and explain with no preparation.

Strings, holes, identifiers, a column of 4,043 tail numbers, times, numbers that are text because of
a few blanks: whatever `read_csv` makes of the file goes into `fit`. Every rule for missing values
must give the same tree from both containers, predict every row, and say why.
"""

from __future__ import annotations

import gzip
import lzma
import warnings
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import polars as pl
import pytest

import ceiba
from ceiba.table.identifiers import is_identifier
from tests.marks import slow

RULES = ("learn", "surrogate", "majority", "fractional")
# Telco's TotalCharges are texts because of eleven blanks, and the reader says so.
pytestmark = [
    pytest.mark.filterwarnings("ignore:Column 'TotalCharges'"),
    pytest.mark.filterwarnings("ignore:Column '(tailnum|time_hour)'.*levels"),
]

ADULT = [
    "age", "workclass", "fnlwgt", "education", "education-num", "marital-status", "occupation",
    "relationship", "race", "sex", "capital-gain", "capital-loss", "hours-per-week",
    "native-country", "income",
]  # fmt: skip


class Problem(NamedTuple):
    """A file, its target, and a bar: error or relative squared error that a small tree beats."""

    file: str
    target: str
    task: str
    bar: float
    n_rows: int = 1_000_000
    pandas_options: dict[str, Any] = {}  # noqa: RUF012
    polars_options: dict[str, Any] = {}  # noqa: RUF012


PROBLEMS = {
    "adult": Problem(
        "adult_train.csv.gz",
        "income",
        "classification",
        0.17,
        pandas_options={"header": None, "names": ADULT, "skipinitialspace": True, "na_values": "?"},
        polars_options={"has_header": False, "new_columns": ADULT, "null_values": " ?"},
    ),
    "titanic": Problem("titanic.csv", "Survived", "classification", 0.20),
    "ames": Problem("ames_housing.csv", "SalePrice", "regression", 0.25),
    "telco": Problem("telco_customer_churn.csv", "Churn", "classification", 0.23),
    "flights": Problem("nycflights13_flights.csv.xz", "arr_delay", "regression", 0.30, 30_000),
    "mushrooms": Problem("mushrooms.csv", "type", "classification", 0.02),
}
NAMES = tuple(PROBLEMS)
# A name or a number of its own in every row: what the warning about identifiers is for.
IDENTIFIERS = {
    "titanic": ["PassengerId", "Name", "Ticket", "Cabin"],
    "telco": ["customerID"],
    "ames": ["Order", "PID"],
}


@cache
def table(name: str, container: str, folder: Path) -> Any:
    """The table with its target, rows without a target left out."""
    problem = PROBLEMS[name]
    path = folder / problem.file
    if container == "pandas":
        frame = pd.read_csv(path, nrows=problem.n_rows, low_memory=False, **problem.pandas_options)
        frame = frame.drop(columns=IDENTIFIERS.get(name, []))
        return frame[frame[problem.target].notna()].reset_index(drop=True)
    openers = {".gz": gzip.open, ".xz": lzma.open}
    with openers.get(path.suffix, open)(path, "rb") as stream:
        raw = b"".join(islice(stream, problem.n_rows + 1))
    options = {"null_values": ["", "NA"], "infer_schema_length": None, **problem.polars_options}
    frame = pl.read_csv(raw, **options)
    frame = frame.drop(IDENTIFIERS.get(name, []))
    return frame.filter(pl.col(problem.target).is_not_null())


def fit(name: str, frame: Any, missing: str, **options: Any) -> Any:
    problem = PROBLEMS[name]
    kind = ceiba.DecisionTreeClassifier
    if problem.task == "regression":
        kind = ceiba.DecisionTreeRegressor
    model = kind(missing=missing, max_depth=5, min_samples_leaf=10, n_jobs=1, **options)
    return model.fit(frame, problem.target)


def loss(name: str, model: Any, frame: Any) -> float:
    """Error rate, or squared error over that of the mean, on the training rows."""
    score: float = model.score(*without_target(frame, PROBLEMS[name].target))
    return 1.0 - score


def without_target(frame: Any, target: str) -> tuple[Any, np.ndarray]:
    rest = frame.drop(columns=target) if isinstance(frame, pd.DataFrame) else frame.drop(target)
    return rest, frame[target].to_numpy()


@pytest.mark.parametrize("missing", RULES)
@pytest.mark.parametrize("name", NAMES)
def test_table_as_read_is_learned_well(name, missing, data_folder) -> None:
    frame = table(name, "pandas", data_folder)
    model = fit(name, frame, missing)
    assert loss(name, model, frame) < PROBLEMS[name].bar


@pytest.mark.parametrize("missing", RULES)
@pytest.mark.parametrize("name", NAMES)
def test_every_row_gets_an_answer_with_its_reasons(name, missing, data_folder) -> None:
    frame = table(name, "pandas", data_folder).head(3000)
    model = fit(name, frame, missing)
    X, _ = without_target(frame, PROBLEMS[name].target)
    predicted = model.predict(X)
    assert len(predicted) == len(frame)
    holed = X.isna().sum(axis=1).to_numpy()
    for row in {0, int(np.argmax(holed)), len(X) - 1}:
        explanation = model.explain(X.iloc[[row]])
        assert explanation.answer == predicted[row] or explanation.answer == pytest.approx(
            predicted[row]
        )


@pytest.mark.parametrize("missing", RULES)
@pytest.mark.parametrize("name", ["titanic", "telco", "mushrooms", "flights"])
def test_polars_and_pandas_give_one_tree(name, missing, data_folder) -> None:
    trees = [
        fit(name, table(name, container, data_folder), missing).tree_
        for container in ("pandas", "polars")
    ]
    first, second = trees
    assert first.n_nodes == second.n_nodes
    assert first.splits == second.splits
    assert np.array_equal(first.default_branch, second.default_branch)


@pytest.mark.parametrize("name", NAMES)
def test_rpart_recipe_takes_the_table_as_it_is(name, data_folder) -> None:
    frame, problem = table(name, "pandas", data_folder), PROBLEMS[name]
    method = "class" if problem.task == "classification" else "anova"
    model = ceiba.rpart(method, xval=0, n_jobs=1).fit(frame, problem.target)
    assert loss(name, model, frame) < problem.bar
    assert problem.target not in model.variable_importance_
    assert "surrogates" in str(model.summary())


def test_column_of_thousands_of_levels_is_split_and_named(data_folder) -> None:
    frame = table("flights", "pandas", data_folder)[["tailnum", "distance", "arr_delay"]]
    model = ceiba.DecisionTreeRegressor(max_depth=2, min_samples_leaf=50).fit(frame, "arr_delay")
    assert model.tree_.schema.columns[0].n_levels > 2000
    assert "tailnum" in str(model.tree_)


def test_identifier_column_is_warned_about(data_folder) -> None:
    frame = pd.read_csv(data_folder / "telco_customer_churn.csv").head(500)
    with pytest.warns(ceiba.DataWarning, match="'customerID'.*identifier"):
        ceiba.DecisionTreeClassifier(max_depth=2).fit(frame, "Churn")


@pytest.mark.filterwarnings("ignore::ceiba.errors.DataWarning")
@pytest.mark.parametrize("only", [("ames", "telco", "titanic", "mushrooms"), *slow([""])])
def test_identifiers_of_all_tables_are_found_and_nothing_else(only, data_folder) -> None:
    found = {}
    for path in sorted(data_folder.iterdir()):
        if path.name.startswith("README") or not path.name.startswith(only):
            continue
        table = ceiba.table.read(ceiba.read_file(path))
        names = [one.name for one in table.columns if is_identifier(one)]
        if names:
            found[path.name] = names
    expected = {
        "ames_housing.csv": ["Order", "PID"],
        "bike_sharing_hour.csv": ["instant"],
        "default_credit_card.csv.gz": ["ID"],
        "telco_customer_churn.csv": ["customerID"],
        "titanic.csv": ["PassengerId", "Name"],
    }
    assert found == {name: one for name, one in expected.items() if name.startswith(only)}


def test_rows_of_new_levels_are_answered(data_folder) -> None:
    frame = table("adult", "pandas", data_folder).head(2000).copy()
    model = fit("adult", frame, "learn")
    X, _ = without_target(frame, "income")
    X = X.head(5).assign(**{"marital-status": "Widowed twice"})
    assert set(model.predict(X)) <= set(model.classes_)


def test_holes_are_reported_node_by_node(data_folder) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = fit("ames", table("ames", "pandas", data_folder), "surrogate")
    report = model.tree_.routing()
    rows = model.tree_.n_rows
    for node in set(report["node"].tolist()):
        assert report["rows"][report["node"] == node].sum() == rows[node]
