"""Sphinx settings: MyST Markdown, one generated page per public name, no script from elsewhere."""

from __future__ import annotations

from importlib.metadata import version as installed_version

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
]
source_suffix = {".md": "markdown"}
exclude_patterns = ["_build"]
myst_enable_extensions = ["deflist", "dollarmath", "colon_fence"]
myst_heading_anchors = 3
myst_links_external_new_tab = False

autosummary_generate = True
autosummary_ignore_module_all = False
autodoc_typehints = "none"  # the numpydoc sections say it in words
autodoc_member_order = "bysource"
autodoc_default_options = {"members": True, "inherited-members": False, "show-inheritance": False}
napoleon_google_docstring = False
napoleon_use_rtype = False
default_role = "code"

html_theme = "furo"
html_title = f"ceiba {release}"
html_copy_source = False
