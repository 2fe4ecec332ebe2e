"""A page in Chromium, with what it asked for and what it complained about."""

from __future__ import annotations

from typing import Any

_PAUSE = 25  # ms between two looks


class WatchedPage:
    """A tab of its own; `until` waits, `run` evaluates.

    Parameters
    ----------
    browser
        Of playwright.
    address : str
    ready : str
        What is true in the page once it can be used.
    **options
        Of the browser's context.
    """

    def __init__(self, browser: Any, address: str, ready: str, **options: Any) -> None:
        self.context = browser.new_context(**options)
        self.page = self.context.new_page()
        self.requests: list[str] = []
        self.errors: list[str] = []
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.on("console", self._hear)
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on("dialog", self._answer)
        self.page.goto(address)
        self.until(ready)

    def _hear(self, message: Any) -> None:
        if message.type in ("error", "warning"):
            self.errors.append(message.text)

    def _answer(self, dialog: Any) -> None:
        self.errors.append("dialog " + dialog.message)

    def until(self, expression: str) -> None:
        """Wait until an expression is true; asked from outside, since the page forbids eval."""
        for _ in range(1200):
            if self.page.evaluate(f"() => Boolean({expression})"):
                return
            self.page.wait_for_timeout(_PAUSE)
        raise AssertionError(f"never true in the page: {expression}; errors: {self.errors}")

    def run(self, script: str, given: Any = None) -> Any:
        """Evaluate a function in the page."""
        return self.page.evaluate(script, given)
