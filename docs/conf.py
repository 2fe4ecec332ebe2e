"""Sphinx settings: MyST Markdown, one generated page per public name, no script from elsewhere."""

from __future__ import annotations

import re
import sys
from importlib.metadata import version as installed_version
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent / "_ext"))
(Path(__file__).parent / "_made").mkdir(
    exist_ok=True
)  # Sphinx checks html_static_path before it is filled

project = "ceiba"
author = "The ceiba developers"
copyright = "2026, the ceiba developers"  # noqa: A001
version = release = installed_version("ceiba")

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.napoleon",
    "sphinx.ext.viewcode",
    "sphinx_copybutton",
    "sphinx_design",
    "api_links",
    "gallery",
    "llms",
    "made_pages",
    "mathml",
    "page_language",
    "ratio_chart",
    "table_heads",
]
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}  # .rst: generated pages only
exclude_patterns = ["_build", "_ext", "_made"]
myst_enable_extensions = ["deflist", "colon_fence", "dollarmath"]
myst_dmath_allow_digits = False  # prices are no formulas
myst_heading_anchors = 3
myst_links_external_new_tab = False

autosummary_generate = True
autosummary_ignore_module_all = False
autodoc_typehints = "none"  # the numpydoc sections say it in words
autodoc_member_order = "bysource"
autodoc_default_options = {
    "members": True,
    "inherited-members": "BaseEstimator,object,int,str,tuple,ValueError,UserWarning",
    "exclude-members": ",".join(
        f"set_{method}_request" for method in ("fit", "predict", "predict_proba", "score")
    ),
}
napoleon_google_docstring = False
napoleon_use_param = False
napoleon_use_rtype = False
napoleon_use_ivar = True
# Methods inherited from scikit-learn point to labels of its documentation; words in the types of
# attributes ("n_classes") are no references.
suppress_warnings = ["ref.ref", "ref.term", "ref.python"]
templates_path = ["_templates"]
default_role = "code"

html_theme = "furo"
html_title = f"ceiba {release}"
html_copy_source = False
html_static_path = ["_static", "_made"]
html_css_files = ["site.css"]
html_js_files = ["site.js", "pictures.js"]
html_search_scorer = str(Path(__file__).parent / "_static" / "scorer.js")
html_math_renderer = "mathml"
copybutton_exclude = ".linenos, .gp, .go"  # of a session, what is typed
copybutton_selector = "div:not(.output) > div.highlight > pre"


def _edit_docstring(
    app: object, what: str, name: str, obj: object, options: object, lines: list[str]
) -> None:
    """Escape ``n_features_in_`` in the types of parameters: reST reads it as a reference.

    scikit-learn's text about `score` has formulas, which would load a script from the network.
    """
    if name.endswith(".score"):
        lines[:] = ["Accuracy (classification) or R² (regression), as in scikit-learn."]
    for i, line in enumerate(lines):
        head, colon, kind = line.partition(" : ")
        if colon:
            lines[i] = head + colon + re.sub(r"(\w)_(?=\W|$)", r"\1\\_", kind)


def setup(app: Any) -> None:
    """Run the hook before napoleon reads the docstrings."""
    app.connect("autodoc-process-docstring", _edit_docstring, priority=400)
