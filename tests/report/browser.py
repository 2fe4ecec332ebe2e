"""A headless Chromium for tests: pages open from file:// with the network blocked.

Tests skip with a reason where the browser or the package playwright is not installed.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


@contextmanager
def chromium() -> Iterator[Any]:
    """Start a browser."""
    found = next((path for name in NAMES if (path := shutil.which(name))), None)
    if found is None:
        pytest.skip("chromium is not installed (apt-get install chromium)")
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        pytest.skip("playwright is not installed (pip install playwright)")
    with sync_playwright() as playwright:
        # Without a sandbox: tests may run as root in a container, on pages that they made.
        browser = playwright.chromium.launch(executable_path=found, args=["--no-sandbox"])
        yield browser
        browser.close()


class Opened:
    """A page with what it asked for and what it complained about."""

    def __init__(self, browser: Any, path: Path, **options: Any) -> None:
        options.setdefault("viewport", {"width": 1280, "height": 820})
        self.context = browser.new_context(offline=True, **options)
        self.page = self.context.new_page()
        self.requests: list[str] = []
        self.errors: list[str] = []
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.on(
            "console",
            lambda said: (
                self.errors.append(said.text) if said.type in ("error", "warning") else None
            ),
        )
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on("dialog", lambda dialog: self.errors.append("dialog " + dialog.message))
        self.page.goto(path.as_uri())
        self.until("window.ceibaReport && window.ceibaReport.ready")

    def until(self, expression: str) -> None:
        """Wait until an expression is true; asked from outside, since the page forbids eval."""
        for _ in range(600):
            if self.page.evaluate(f"() => Boolean({expression})"):
                return
            self.page.wait_for_timeout(50)
        raise AssertionError(f"never true in the page: {expression}")

    def run(self, script: str, given: Any = None) -> Any:
        """Evaluate a function in the page."""
        return self.page.evaluate(script, given)

    def start_case(self) -> None:
        """Open the tab of cases with a middling one."""
        self.page.click("#tab-case")
        self.page.click("button.primary")

    def outside(self) -> list[str]:
        """List requests that left the file."""
        return [url for url in self.requests if not url.startswith(("file:", "data:", "blob:"))]


Open = Callable[..., Opened]  # opens the page of a kind of model, or of a model that is handed over
