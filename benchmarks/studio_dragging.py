"""Response time of a dragged cut in Chromium: a part of `benchmarks.studio`.

The server runs in a separate process. A cut of the root is dragged, one movement after another; the
figure is the time from the pointer event until the figures of the new cut are on the page. The
share of the server comes from the `Server-Timing` of the preview.
"""

from __future__ import annotations

import multiprocessing
import shutil
import statistics
from collections.abc import Callable
from typing import Any

_WATCH = """() => {
  window.seen = [];
  let moved = 0;
  const handle = document.getElementById("cut-handle");
  handle.addEventListener("pointermove", (e) => (moved = e.timeStamp), true);
  new MutationObserver(() => window.seen.push(performance.now() - moved)).observe(
    document.getElementById("preview"), { childList: true });
  performance.clearResourceTimings();
}"""
_SERVER = """() => performance.getEntriesByType("resource")
  .filter((e) => e.name.includes("/preview") && e.serverTiming.length)
  .map((e) => [e.duration, e.serverTiming[0].duration])"""


def dragging(make: Callable[[], Any], moves: int) -> dict[str, float]:
    """Median milliseconds from the pointer's event to the figures, of requests, of the server."""
    from playwright.sync_api import sync_playwright

    address, process = _served(make)
    try:
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(
                executable_path=shutil.which("chromium"), args=["--no-sandbox"]
            )
            page = browser.new_page(viewport={"width": 1280, "height": 860})
            page.goto(address)
            page.click("#start", timeout=120_000)
            page.click(".rival[data-column='x0'] .rival-name", timeout=120_000)
            page.wait_for_selector("#preview-gain", timeout=120_000)
            page.evaluate(_WATCH)
            _drag(page, moves)
            seen, asked = page.evaluate("() => window.seen"), page.evaluate(_SERVER)
            browser.close()
    finally:
        process.terminate()
        process.join()
    return {
        "n": len(seen),
        "pointer to figures": statistics.median(seen),
        "request to answer": statistics.median(one[0] for one in asked),
        "server": statistics.median(one[1] for one in asked),
    }


def _drag(page: Any, moves: int) -> None:
    box = page.locator("#cut-handle").bounding_box()
    y = box["y"] + 0.6 * box["height"]
    page.mouse.move(box["x"] + 0.5 * box["width"], y)
    page.mouse.down()
    page.wait_for_timeout(300)
    page.evaluate("() => { window.seen.length = 0; performance.clearResourceTimings(); }")
    for k in range(moves):
        before = page.evaluate("() => window.seen.length")
        page.mouse.move(box["x"] + (0.35 + 0.3 * (k % 40) / 40) * box["width"], y)
        for _ in range(400):
            if page.evaluate("() => window.seen.length") > before:
                break
            page.wait_for_timeout(5)
    page.mouse.up()


def _served(make: Callable[[], Any]) -> tuple[str, Any]:
    context = multiprocessing.get_context("spawn")
    told = context.Queue()
    process = context.Process(target=_serve, args=(make, told), daemon=True)
    process.start()
    return told.get(timeout=600).split()[-1], process


def _serve(make: Callable[[], Any], told: Any) -> None:
    from ceiba.studio.launch import Address, run

    run(make(), Address(), browser=False, tell=told.put)
