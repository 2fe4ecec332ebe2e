"""Catalogs of the texts in trees, reports and the studio: English, Spanish and Portuguese.

Each language has one TOML file. A message may contain named placeholders (`{n}`). A message with a
count `n` may have two forms, `one` (n = 1) and `other`. Names of columns, levels and classes are
never translated; help, errors and warnings are in English.
"""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files
from typing import Any, Final

from ceiba import errors

LANGUAGES: Final = ("en", "es", "pt")


class Catalogue:
    """The messages of one language by key: `words("es")("text.leaves", n=3)` is "3 hojas"."""

    def __init__(self, lang: str) -> None:
        if lang not in LANGUAGES:
            raise errors.OptionError(
                f"lang must be one of {', '.join(LANGUAGES)}, got {lang!r}."
                + errors.did_you_mean(str(lang), LANGUAGES)
            )
        self.lang = lang
        text = files("ceiba.words").joinpath(f"{lang}.toml").read_text("utf-8")
        self._sections: dict[str, dict[str, Any]] = tomllib.loads(text)
        self._texts = {
            f"{name}.{key}": form
            for name, section in self._sections.items()
            for key, form in section.items()
        }

    def __getitem__(self, key: str) -> str:
        """Return the message of a key, with its placeholders still in braces."""
        text: str = self._texts[key]
        return text

    def __call__(self, key: str, **values: Any) -> str:
        """Return the message of a key with its placeholders filled in."""
        form = self._texts[key]
        if not isinstance(form, str):
            form = form["one" if values["n"] in (1, "1") else "other"]
        text: str = form.format_map(values)
        return text

    def get(self, key: str, default: str) -> str:
        """Return the message of a key, or `default` if the catalog has none."""
        return str(self._texts.get(key, default))

    def number(self, n: int) -> str:
        """Format a count with the thousands separator of the language."""
        return f"{n:,}".replace(",", self._texts["figure.thousands"])

    def section(self, name: str) -> dict[str, Any]:
        """Return the messages of a section of the TOML file; their keys have no section prefix."""
        return dict(self._sections[name])


@cache
def words(lang: str) -> Catalogue:
    """Return the catalog of a language: "en", "es" or "pt"."""
    return Catalogue(lang)
