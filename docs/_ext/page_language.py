"""The words of the theme ("Next", "On this page") in the language of each page.

Sphinx has one language for a whole site; here lessons and cheat sheets come in three. Sphinx's
catalogues translate the words that they contain, `WORDS` those of the theme alone.
"""

from __future__ import annotations

import gettext
from functools import cache
from html import escape
from pathlib import Path
from typing import Any

import sphinx.locale

from ceiba.lessons.source import NUMBERS

#: Folders whose second part is a language, and the locale of each.
FOLDERS = ("lessons", "cheat_sheet")
LOCALES = {"en": "en", "es": "es", "pt": "pt_BR"}
WORDS = {
    "es": {
        "Back to top": "Volver arriba",
        "Edit this page": "Editar esta página",
        "Home": "Inicio",
        "Index": "Índice",
        "Next": "Siguiente",
        "On this page": "En esta página",
        "Previous": "Anterior",
        "Search": "Buscar",
    },
    "pt": {
        "Back to top": "Voltar ao topo",
        "Edit this page": "Editar esta página",
        "Home": "Início",
        "Index": "Índice",
        "Next": "Próxima",
        "On this page": "Nesta página",
        "Previous": "Anterior",
        "Search": "Buscar",
    },
}


#: The side bar of the pages in a language: captions, and the pages below each.
MENUS = {
    "es": {
        "Lecciones": [(f"lessons/es/{name}", "") for name in ("index", *NUMBERS)],
        "Consultar": [("cheat_sheet/es", ""), ("index", "Documentación (en inglés)")],
    },
    "pt": {
        "Lições": [(f"lessons/pt/{name}", "") for name in ("index", *NUMBERS)],
        "Consultar": [("cheat_sheet/pt", ""), ("index", "Documentação (em inglês)")],
    },
}


class Words(gettext.NullTranslations):
    """The given words first, then those of a catalogue."""

    def __init__(self, words: dict[str, str], catalogue: gettext.NullTranslations) -> None:
        super().__init__()
        self.words = words
        self.add_fallback(catalogue)

    def gettext(self, message: str) -> str:
        """Translate a message."""
        return self.words.get(message.strip()) or super().gettext(message)


@cache
def words_of(lang: str) -> gettext.NullTranslations:
    """Return the translations of the templates into a language."""
    if lang == "en":
        return gettext.NullTranslations()
    folder = Path(sphinx.locale.__file__).parent
    return Words(WORDS[lang], gettext.translation("sphinx", folder, [LOCALES[lang]]))


def language_of(name: str) -> str:
    """Return the language of a page by its name: "lessons/es/3" is Spanish."""
    folder, _, rest = name.partition("/")
    lang = rest.partition("/")[0]
    return lang if folder in FOLDERS and lang in LOCALES else "en"


def set_language(app: Any, name: str, template: str, context: dict[str, Any], tree: object) -> None:
    """Set the ``lang`` of a page, and the words of that language in the templates."""
    lang = language_of(name)
    context["language"] = LOCALES[lang].replace("_", "-")
    app.builder.templates.environment.install_gettext_translations(words_of(lang))
    if lang in MENUS:
        context["furo_navigation_tree"] = menu(app, name, lang)


def menu(app: Any, name: str, lang: str) -> str:
    """Return the side bar of a page in its language."""
    parts = []
    for caption, pages in MENUS[lang].items():
        items = []
        for page, title in pages:
            link = app.builder.get_relative_uri(name, page)
            text = escape(title or app.env.titles[page].astext())
            here = " current current-page" if page == name else ""
            items.append(
                f'<li class="toctree-l1{here}"><a class="reference internal" href="{link}">'
                f"{text}</a></li>"
            )
        heading = '<p class="caption" role="heading" aria-level="2">'
        parts.append(f'{heading}<span class="caption-text">{caption}</span></p><ul>')
        parts.append("".join(items) + "</ul>")
    return "".join(parts)


def setup(app: Any) -> dict[str, bool]:
    """Connect the hook."""
    app.connect("html-page-context", set_language, priority=950)  # after the theme and made_pages
    return {"parallel_read_safe": True, "parallel_write_safe": True}
