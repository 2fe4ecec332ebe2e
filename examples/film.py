"""The film of README and home page: a browser uses the real studio and the real report of Titanic.

Needs ceiba[studio], the packages playwright and Pillow, and Chromium.
Run: python examples/film.py docs/images  (make film)
"""

import io
import shutil
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
SIZE = {"width": 1120, "height": 640}
LARGEST = 2_500_000  # bytes of one film
# Class, sex, age, siblings, parents, fare, port; levels as codes: a woman in third and first class.
CASES = ([2, 0, 30, 0, 0, 8, 2], [0, 0, 30, 0, 0, 80, 2])
# A pointer and a caption, which screenshots lack; by properties, since pages allow no style tags.
STAGE = """([text, x, y]) => {
  const make = (id, style) => {
    const found = document.getElementById(id);
    if (found) return found;
    const made = document.createElement("div");
    made.id = id;
    made.style.cssText = "position:fixed;z-index:99999;pointer-events:none;" + style;
    document.documentElement.append(made);
    return made;
  };
  const caption = make("film-caption", "left:50%;bottom:14px;transform:translateX(-50%);" +
    "padding:8px 20px;border-radius:20px;background:#111d;color:#fff;white-space:nowrap;" +
    "font:600 19px system-ui,sans-serif");
  caption.textContent = text;
  const pointer = make("film-pointer", "width:22px;height:22px;border-radius:50%;" +
    "margin:-13px 0 0 -13px;background:#ffb40088;border:2px solid #fff;" +
    "box-shadow:0 0 0 2px #b36b00");
  pointer.style.left = x + "px";
  pointer.style.top = y + "px";
}"""


class Camera:
    """A page, where its pointer is, and the frames of the film."""

    def __init__(self, page, frames):
        self.page, self.frames = page, frames
        self.x, self.y, self.text = 560.0, 320.0, ""

    def shoot(self, milliseconds):
        """Add a frame that stays for so long."""
        from PIL import Image

        self.page.evaluate(STAGE, [self.text, self.x, self.y])
        picture = Image.open(io.BytesIO(self.page.screenshot())).convert("RGB")
        self.frames.append((picture, milliseconds))

    def say(self, text):
        self.text = text

    def glide(self, x, y, steps=4):
        """Move the pointer to a place."""
        start_x, start_y = self.x, self.y
        for k in range(1, steps + 1):
            self.x, self.y = (a + (b - a) * k / steps for a, b in ((start_x, x), (start_y, y)))
            self.page.mouse.move(self.x, self.y)
            self.shoot(70)

    def point(self, selector):
        """Move the pointer to the middle of an element."""
        element = self.page.locator(selector).first
        element.scroll_into_view_if_needed()
        box = element.bounding_box()
        self.glide(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)

    def click(self, selector, wait=500):
        self.point(selector)
        self.page.mouse.click(self.x, self.y)
        self.page.wait_for_timeout(wait)

    def drag_cut(self, value):
        """Drag the cut of the open column by the keyboard's steps, until it is at a value."""
        self.point("#cut-handle circle")
        self.page.focus("#cut-handle")
        for _ in range(40):
            before = float(self.page.input_value("#cut-typed"))
            if before >= value:
                break
            self.page.keyboard.press("ArrowRight")
            self.page.wait_for_timeout(60)
            box = self.page.locator("#cut-handle circle").last.bounding_box()
            self.x, self.y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
            self.shoot(80)
        self.page.fill("#cut-typed", str(value))
        self.page.press("#cut-typed", "Enter")
        self.page.wait_for_timeout(400)


