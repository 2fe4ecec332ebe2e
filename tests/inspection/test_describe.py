"""`ceiba.describe`: kinds, gaps, distributions, association, remarks."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

import ceiba
from ceiba.errors import SchemaError

N = 60
RNG = np.random.default_rng(5)
FRAME: dict[str, Any] = {
    "number": RNG.normal(size=N),
    "category": [("a", "b", "c")[i % 3] for i in range(N)],
    "id": list(range(N)),
    "name": [f"person {i}" for i in range(N)],
    "when": np.datetime64("2024-01-01") + np.arange(N) // 2,
    "flag": [bool(i % 2) for i in range(N)],
    "same": ["x"] * N,
    "none": [None] * N,
    "texts": [f"{i % 9},5" if i else "unknown" for i in range(N)],
    "codes": [f"00{i % 7}" for i in range(N)],
    "gaps": [None if i % 3 else float(i % 5) for i in range(N)],
}


def test_kinds_and_remarks_are_as_expected() -> None:
    made = ceiba.describe(FRAME)
    assert {one.name: one.kind for one in made} == {
        "number": "number", "category": "category", "id": "identifier", "name": "identifier",
        "when": "date", "flag": "category", "same": "category", "none": "number",
        "texts": "category", "codes": "category", "gaps": "number",
    }  # fmt: skip
    assert {(one.column, one.code) for one in made.remarks} == {
        ("id", "identifier"), ("name", "identifier"), ("same", "constant"), ("none", "empty"),
        ("texts", "numbers_as_text"), ("codes", "codes"), ("gaps", "mostly_missing"),
    }  # fmt: skip


def test_infinity_is_shown_and_not_refused() -> None:
    frame = {"x": [1.0, 2.0, np.inf, 4.0, -np.inf, None] * 50, "y": [0, 1] * 150}
    for X in (frame, np.array([[1, np.inf], [2, 3]])):
        made = ceiba.describe(X)
        assert [one.code for one in made.remarks] == ["infinite"]
    made = ceiba.describe(frame, "y")
    one = made["x"]
    assert (one.n_infinite, one.n_missing, one.quantiles[0], one.quantiles[-1]) == (100, 50, 1, 4)
    assert one.distribution().endswith("4, inf 40%")
    finite = [None if x is None or np.isinf(x) else x for x in frame["x"]]
    assert one.association == ceiba.describe({**frame, "x": finite}, "y")["x"].association
    json.dumps(made.to_dict(), allow_nan=False)
    assert ceiba.describe({"x": [np.inf] * 3})["x"].quantiles == ()


def test_figures_are_those_of_the_column() -> None:
    made = ceiba.describe(FRAME)
    one = made["number"]
    values = np.asarray(FRAME["number"])
    assert one.quantiles == pytest.approx(np.quantile(values, [0, 0.25, 0.5, 0.75, 1]))
    assert one.histogram == tuple(np.histogram(values, 10)[0])
    assert made["gaps"].n_missing == 40
    assert made["gaps"].missing == pytest.approx(2 / 3)
    assert made["category"].levels == (("a", 20), ("b", 20), ("c", 20))
    assert made.n_missing == 100


def test_column_with_nearly_one_value_is_remarked_from_99_percent_on() -> None:
    def codes(n_others: int, of: int = 1000) -> list[str]:
        rare = [k < n_others for k in range(of)]
        frame = {"x": [2.5 if one else 0.0 for one in rare], "c": ["b" if o else "a" for o in rare]}
        return [one.code for one in ceiba.describe(frame).remarks]

    assert codes(10) == ["nearly_constant", "nearly_constant"]
    assert codes(11) == []
    assert codes(1, of=150) == []  # too few rows to say


def test_column_that_decides_the_target_alone_is_remarked_as_a_leak() -> None:
    rng = np.random.default_rng(0)
    y = np.where(rng.random(400) < 0.4, "yes", "no")
    frame = {"told": (y == "yes") * 7.0, "honest": rng.normal(size=400) + (y == "yes"), "y": y}
    made = ceiba.describe(frame, "y")
    assert [(one.column, one.code) for one in made.remarks] == [("told", "leak")]
    assert "'told' alone decides 'y'" in made.remarks[0].text
    few = {name: column[:100] for name, column in frame.items()}
    assert [one.code for one in ceiba.describe(few, "y").remarks] == []


def test_many_levels_are_remarked() -> None:
    made = ceiba.describe({"x": [f"v{i % 600}" for i in range(3000)]})
    assert [one.code for one in made.remarks] == ["many_levels"]
    assert made["x"].kind == "category"


@pytest.mark.parametrize("task", ["classification", "regression"])
def test_association_is_the_share_of_impurity_the_best_split_takes(task: str) -> None:
    x = RNG.normal(size=200)
    y: Any = x + RNG.normal(size=200)
    if task == "classification":
        y = np.where(y > 0, "p", "n")
    frame = {"x": x, "noise": RNG.permutation(x), "y": y}
    made = ceiba.describe(frame, "y")
    best = 0.0
    for cut in (np.sort(x)[:-1] + np.sort(x)[1:]) / 2:  # brute force
        best = max(best, _decrease(y, x <= cut))
    assert made["x"].association == pytest.approx(best)
    assert made["y"].association is None
    assert made["y"].is_target
    noise = made["noise"].association
    assert noise is not None
    assert 0 <= noise < best


def _decrease(y: Any, left: Any) -> float:
    def impurity(part: Any) -> float:
        if part.dtype.kind == "f":
            return float(np.var(part))
        shares = np.unique(part, return_counts=True)[1] / len(part)
        return float(1 - (shares**2).sum())

    after = left.mean() * impurity(y[left]) + (1 - left.mean()) * impurity(y[~left])
    return 1 - after / impurity(y)


def test_description_is_plain_data() -> None:
    data = json.loads(json.dumps(ceiba.describe(FRAME, "flag").to_dict(), default=str))
    assert data["target"] == "flag"
    assert data["columns"][4]["quantiles"][0] == "2024-01-01"


def test_unknown_target_is_named() -> None:
    with pytest.raises(SchemaError, match="Did you mean 'flag'"):
        ceiba.describe(FRAME, "flga")


def test_containers_give_the_same() -> None:
    pl = pytest.importorskip("polars")
    pd = pytest.importorskip("pandas")
    plain = {name: FRAME[name] for name in ("number", "category", "texts")}
    made = ceiba.describe(plain).to_dict()
    assert ceiba.describe(pl.DataFrame(plain)).to_dict() == made
    assert ceiba.describe(pd.DataFrame(plain)).to_dict() == made


def with_code(code: float, rest: Any, rows: int = 20) -> tuple[str, ...]:
    """Return the remarks on a column in which some rows have a code."""
    values = np.concatenate([np.full(rows, code), np.asarray(rest, float)])
    return tuple(one.code for one in ceiba.describe({"x": values}).remarks)


@pytest.mark.parametrize(
    ("code", "rest"),
    [
        (-999, np.arange(360)),
        (-1, np.arange(360)),
        (-9, np.arange(100) / 7),
        (9999, np.arange(18, 90)),
        (-99, np.linspace(-5, 5, 50)),
        (-999, [1, 2, 3, 4, 5] * 20),
        (99, [0, 1] * 30),
    ],
)
def test_code_that_stands_apart_and_recurs_is_remarked(code: float, rest: Any) -> None:
    values = np.concatenate([np.full(20, code), rest])
    found = [one for one in ceiba.describe({"x": values}).remarks if one.code == "missing_code"]
    assert [one.value for one in found] == [code]
    assert f"Does {code} mean missing?" in found[0].text


@pytest.mark.parametrize(
    ("code", "rest", "rows"),
    [
        (-999, np.arange(360), 1),  # one row is an outlier
        (-1, np.arange(-50, 50), 20),  # one of many negative numbers
        (99, np.arange(360), 20),  # among the others
        (99, np.arange(98), 20),  # beside the others
        (-1, [0, 1] * 30, 20),  # few values: codes of something else
        (-9, [1, 2, 3, 4, 5] * 20, 20),  # the same: within five ranges
    ],
)
def test_value_among_others_is_no_missing_code(code: float, rest: Any, rows: int) -> None:
    assert "missing_code" not in with_code(code, rest, rows)


def test_association_of_a_rare_class_is_shown_with_digits_and_rank() -> None:
    rng = np.random.default_rng(0)
    strong, weak = rng.normal(size=(2, 4000))
    y = rng.random(4000) < 0.05 / (1 + np.exp(-2 * strong - 0.5 * weak)) * 2
    table = ceiba.describe({"weak": weak, "strong": strong, "y": y}, "y").table()
    assert table["rank"].tolist() == ["2", "1", ""]
    assert all(0 < float(text) < 0.1 for text in table["association"][:2])
