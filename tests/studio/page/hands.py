"""Hands on the studio's page: what a person does with mouse and keyboard, in Chromium."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.watched_page import WatchedPage

HOST = "http://127.0.0.1"


#: The page is there, and the root that it began without.
READY = "window.ceibaStudio?.ready && !window.ceibaStudio.studio.server.beginning"


class Hands(WatchedPage):
    """A tab of the studio."""

    def __init__(self, browser: Any, address: str, **options: Any) -> None:
        options.setdefault("viewport", {"width": 1280, "height": 860})
        super().__init__(browser, address, READY, **options)

    def outside(self) -> list[str]:
        """List requests that went elsewhere than to the server."""
        own = (HOST, "data:", "blob:", "ws://127.0.0.1")
        return [url for url in self.requests if not url.startswith(own)]

    # ------------------------------------------------------------------ what the page holds

    def revision(self) -> int:
        number: int = self.run("() => ceibaStudio.studio.server.revision")
        return number

    def shape(self) -> list[list[Any]]:
        """Return parent and question of every node."""
        nodes: list[list[Any]] = self.run(
            """() => { const m = ceibaStudio.model();
              return [...m.parent].map((p, i) => [p, m.isLeaf(i) ? null : [m.splits.column[i],
                m.splits.kind[i] === 1 ? m.splits.cut[i] : null, m.nBranches(i)]]); }"""
        )
        return nodes

    def column_of(self, node: int) -> str:
        """Return the name of the column that a node asks about."""
        name: str = self.run(
            "(i) => { const m = ceibaStudio.model(); return m.columns.name[m.splits.column[i]]; }",
            node,
        )
        return name

    def leaves(self) -> list[int]:
        """List the leaves, those with most rows first."""
        found: list[int] = self.run(
            """() => { const m = ceibaStudio.model();
              return [...m.rows].map((n, i) => [n, i]).filter(([, i]) => m.isLeaf(i))
                .sort((a, b) => b[0] - a[0]).map(([, i]) => i); }"""
        )
        return found

    def await_action(self, do: Callable[[], Any]) -> None:
        """Do something and wait until the workspace has changed, and the page with it."""
        before = self.revision()
        do()
        self.until(f"ceibaStudio.studio.server.revision !== {before} && !ceibaStudio.studio.busy")

    def await_rivals(self) -> None:
        self.until("document.querySelector('.rival, #rivals p') && ceibaStudio.rivals.data")

    # ------------------------------------------------------------------ mouse

    def click_node(self, node: int) -> None:
        """Click a node of the tree on its canvas."""
        self.run("(i) => ceibaStudio.reveal(i)", node)  # it may lie beyond the edge
        self.page.wait_for_timeout(60)
        box: Any = self.page.locator("#tree").bounding_box()
        x, y = self.run("(i) => ceibaStudio.place(i)", node)
        self.page.mouse.click(box["x"] + x, box["y"] + y)
        self.until(f"ceibaStudio.state.selected === {node}")
        self.await_rivals()

    def open_column(self, name: str) -> None:
        self.await_rivals()
        if self.page.locator("#all-rivals").count():
            self.page.click("#all-rivals")
        self.page.click(f'.rival[data-column="{name}"] .rival-name')
        self.until(
            "ceibaStudio.draft() && (ceibaStudio.draft().answer || ceibaStudio.draft().error)"
        )

    def drag_cut(self, share: float, steps: int = 12) -> None:
        """Drag the cut to a share of the picture's width."""
        self.page.locator("#cut-handle").scroll_into_view_if_needed()
        box: Any = self.page.locator("#cut-handle").bounding_box()
        now = self.page.locator(".cut-grip.active").bounding_box()
        y = box["y"] + box["height"] * 0.6
        self.page.mouse.move(now["x"] + now["width"] / 2, y)
        self.page.mouse.down()
        self.page.mouse.move(box["x"] + share * box["width"], y, steps=steps)
        self.page.mouse.up()

    def drag_level(self, code: int, branch: int | str) -> None:
        """Drag a level into a branch, or into a new one."""
        chip: Any = self.page.locator(f'.chip[data-code="{code}"]').bounding_box()
        box: Any = self.page.locator(f'.level-box[data-branch="{branch}"]').bounding_box()
        self.page.mouse.move(chip["x"] + chip["width"] / 2, chip["y"] + chip["height"] / 2)
        self.page.mouse.down()
        self.page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2, steps=8)
        self.page.mouse.up()

    # ------------------------------------------------------------------ keyboard

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)

    def tab_to(self, id_: str, back: bool = False) -> None:
        """Press Tab until an element has the focus."""
        for _ in range(220):
            if self.run("() => document.activeElement && document.activeElement.id") == id_:
                return
            self.page.keyboard.press("Shift+Tab" if back else "Tab")
        raise AssertionError(f"the keyboard does not reach #{id_}")
