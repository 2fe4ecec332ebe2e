"""Check the built site: every internal link resolves, and nothing is loaded from elsewhere.

Run: python docs/_ext/check_site.py docs/_build/html
"""

from __future__ import annotations

import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

LOADED = {"script": "src", "img": "src", "iframe": "src", "link": "href", "source": "src"}


class Page(HTMLParser):
    """The anchors of a page, what it links to, and what it loads."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.anchors: set[str] = set()
        self.links: list[str] = []
        self.loaded: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note ids, links and loads."""
        given = {name: value for name, value in attrs if value is not None}
        self.anchors |= {given[key] for key in ("id", "name") if key in given}
        if tag == "a" and "href" in given:
            self.links.append(given["href"])
        wanted = LOADED.get(tag)
        if wanted in given and given.get("rel") not in ("canonical",):
            self.loaded.append(given[wanted])


def problems(folder: Path) -> list[str]:
    """List broken links and loads from elsewhere."""
    pages = {path: Page(path.read_text("utf-8")) for path in sorted(folder.rglob("*.html"))}
    found = []
    for path, page in pages.items():
        if "_static" in path.relative_to(folder).parts:
            continue  # pages that are shown inside others, with links of their own
        here = path.relative_to(folder)
        for target in page.loaded:
            parts = urlsplit(target)
            if parts.scheme in ("http", "https") or parts.netloc:
                found.append(f"{here}: loads {target}")
        for target in [*page.links, *page.loaded]:
            parts = urlsplit(target)
            if parts.scheme or parts.netloc or target.startswith("data:"):
                continue
            other = path if not parts.path else (path.parent / unquote(parts.path)).resolve()
            if not other.exists():
                found.append(f"{here}: {target} does not exist")
            elif other in pages and not leads(parts.fragment, pages[other]):
                found.append(f"{here}: {target} has no such place")
    return found


def leads(fragment: str, page: Page) -> bool:
    """Return whether a page has the named anchor, if there is one."""
    return not fragment or unquote(fragment) in page.anchors


def main() -> None:
    """Print what is broken, and fail if anything is, or if there are no pages."""
    folder = Path(sys.argv[1]).resolve()
    found = problems(folder) if any(folder.rglob("*.html")) else [f"{folder} contains no pages"]
    print(*found, sep="\n", end="\n" if found else "")
    n_pages = len(list(folder.rglob("*.html")))
    print(f"{n_pages} pages, {len(found)} problems", file=sys.stderr)
    sys.exit(bool(found))


if __name__ == "__main__":
    main()
