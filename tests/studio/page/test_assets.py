"""The studio's assets: the report's drawing code shared, three languages, types that hold."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

import ceiba
from ceiba.report.page import list_modules
from ceiba.studio.page import ENTRY, STYLES, render_page
from ceiba.words import words
from tests.report.checkers import (
    classes_unused,
    words_asked,
    words_unused,
)

ROOT = Path(ceiba.__file__).parent
KEYS = set(words("en").section("studio"))
BUILT = ("s_role_", "s_kind_", "s_remark_", "s_measure_", "s_screen_", "s_compare_", "s_save_")
BUILT_BY_NAME = ("s_option_", "s_value_", "s_rows_", "s_preset_", "tab_")


def text_of(paths: Iterable[str]) -> str:
    return "\n".join((ROOT / path).read_text("utf-8") for path in paths)


def code() -> str:
    return text_of(list_modules(ENTRY))


def test_words_every_key_that_is_asked_for_is_known() -> None:
    assert words_asked(code()) - KEYS - set(words("en").section("page")) == set()


def test_words_and_style_classes_are_all_used() -> None:
    quoted = set(re.findall(r"[\"'`]([a-z0-9_]+)[\"'`]", code()))
    hints = {key for key in KEYS if key.removesuffix("_hint") in quoted}  # put together
    unused = words_unused(KEYS - hints, code(), BUILT)
    assert {key for key in unused if not key.startswith(BUILT_BY_NAME)} == set()
    for path in STYLES[2:]:
        unused = classes_unused(text_of([path]), code()) - {"studio", "busy"}
        assert {one for one in unused if not one.startswith("role-")} == set(), path


def test_page_names_no_outside_address_and_runs_only_what_is_hashed() -> None:
    made = render_page("en")
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
