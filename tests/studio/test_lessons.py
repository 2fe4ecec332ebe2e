"""Lessons: the best question is asked for first, then computed with the numbers in the formulas."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import ceiba
from ceiba.cli.studio_job import open_example
from ceiba.studio.analysis.lessons import MEASURES, ClassTable, compute_steps
from ceiba.studio.launch import initial_setup
from ceiba.studio.work.workspace import Workspace
from ceiba.words import words as words_of
from tests.studio.serving import Talk


def lesson(name: str) -> Talk:
    source, target, options = open_example(name)
    start = initial_setup(source, target, options, lesson=True)
    return Talk(Workspace(source, start, lesson=name))


def test_figures_are_hidden_until_the_learner_has_answered() -> None:
    talk = lesson("restaurant")
    hidden = talk.get("/api/node/0/rivals")["rivals"]
    assert [one["column"] for one in hidden] == list(ceiba.datasets.load_restaurant().X)
    assert all(one["gain"] is None and one["branches"] == [] for one in hidden)
    for address in ("p-values", "column/Patrons"):
        answer = talk.client.get(f"/api/node/0/{address}")
        assert (answer.status_code, answer.json()["error"]["code"]) == (403, "lesson")
    assert talk.client.get("/api/lesson/0?column=Patrons").status_code == 403
    made = talk.post("/api/lesson/0", column="Type")
    assert (made["right"], made["best"]) == (False, ["Patrons"])
    shown = talk.get("/api/node/0/rivals")["rivals"]
    assert shown[0]["column"] == "Patrons"
    assert shown[0]["gain"] == pytest.approx(0.541, abs=1e-3)  # Russell and Norvig
    state = talk.get("/api/state")
    assert state["lesson"] == {"name": "restaurant", "answered": [{"node": 0, "column": "Type"}]}


def test_textbook_numbers_of_play_tennis() -> None:
    """Quinlan 1986; Mitchell 1997, section 3.4: gains of 0.247, 0.152, 0.048 and 0.029."""
    talk = lesson("play_tennis")
    made = talk.post("/api/lesson/0", column="Outlook")
    assert made["right"]
    expected = {"Outlook": 0.247, "Humidity": 0.152, "Wind": 0.048, "Temperature": 0.029}
    for column, gain in expected.items():
        steps = talk.get(f"/api/lesson/0?column={column}&measure=gain")
        assert steps["result"] == pytest.approx(gain, abs=6e-4)
        assert steps["result"] == pytest.approx(made["gains"][column])
    ratio = talk.get("/api/lesson/0?column=Outlook&measure=gain_ratio")["result"]
    assert ratio == pytest.approx(0.156, abs=1e-3)


def test_iris_lesson_is_about_cuts() -> None:
    talk = lesson("iris")
    made = talk.post("/api/lesson/0", column="petal width")
    assert made["right"]
    assert set(made["best"]) == {"petal length", "petal width"}
    steps = talk.get("/api/lesson/0?column=petal%20width&measure=gain&lang=es")
    assert steps["result"] == pytest.approx(1 / 3)
    assert steps["steps"][0]["title"] == "Impureza de Gini del nodo"
    assert talk.client.get("/api/lesson/0?column=petal%20width&lang=de").status_code == 400


@pytest.mark.parametrize("seed", range(20))
def test_results_are_those_of_the_library(seed: int) -> None:
    from scipy import stats

    rng = np.random.default_rng(seed)
    counts = rng.integers(0, 9, (int(rng.integers(2, 5)), int(rng.integers(2, 4))))
    counts[:, 0] += 1
    counts[0] += 1
    classes = tuple(f"c{k}" for k in range(counts.shape[1]))
    branches = tuple(f"b{k}" for k in range(counts.shape[0]))
    labels = [c for row in counts for c, n in zip(classes, row, strict=True) for _ in range(n)]
    column = [b for b, row in zip(branches, counts, strict=True) for _ in range(int(row.sum()))]
    rows = tuple(map(tuple, counts.tolist()))
    words = words_of("en").section("steps")
    for base in ("entropy", "gini"):
        table = ClassTable(classes, branches, rows, base)
        gain = ceiba.gain(column, labels, "multiway", base)
        assert compute_steps(table, "gain", words)[-1]["value"] == pytest.approx(gain, abs=1e-12)
        first = compute_steps(table, base, words)[0]["value"]
        assert first == pytest.approx(ceiba.impurity(labels, base))
    ratio = ceiba.gain(column, labels, "multiway", "gain_ratio")
    assert compute_steps(table, "gain_ratio", words)[-1]["value"] == pytest.approx(ratio)
    chi = stats.chi2_contingency(counts, correction=False).statistic
    assert compute_steps(table, "chi2", words)[-1]["value"] == pytest.approx(chi)


@pytest.mark.parametrize("measure", MEASURES)
def test_formulas_say_what_they_come_to(measure: str) -> None:
    """The right side of each formula is its value; the left side, computed, gives it too."""
    table = ClassTable(("no", "yes"), ("a", "b"), ((2, 0), (1, 3)))
    for step in compute_steps(table, measure, words_of("en").section("steps")):
        if step["title"] == words_of("en")["steps.expected"]:
            continue
        left, _, right = step["formula"].rpartition(" = ")
        assert float(right.replace("−", "-")) == pytest.approx(step["value"], abs=5e-5)
        text = re.sub(r"^.*?= ", "", left).replace("−", "-").replace("·", "*").replace("²", "**2")
        text = text.replace("log₂", "np.log2")
        assert float(eval(text, {"np": np})) == pytest.approx(step["value"], abs=2e-4)


def test_script_of_a_lesson_runs() -> None:
    talk = lesson("restaurant")
    talk.act("grow", node=0)
    source, _, _ = open_example("restaurant")
    names: dict[str, Any] = {"__name__": "__main__"}
    text = talk.client.get("/api/download/script").text
    assert "ceiba.datasets.load_restaurant().data" in text
    exec(text, names)
    assert source.expression in text
