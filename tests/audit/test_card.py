"""Model cards: the same card for the same model, and no level that may name a person."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ceiba
from ceiba.audit import ModelCard
from ceiba.errors import OptionError

N_ROWS = 240


def people() -> tuple[dict[str, Any], np.ndarray[Any, Any]]:
    """Return rows with a level of 3 rows, "Sealand", and an income that one row has."""
    rng = np.random.default_rng(3)
    X = {
        "income": rng.integers(10, 60, N_ROWS).astype(float),
        "country": rng.choice(["Chile", "Peru", "Spain"], N_ROWS).astype(object),
    }
    X["income"][17] = 987654.0
    X["country"][:3] = "Sealand"
    X["income"][::11] = np.nan
    y = np.where((X["income"] > 30) ^ (X["country"] == "Peru"), "granted", "refused")
    y[:3] = "granted"
    return X, y


def card(**options: Any) -> ModelCard:
    X, y = people()
    model = ceiba.DecisionTreeClassifier(max_depth=4, min_samples_leaf=1).fit(X, y)
    return model.card(train=(X, y), test=(X, y), **options)


def test_same_model_and_rows_give_the_same_card() -> None:
    first, second = card(by="country"), card(by="country")
    assert first.to_markdown() == second.to_markdown()
    assert first.to_html().html == second.to_html().html


def test_hash_changes_with_the_tree() -> None:
    X, y = people()
    hashes = [
        ceiba.DecisionTreeClassifier(max_depth=depth)
        .fit(X, y)
        .card()
        .sections["Model details"]["hash of the model (SHA-256)"]
        for depth in (1, 2, 2)
    ]
    assert hashes[0] != hashes[1] == hashes[2]


@pytest.mark.parametrize("ending", ["md", "json", "html"])
def test_saved_card_names_no_level_or_bound_of_fewer_than_five_rows(
    tmp_path: Path, ending: str
) -> None:
    path = tmp_path / f"card.{ending}"
    card(by="country").save(path)
    text = path.read_text("utf-8")
    assert "Sealand" not in text
    assert "987654" not in text
    assert "Chile (" in text
    assert "Groups of fewer than 5 rows are left out" in text


def test_json_card_is_valid_and_has_the_sections_of_the_markdown(tmp_path: Path) -> None:
    def refuse(constant: str) -> None:
        raise ValueError(constant)

    made = card(purpose="granting loans", owner="risk team")
    made.save(tmp_path / "card.json")
    read = json.loads((tmp_path / "card.json").read_text("utf-8"), parse_constant=refuse)
    assert [f"## {name}" for name in read["sections"]] == [
        line for line in made.to_markdown().splitlines() if line.startswith("## ")
    ]
    assert read["sections"]["Intended use"]["owner"] == "risk team"
    assert read["sections"]["Intended use"]["approval"] == "(to be filled in)"


def test_html_card_escapes_names_and_loads_nothing() -> None:
    X = {"<script>": [1.0, 2.0, 3.0, 4.0]}
    model = ceiba.DecisionTreeClassifier().fit(X, ["a", "a", "<b>", "<b>"])
    html = model.card(purpose="<img src=x>").to_html().html
    assert "<script>" not in html
    assert "<img" not in html
    assert "default-src 'none'" in html


def test_calibration_counts_the_rows_of_each_leaf() -> None:
    X, y = people()
    model = ceiba.DecisionTreeClassifier(max_depth=2).fit(X, y)
    calibration = model.card(test=(X, y)).sections["Calibration"]
    leaf = model.apply(X)
    for row in calibration:
        inside = y[leaf == row["leaf"]]
        assert row["rows"] == len(inside)
        assert row["observed"] == pytest.approx(np.mean(inside == row["prediction"]))
        assert row["observed"] == pytest.approx(row["probability"])  # the rows it was fitted on


def test_card_without_rows_says_what_it_lacks() -> None:
    X, y = people()
    model = ceiba.DecisionTreeClassifier(max_depth=2).fit(X, y)
    assert "No held-out rows" in model.card().sections["Evaluation"]
    assert model.tree_.card().sections["Model details"]["grown by"] == "a bare tree"


def test_wrong_options_of_a_card_are_refused() -> None:
    X, y = people()
    model = ceiba.DecisionTreeRegressor(max_depth=1).fit(X, y == "granted")
    with pytest.raises(OptionError, match="by='country' requires test"):
        model.card(by="country")
    with pytest.raises(OptionError, match=r"test must be a tuple \(X, y\)"):
        model.card(test=X)
    with pytest.raises(OptionError, match=r"\.md, .*\.html or \.htm"):
        model.card().save("card.docx")
