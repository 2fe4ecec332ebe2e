"""Response times of the studio in Chromium: a part of `benchmarks.studio`.

The server runs in a separate process. A cut of the root is dragged, one movement after another; the
figure is the time from the pointer event until the figures of the new cut are on the page, and its
branches in the tree. The share of the server comes from the `Server-Timing` of the preview. Rivals
are timed from the selection of the node until the list is on the page; a note before each makes the
server forget its answers.
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


_RIVALS = """async ([node, note]) => {
  const { act, rivals, state, studio } = ceibaStudio;
  const until = async (isDone) => { while (!isDone()) await new Promise((go) => setTimeout(go)); };
  const isNew = () => rivals.node === state.selected && rivals.revision === studio.server.revision;
  const isListed = () => isNew() && rivals.data && document.querySelector(".rival");
  const isDone = () => rivals.data.rivals.every((rival) => rival.p_bound !== "pending");
  await act("note", { node: 0, note });
  await until(() => isListed() && isDone());
  await new Promise((go) => setTimeout(go, 100)); // the tree is drawn
  const begin = performance.now();
  ceibaStudio.reveal(node);
  await until(isListed);
  const end = performance.now();
  await until(isDone);
  return end - begin;
}"""


def dragging(make: Callable[[], Any], moves: int, split: str, times: int) -> dict[str, float]:
    """Median milliseconds of a dragged cut, and of rivals of the root and of a branch."""
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
            ghosts = page.locator(".ghost-card").count()
            page.evaluate("(split) => ceibaStudio.act('take', { node: 0, split })", split)
            n_rows = page.evaluate("() => ceibaStudio.model().rows[2]")
            page.evaluate("() => ceibaStudio.reveal(2)")
            lists: dict[int, list[float]] = {0: [], 2: []}
            for k in range(2 * times):
                node = 2 * (k % 2)  # the other one is selected
                lists[node].append(page.evaluate(_RIVALS, [node, str(k)]))
            browser.close()
    finally:
        process.terminate()
        process.join()
    return {
        "n": len(seen),
        "branches in the tree": ghosts,
        "rows of the branch": n_rows,
        "rivals of the root": statistics.median(lists[0]),
        "rivals of 50,000 rows": statistics.median(lists[2]),
        "preview of a cut": statistics.median(seen),
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
