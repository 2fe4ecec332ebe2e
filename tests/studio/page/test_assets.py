"""The studio's assets: the report's drawing code shared, three languages, types that hold."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import ceiba
from ceiba.report.page import SCRIPTS as REPORT_SCRIPTS
from ceiba.studio.page import SCRIPTS, SHARED_SCRIPTS, STYLES, page
from tests.report.checkers import (
    classes_unused,
    lines_cut,
    type_errors,
    unequal_words,
    word_entries,
    words_asked,
    words_unused,
)

ROOT = Path(ceiba.__file__).parent
OWN = ROOT / "studio" / "assets"
REPORT = ROOT / "report" / "assets"
WORDS = ("words/studio_words.js", "words/bench_words.js")
BUILT = ("s_role_", "s_kind_", "s_remark_", "s_measure_", "s_screen_", "s_compare_", "s_save_")
BUILT_BY_NAME = ("s_option_", "s_value_", "s_rows_", "tab_")


def own_code() -> str:
    return "\n".join((OWN / name).read_text("utf-8") for name in SCRIPTS if name not in WORDS)


def shared_code() -> str:
    return "\n".join((REPORT / name).read_text("utf-8") for name in SHARED_SCRIPTS)


def own_words() -> str:
    return "\n".join((OWN / name).read_text("utf-8") for name in WORDS)


def test_scripts_types_of_shared_and_own_files_are_right_by_tsc() -> None:
    shared, own = (REPORT / name for name in SHARED_SCRIPTS), (OWN / name for name in SCRIPTS)
    assert type_errors([*shared, *own], unused=False) == ""


def test_drawing_code_is_the_reports_and_no_function_is_written_twice() -> None:
    assert set(SHARED_SCRIPTS) <= set(REPORT_SCRIPTS)
    needed = ("tree/tree_draw.js", "tree/pane.js", "charts/histogram.js", "panels/panel_prune.js")
    assert set(needed) <= set(SHARED_SCRIPTS)
    report = "\n".join((REPORT / name).read_text("utf-8") for name in REPORT_SCRIPTS)
    names = [
        set(re.findall(r"^(?:async )?function (\w+)", code, re.M)) for code in (report, own_code())
    ]
    assert len(names[1]) > 60
    assert names[0] & names[1] == set()


def test_words_every_key_has_three_languages_and_the_same_blanks() -> None:
    assert len(word_entries(own_words())) > 200
    assert unequal_words(own_words()) == []
    keys = Counter(key for key, _ in word_entries(own_words()))
    assert [key for key, n in keys.items() if n > 1] == []


def test_words_every_key_that_is_asked_for_is_known() -> None:
    report_words = (REPORT / "core" / "i18n.js").read_text("utf-8")
    known = {key for key, _ in word_entries(own_words()) + word_entries(report_words)}
    assert words_asked(own_code() + shared_code()) - known == set()


def test_words_and_style_classes_are_all_used() -> None:
    code = own_code() + shared_code()
    quoted = set(re.findall(r"[\"'`]([a-z0-9_]+)[\"'`]", code))
    keys = {key for key, _ in word_entries(own_words())}
    hints = {key for key in keys if key.removesuffix("_hint") in quoted}  # put together
    unused = words_unused(keys - hints, code, BUILT)
    assert {key for key in unused if not key.startswith(BUILT_BY_NAME)} == set()
    for name in STYLES:
        unused = classes_unused((OWN / name).read_text("utf-8"), code) - {"studio", "busy"}
        assert {one for one in unused if not one.startswith("role-")} == set(), name


def test_scripts_all_files_are_listed_and_small() -> None:
    found = [path.relative_to(OWN) for path in OWN.rglob("*.*")]
    assert {str(path) for path in found} == {*SCRIPTS, *STYLES, "page.html"}
    for name in SCRIPTS:
        text = (OWN / name).read_text("utf-8")
        assert len(text.splitlines()) <= 300, name
        assert lines_cut(text) == [], name


def test_page_names_no_outside_address_and_runs_only_what_is_hashed() -> None:
    made = page("en")
    addresses = set(re.findall(r"(?:https?|wss?)://[\w.$]+", made.html))
    assert addresses == {"http://www.w3.org"}  # the name of SVG, which is not fetched
    assert made.html.count("<script") == 1
    assert not re.search(
        r"\son\w+=", made.html.split("<style>")[0] + made.html.split("</style>")[1][:200]
    )
    assert re.fullmatch(
        r"script-src 'sha256-[\w+/=]+'; style-src 'sha256-[\w+/=]+'",
        made.policy,
    )
