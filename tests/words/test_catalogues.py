"""The catalogues of words: equal keys and placeholders in every language, none unused."""

from __future__ import annotations

import re
import string
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pytest

import ceiba
from ceiba import plot
from ceiba.errors import OptionError
from ceiba.listing import format_blocks
from ceiba.words import LANGUAGES, words

#: Sections that Python asks for, key by key; those of the page are checked with its scripts.
OF_PAGES = ("page", "trust", "studio", "playground", "steps", "lessons")


def texts(lang: str) -> dict[str, Any]:
    """Return every text of a language by its key; plural forms have keys of their own."""
    found: dict[str, Any] = {}
    for key, form in words(lang)._texts.items():
        if isinstance(form, dict):
            assert set(form) == {"one", "other"}, key
            found |= {f"{key}.{which}": text for which, text in form.items()}
        else:
            found[key] = form
    return found


def placeholders(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name is not None}


@pytest.mark.parametrize("lang", [lang for lang in LANGUAGES if lang != "en"])
def test_keys_and_placeholders_are_those_of_english(lang: str) -> None:
    english, other = texts("en"), texts(lang)
    assert set(english) ^ set(other) == set()
    assert len(english) > 700
    unequal = [k for k in english if placeholders(english[k]) != placeholders(other[k])]
    assert unequal == []
    sentences = [key for key, text in english.items() if text.count(" ") > 3]
    assert [key for key in sentences if other[key] == english[key]] == []


def test_plural_is_chosen_by_n_and_placeholders_are_filled() -> None:
    assert [words("es")("text.leaves", n=n) for n in (0, 1, 2)] == ["0 hojas", "1 hoja", "2 hojas"]
    assert words("en")("text.leaves", n=1) == "1 leaf"
    with pytest.raises(KeyError):
        words("en")("text.leaf", n=1)


def test_unknown_language_is_refused_by_name() -> None:
    with pytest.raises(OptionError, match=r"lang must be one of en, es, pt, got 'ES'\."):
        words("ES")


def test_every_key_of_python_is_used() -> None:
    root = Path(ceiba.__file__).parent
    code = "\n".join(path.read_text("utf-8") for path in root.rglob("*.py"))
    named = set(re.findall(r"[\"']([a-z]+\.[\w -]+)[\"']", code))
    built = set(re.findall(r"f[\"']([a-z]+\.[a-z_]*)\{", code))
    keys = {key for key in words("en")._texts if key.split(".")[0] not in OF_PAGES}
    unused = {key for key in keys - named if not key.startswith(tuple(built))}
    assert unused == set()


#: Words that only English has.
ENGLISH = re.compile(
    r"\b(rows?|lea(?:f|ves)|root|columns?|missing|rules?|accuracy|truth|always|numbers?|if|and|"
    r"probability|training|confidence|the|of|risk|share|yes|then|nodes?|depth|which|splits?)\b"
)


@pytest.fixture(scope="module")
def model() -> Any:
    rng = np.random.default_rng(5)
    X = {
        "x": np.where(rng.random(300) < 0.1, np.nan, rng.normal(size=300)),
        "c": [f"c{k}" for k in rng.integers(0, 12, 300)],
        "b": rng.random(300) < 0.5,
    }
    codes = np.array([int(level[1:]) for level in X["c"]])
    y = np.where((np.nan_to_num(X["x"]) > 0.3) ^ (codes % 3 == 0) ^ X["b"], "sim", "não")
    return ceiba.DecisionTreeClassifier(max_depth=5, min_samples_leaf=5).fit(X, y), X, y


@pytest.mark.parametrize("lang", ["es", "pt"])
def test_no_english_is_left_in_what_is_printed(model: Any, lang: str) -> None:
    fitted, X, y = model
    tree = fitted.tree_
    row = {"x": float("nan"), "c": "c1", "b": True}
    strange = {"x": 1.0, "c": "never seen", "b": False}
    printed = [
        tree.to_text(lang=lang, max_depth=2, max_levels=2),
        str(tree.rules(lang=lang, max_levels=2)),
        tree.rules(lang=lang, positive="sim").to_text(),
        tree.rules(lang=lang, positive="sim").legend,
        str(fitted.summary(lang=lang)),
        *(str(tree.explain(one, lang=lang)) for one in (row, strange)),
        tree.explain(row, lang=lang).table().title,
        format_blocks(fitted.evaluate(X, y).blocks(lang)),
    ]
    for text in printed:
        assert not ENGLISH.findall(re.sub(r"never seen|ln\(P.*\)", "", text)), text
    english = tree.to_text(max_depth=2, max_levels=2)
    assert re.findall(r"\d+|c\d+|[├└→]", english) == re.findall(r"\d+|c\d+|[├└→]", printed[0])


@pytest.mark.parametrize("lang", ["es", "pt"])
def test_no_english_is_left_in_pictures(model: Any, lang: str) -> None:
    fitted, X, y = model
    row = {name: values[0] for name, values in X.items()}
    plots = [
        plot.plot_tree(fitted, lang=lang, max_depth=2),
        plot.plot_icicle(fitted, lang=lang, max_depth=2),
        plot.plot_importance(fitted, lang=lang),
        plot.plot_importance(fitted, X, y, lang=lang, max_columns=1, repeats=2),
        plot.plot_impurity(lang=lang, scale=True),
        plot.plot_path(fitted, row, lang=lang),
        plot.plot_prediction(fitted, column="x", lang=lang),
        plot.plot_pruning(fitted.tree_.pruning_sequence().listing(), lang=lang),
        plot.plot_regions(fitted, lang=lang),
    ]
    for ax in plots:
        figure = ax.get_figure()
        texts = [one.get_text() for one in figure.findobj(lambda one: hasattr(one, "get_text"))]
        assert not ENGLISH.findall("\n".join(texts)), texts
        plt.close(figure)


def test_unknown_language_is_refused_everywhere(model: Any) -> None:
    fitted, X, _ = model
    row = {name: values[0] for name, values in X.items()}
    calls = [
        lambda: fitted.tree_.to_text(lang="fr"),
        lambda: fitted.tree_.rules(lang="fr"),
        lambda: fitted.summary(lang="fr"),
        lambda: fitted.explain(row, lang="fr"),
        lambda: fitted.report(lang="fr"),
        lambda: plot.plot_importance(fitted, lang="fr"),
    ]
    for call in calls:
        with pytest.raises(OptionError, match="en, es, pt, got 'fr'"):
            call()
