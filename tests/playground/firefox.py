"""Pages in a headless Firefox, with the part of playwright's interface that the tests use.

Playwright starts only a Firefox of its own, so this speaks WebDriver BiDi over a web socket.
"""

from __future__ import annotations

import itertools
import json
import re
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.watched_page import WatchedPage

NAMES = ("firefox-esr", "firefox")
_WAIT = 60.0  # seconds for an answer, a download or the start of the browser


class Firefox:
    """A connection to a running browser."""

    def __init__(self, socket: Any, downloads: Path) -> None:
        self._socket = socket
        self._ids = itertools.count(1)
        self.downloads = downloads
        self.events: list[dict[str, Any]] = []
        self.send("session.new", capabilities={})
        self.send("session.subscribe", events=["network.beforeRequestSent", "log.entryAdded"])

    def send(self, method: str, **params: Any) -> Any:
        """Send a command and return its result; events that arrive before it are kept."""
        command = next(self._ids)
        self._socket.send(json.dumps({"id": command, "method": method, "params": params}))
        while True:
            message = json.loads(self._socket.recv(timeout=_WAIT))
            if message.get("type") == "event":
                self.events.append(message)
            elif message.get("id") == command:
                assert message["type"] == "success", message
                return message["result"]

    def new_context(self, **options: Any) -> FirefoxTab:
        """Open a tab; of playwright's options only the viewport is supported."""
        return FirefoxTab(self, **options)


@contextmanager
def firefox() -> Iterator[Firefox]:
    """Start a browser with an empty profile."""
    program = next((path for name in NAMES if (path := shutil.which(name))), None)
    if program is None:
        pytest.skip("Firefox is not installed (apt-get install firefox-esr)")
    client = pytest.importorskip("websockets.sync.client", reason="websockets is not installed")
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        downloads = Path(folder) / "downloads"
        profile = Path(folder) / "profile"
        for path in (downloads, profile):
            path.mkdir()
        preferences = {
            "browser.download.folderList": 2,
            "browser.download.dir": str(downloads),
            "browser.download.always_ask_before_handling_new_types": False,
            "datareporting.policy.dataSubmissionEnabled": False,
            "network.proxy.type": 0,
            "intl.accept_languages": "en",
        }
        lines = (f'user_pref("{k}", {json.dumps(v)});\n' for k, v in preferences.items())
        (profile / "user.js").write_text("".join(lines), encoding="utf-8")
        words = [program, "--headless", "--no-remote", "--profile", str(profile)]
        log = Path(folder) / "log"
        with log.open("w") as file:
            process = subprocess.Popen(
                [*words, "--remote-debugging-port=0"], stdout=file, stderr=file
            )
        try:
            with client.connect(f"{_address(log)}/session", max_size=None) as socket:
                yield Firefox(socket, downloads)
        finally:
            process.terminate()
            process.wait()


def _address(log: Path) -> str:
    """Return the address on which Firefox listens, which it writes into its log."""
    end = time.monotonic() + _WAIT
    while time.monotonic() < end:
        if found := re.search(r"WebDriver BiDi listening on (ws://\S+)", log.read_text("utf-8")):
            return found[1]
        time.sleep(0.05)
    raise AssertionError(f"Firefox does not listen: {log.read_text('utf-8')[-2000:]}")


class FirefoxTab:
    """A tab: both the context and the page of playwright."""

    def __init__(self, browser: Firefox, *, viewport: dict[str, int], **_: Any) -> None:
        self._browser = browser
        self._id = browser.send("browsingContext.create", type="tab")["context"]
        browser.send("browsingContext.setViewport", context=self._id, viewport=viewport)
        browser.events.clear()

    def new_page(self) -> FirefoxTab:
        return self

    def close(self) -> None:
        self._browser.send("browsingContext.close", context=self._id)

    def goto(self, address: str) -> None:
        send = self._browser.send
        send("browsingContext.navigate", context=self._id, url=address, wait="complete")

    def evaluate(self, function: str, given: Any = None) -> Any:
        """Call a function in the page; what it returns passes through JSON."""
        code = f"async () => JSON.stringify(await ({function})({json.dumps(given)})) ?? 'null'"
        answer = self._browser.send(
            "script.callFunction",
            functionDeclaration=code,
            target={"context": self._id},
            awaitPromise=True,
            userActivation=True,
        )
        assert answer["type"] == "success", answer
        return json.loads(answer["result"]["value"])

    def wait_for_timeout(self, milliseconds: float) -> None:
        time.sleep(milliseconds / 1000)

    def add_script_tag(self, *, content: str) -> None:
        """Run a script, whatever the policy of the page."""
        self.evaluate(f"() => {{ {content} }}")

    def click(self, selector: str) -> None:
        self.evaluate("(s) => document.querySelector(s).click()", selector)

    def select_option(self, selector: str, value: str) -> None:
        script = """([s, value]) => {
          const control = document.querySelector(s);
          control.value = value;
          control.dispatchEvent(new Event("change", { bubbles: true }));
        }"""
        self.evaluate(script, [selector, value])

    def inner_text(self, selector: str) -> str:
        return str(self.evaluate("(s) => document.querySelector(s).innerText", selector))

    def input_value(self, selector: str) -> str:
        return str(self.evaluate("(s) => document.querySelector(s).value", selector))

    @contextmanager
    def expect_download(self) -> Iterator[FirefoxTab]:
        for path in self._browser.downloads.iterdir():
            path.unlink()
        yield self

    @property
    def value(self) -> FirefoxTab:
        return self

    def save_as(self, path: Path) -> None:
        """Move the downloaded file, once it is complete."""
        end = time.monotonic() + _WAIT
        while time.monotonic() < end:
            files = list(self._browser.downloads.iterdir())
            if len(files) == 1 and files[0].suffix != ".part" and files[0].stat().st_size:
                shutil.move(files[0], path)
                return
            time.sleep(0.05)
        raise AssertionError(f"no download: {files}")


class WatchedFirefox(WatchedPage):
    """A tab of Firefox, with what it asked for and what it complained about."""

    def __init__(self, browser: Firefox, address: str, ready: str, **options: Any) -> None:
        self.context = self.page = browser.new_context(**options)
        self._browser = browser
        self.page.goto(address)
        self.until(ready)

    @property
    def requests(self) -> list[str]:
        return [
            event["params"]["request"]["url"]
            for event in self._browser.events
            if event["method"] == "network.beforeRequestSent"
        ]

    @property
    def errors(self) -> list[str]:
        return [
            event["params"]["text"]
            for event in self._browser.events
            if event["method"] == "log.entryAdded" and event["params"]["level"] != "info"
        ]
