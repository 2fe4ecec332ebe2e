"""``llms.txt``: the pages of the site with one sentence each, for language models."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from docutils import nodes

HEAD = """# ceiba

> One decision tree that a person can read and trust: a Python library (scikit-learn's API, C++20
> core), a command line, an interactive report and a browser studio.

To use it from a shell, read SKILL.md in the folder of the package:
`python -c "import ceiba; print(ceiba.__path__[0])"`.
"""
#: Left out: generated pages, translations of the lessons, pages for developers.
LEFT_OUT = ("api/generated/", "lessons/es/", "lessons/pt/", "cheat_sheet/es", "cheat_sheet/pt")


def write_index(app: Any, error: Exception | None) -> None:
    """Write the list of pages after a build."""
    if error or app.builder.format != "html":
        return
    env = app.env
    parts: dict[str, list[str]] = {}
    for name in sorted(env.found_docs):
        if name.startswith(LEFT_OUT) or name == "index":
            continue
        page = env.get_doctree(name)
        first = next(iter(page.findall(nodes.paragraph)), None)
        text = "" if first is None else " ".join(first.astext().split())
        sentence = text.partition(". ")[0].rstrip(".")
        line = f"- [{env.titles[name].astext()}]({name}.html): {sentence[:160]}."
        parts.setdefault(name.partition("/")[0] if "/" in name else "guides", []).append(line)
    order = sorted(parts, key=lambda part: (part != "guides", part != "howto", part))
    body = "\n".join(f"\n## {part}\n\n" + "\n".join(parts[part]) for part in order)
    Path(app.outdir, "llms.txt").write_text(HEAD + body + "\n", encoding="utf-8")


def setup(app: Any) -> dict[str, bool]:
    """Connect the hook."""
    app.connect("build-finished", write_index)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
