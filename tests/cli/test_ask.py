"""`ceiba ask`: only what the way needs is asked; answer, why and how sure."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ceiba
from ceiba.cli.terminal.questions import Conversation
from ceiba.errors import DataError
from ceiba.table.files.cell_styles import Style
from tests.cli.running import run

pl = pytest.importorskip("polars")


def test_conversation_asks_what_the_way_needs_and_no_more() -> None:
    data = ceiba.datasets.load_iris()
    model = ceiba.DecisionTreeClassifier().fit(data.X, data.y)
    answers = model.predict(data.X)
    for row in range(0, 150, 7):
        talk = Conversation(model.tree_)
        asked = []
        while (column := talk.next_column()) is not None:
            asked.append(column)
            talk.set_value(column, str(data.X[column][row]))
        assert len(asked) == len(set(asked))
        one = {name: [values[row]] for name, values in data.X.items()}
        assert set(asked) == {step.column for step in model.explain(one).steps}
        assert model.tree_.predict(talk.table())[0] == answers[row]


def test_values_that_are_not_known_are_routed_as_missing() -> None:
    rng = np.random.default_rng(1)
    x = rng.normal(size=300)
    X = {"a": x, "b": x + rng.normal(size=300) / 5, "c": rng.normal(size=300)}
    y = np.where(x > 0, "p", "n")
    model = ceiba.DecisionTreeClassifier(missing="surrogate", max_depth=2).fit(X, y)
    talk = Conversation(model.tree_)
    asked = []
    while (column := talk.next_column()) is not None:
        asked.append(column)
        talk.set_value(column, "" if column == "a" else "-3")
    assert asked[:2] == ["a", "b"]  # the surrogate's column is asked, as a is not known
    assert (
        model.tree_.predict(talk.table())[0]
        == model.predict({"a": [np.nan], "b": [-3.0], "c": [np.nan]})[0]
    )


def test_levels_are_taken_by_name_number_or_beginning() -> None:
    data = ceiba.datasets.load_restaurant()
    model = ceiba.id3().fit(data.X, data.y)
    for text in ("Full", "3", "f"):
        talk = Conversation(model.tree_)
        assert talk.next_column() == "Patrons"
        talk.set_value("Patrons", text)
        assert talk.values["Patrons"] == "Full"
    with pytest.raises(DataError, match="Did you mean 'Some'"):
        talk.set_value("Patrons", "Sone")


def test_numbers_may_have_a_decimal_comma() -> None:
    talk = Conversation(ceiba.tree.build(("x <= 2.5", "a", "b")))
    talk.set_value("x", "2,6")
    assert talk.values == {"x": "2.6"}
    with pytest.raises(DataError, match="must be a number, got 'many'"):
        talk.set_value("x", "many")


def asked(folder: Path, *lines: str) -> Any:
    return run("ask", "iris.ceiba", cwd=folder, stdin="".join(f"{one}\n" for one in lines).encode())


def test_ask_ends_with_answer_why_and_how_sure(learned: Path) -> None:
    done = asked(learned, "5.1", "1.9")
    assert done.returncode == 0, done.stderr
    assert "petal length (1 ... 6.9)? 5.1" in done.stdout
    for part in (
        "species: virginica",
        "Why:\n  petal length > ",
        "How sure:\n  leaf ",
        "95 % interval",
    ):
        assert part in done.stdout
    assert asked(learned, "1.4").stdout.count("?") == 1  # one question decides


def test_ask_says_what_is_lacking(learned: Path) -> None:
    done = asked(learned, "5.1")
    assert done.returncode == 3
    assert "petal width" in done.stderr


def test_value_that_reads_two_ways_is_refused_unless_the_file_settles_it() -> None:
    tree = ceiba.tree.build(("x <= 2.5", "a", "b"))
    with pytest.raises(DataError, match="'2,600' is ambiguous. Write numbers as 1234.5"):
        Conversation(tree).set_value("x", "2,600")
    for decimal, known in ((",", "2.6"), (".", "2600.0")):
        thousands = "." if decimal == "," else ","
        talk = Conversation(tree, styles={"x": Style("number", decimal, thousands)})
        talk.set_value("x", "2,600")
        assert talk.values == {"x": known}
