"""The texts of lessons, one file per language."""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files

from ceiba.errors import OptionError


@cache
def words_in(lang: str) -> dict[str, str]:
    """Give the texts in a language, by key.

    Examples
    --------
    >>> from ceiba.studio.lessons.wording import words_in
    >>> words_in("es")["gain"]
    'Ganancia'
    """
    if lang not in ("en", "es", "pt"):
        raise OptionError(f"lang: got {lang!r}. Lessons are in en, es and pt.")
    file = files("ceiba.studio").joinpath("lessons", "words", f"{lang}.json")
    words: dict[str, str] = json.loads(file.read_text("utf-8"))
    return words