@contextmanager
def studio(folder):
    """Start the studio of the example and give the address of its page."""
    command = [sys.executable, "-m", "ceiba", "studio", "--example", "titanic", "--no-browser"]
    server = subprocess.Popen(
        command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    try:
        yield next(word for line in server.stdout for word in line.split() if "://" in word)
    finally:
        server.terminate()
        server.wait()
        server.stdout.close()


def grow_by_hand(camera):
    """Split twice in the studio: take the best question, then move a cut to a round number."""
    page = camera.page
    page.wait_for_selector("#start:not([disabled])")
    page.wait_for_selector(".column-histogram")
    camera.say("A table with words and gaps, as it is")
    camera.shoot(1400)
    camera.click("#start", 300)
    page.wait_for_selector(".rival")
    page.wait_for_timeout(500)
    camera.say("Which question is best? You decide")
    camera.shoot(900)
    camera.click("#take-0", 900)
    camera.shoot(700)
    page.evaluate("(i) => ceibaStudio.reveal(i)", 2)
    page.wait_for_selector(".rival")
    page.wait_for_timeout(500)
    camera.say("Drag a cut to a round number")
    camera.click('.rival[data-column="age"] .rival-name', 500)
    page.wait_for_selector("#preview-gain")
    camera.shoot(500)
    camera.drag_cut(13)
    camera.shoot(500)
    camera.click("#take-draft", 700)
    camera.say("... or let it grow")
    camera.click("#grow-all", 1200)
    page.evaluate("() => document.querySelector('#fit').click()")
    page.wait_for_timeout(700)
    camera.shoot(900)


def read_the_report(camera):
    """Prune along the cross-validation curve, then enter a case."""
    page = camera.page
    page.wait_for_selector("#tree")
    chosen = page.evaluate("() => window.ceibaReport.state.step")
    show = "([k, tab]) => window.ceibaReport.update({ tab, step: k })"
    page.evaluate(show, [0, "prune"])
    page.wait_for_timeout(500)
    camera.say("The report: how large should it be?")
    camera.shoot(900)
    for step in range(chosen + 1):
        page.evaluate(show, [step, "prune"])
        page.wait_for_timeout(150)
        camera.shoot(120)
    camera.say("Cross-validation chose this size")
    camera.shoot(1200)
    camera.say("One case: the prediction, why, how certain")
    for case in CASES:
        page.evaluate(
            "(values) => window.ceibaReport.update({ tab: 'case', values, hasCase: true })", case
        )
        page.wait_for_timeout(400)
        camera.shoot(1300)


def record(program, theme):
    """Return the frames of the film in a theme."""
    from playwright.sync_api import sync_playwright

    frames = []
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        options = {"viewport": SIZE, "color_scheme": theme}
        with studio(folder) as address:
            page = browser.new_page(**options)
            page.goto(address)
            grow_by_hand(Camera(page, frames))
            page.close()
        report = [sys.executable, "-m", "ceiba", "report", "--example", "titanic", "--quiet"]
        subprocess.run(report, cwd=folder, check=True)
        page = browser.new_page(**options)
        page.goto((Path(folder) / "titanic.html").as_uri())
        read_the_report(Camera(page, frames))
        browser.close()
    return frames


def write(frames, path):
    """Write the frames as one animated picture, smaller if needed; return its length in seconds."""
    pictures, durations = zip(*frames, strict=True)
    for quality in (70, 55, 40, 25):
        pictures[0].save(
            path,
            save_all=True,
            append_images=pictures[1:],
            duration=durations,
            loop=0,
            quality=quality,
            method=4,
        )
        if path.stat().st_size < LARGEST:
            return sum(durations) / 1000
    sys.exit(f"{path} is too large.")


def main():
    if len(sys.argv) != 2:
        sys.exit("Run: python examples/film.py FOLDER")
    for package, name in (("playwright", "playwright"), ("PIL", "pillow"), ("uvicorn", "uvicorn")):
        if find_spec(package) is None:
            sys.exit(f"The film needs the package {name}: pip install {name}")
    program = next(filter(None, map(shutil.which, BROWSERS)), None)
    if program is None:
        sys.exit("The film needs Chromium (apt-get install chromium).")
    for theme in ("light", "dark"):
        path = Path(sys.argv[1]) / f"film_{theme}.webp"
        frames = record(program, theme)
        seconds = write(frames, path)
        print(f"{path}: {len(frames)} frames, {seconds:.1f} s, {path.stat().st_size / 1e6:.2f} MB")


if __name__ == "__main__":
    main()
