"""Names of the API in text are links: `CostComplexity`, `ceiba.gain`, `DecisionTreeClassifier`."""

from __future__ import annotations

from typing import Any

from docutils import nodes

KINDS = ("class", "function", "data", "exception")


def targets(env: Any) -> dict[str, tuple[str, str]]:
    """Map the text of a literal to page and anchor, if it names exactly one object."""
    places: dict[str, set[tuple[str, str]]] = {}
    for name, entry in env.domaindata["py"]["objects"].items():
        if name.startswith("ceiba.") and entry.objtype in KINDS:
            place = (entry.docname, entry.node_id)
            short = name.rsplit(".", 1)[1]
            for written in (name, f"ceiba.{short}", short):
                places.setdefault(written, set()).add(place)
    return {name: next(iter(found)) for name, found in places.items() if len(found) == 1}


def link(app: Any, doctree: nodes.document, docname: str) -> None:
    """Wrap literals that name an object, except in titles, links and the API pages themselves."""
    if docname.startswith("api/"):
        return
    known = targets(app.env)
    for literal in list(doctree.findall(nodes.literal)):
        if isinstance(literal.parent, nodes.reference | nodes.title):
            continue
        name = literal.astext().removesuffix("()")
        if not name[:1].isupper() and not name.startswith("ceiba."):
            continue  # plain words such as `table` would mostly mean something else
        if name in known:
            page, anchor = known[name]
            uri = app.builder.get_relative_uri(docname, page)
            reference = nodes.reference("", "", internal=True, refuri=f"{uri}#{anchor}")
            literal.replace_self(reference)
            reference += literal


def setup(app: Any) -> dict[str, bool]:
    """Connect the hook."""
    app.connect("doctree-resolved", link)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
