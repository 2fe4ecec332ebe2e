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

from tests.watched_page import WatchedPage

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


class Opened(WatchedPage):
    """The page of a report, opened from its file."""

    def __init__(self, browser: Any, path: Path, **options: Any) -> None:
        options = {"viewport": {"width": 1280, "height": 820}, "offline": True, **options}
        super().__init__(
            browser, path.as_uri(), "window.ceibaReport && window.ceibaReport.ready", **options
        )

    def start_case(self) -> None:
        """Open the tab of cases with a middling one."""
        self.page.click("#tab-case")
        self.page.click("button.primary")

    def outside(self) -> list[str]:
        """List requests that left the file."""
        return [url for url in self.requests if not url.startswith(("file:", "data:", "blob:"))]


Open = Callable[..., Opened]  # opens the page of a kind of model, or of a model that is handed over
