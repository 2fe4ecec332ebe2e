"""The screenshots of the studio in the docs: a browser follows the walk of docs/studio.md.

Needs titanic.csv in the folder CEIBA_DATA, ceiba[studio], the packages playwright and Pillow, and
Chromium.
Run: python examples/studio_pictures.py FOLDER --pictures docs/images
"""

import argparse
import os
import shutil
import subprocess
import sys
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

default = Path(__file__).resolve().parents[2] / "shared" / "data"
data = Path(os.environ.get("CEIBA_DATA", default))
if not (data / "titanic.csv").exists():
    sys.exit("Files not found: titanic.csv. Set CEIBA_DATA to their folder.")

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}


def browser_path():
    """Find the browser, or exit and say what is missing."""
    for package, name in (("playwright", "playwright"), ("PIL", "Pillow"), ("uvicorn", "uvicorn")):
        if find_spec(package) is None:
            sys.exit(f"--pictures needs the package {name}: pip install {name.lower()}")
    path = next(filter(None, map(shutil.which, BROWSERS)), None)
    if path is None:
        sys.exit("--pictures needs Chromium (apt-get install chromium).")
    return path


@contextmanager
def studio(*arguments, cwd):
    """Start a studio and give the address of its page."""
    command = [sys.executable, "-m", "ceiba", "studio", *arguments, "--no-browser"]
    server = subprocess.Popen(
        command, cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    try:
        yield next(word for line in server.stdout for word in line.split() if "://" in word)
    finally:
        server.terminate()
        server.wait()


class Camera:
    """A page of the studio, what is done on it, and pictures of it."""

    def __init__(self, browser, address, folder, **options):
        options.setdefault("viewport", {"width": 1400, "height": 860})
        self.page = browser.new_page(**options)
        self.folder = folder
        self.page.goto(address)
        self.page.wait_for_selector("#start")

    def act(self, name, **arguments):
        """Do an action as the page itself does it."""
        self.page.evaluate("([n, a]) => ceibaStudio.act(n, a)", [name, arguments])
        self.page.wait_for_timeout(700)

    def select(self, node):
        self.page.evaluate("(i) => ceibaStudio.reveal(i)", node)
        self.page.wait_for_selector(".rival")

    def open_column(self, name):
        self.page.click(f'.rival[data-column="{name}"] .rival-name')
        self.page.wait_for_selector("#preview-gain")

    def shoot(self, name):
        """Take a picture, with as few colours as the eye needs."""
        from PIL import Image

        self.page.wait_for_timeout(900)
        file = self.folder / f"{name}.png"
        self.page.screenshot(path=file)
        with Image.open(file) as picture:
            picture.convert("RGB").quantize(256, kmeans=4).save(file, optimize=True)


def walk(browser, address, folder):
    """Take the pictures of the walk through the Titanic."""
    camera = Camera(browser, address, folder)
    page = camera.page
    page.wait_for_selector(".column-histogram")
    for column in ("Name", "Ticket", "Cabin"):
        camera.act("set_column", column=column, role="ignore")
    camera.act("set_column", column="Pclass", kind="ordered")
    camera.act("set_held_out", share=0.25)
    camera.shoot("studio_table")
    page.click("#start")
    page.wait_for_selector(".rival")
    page.click("#take-0")
    page.wait_for_timeout(700)
    camera.select(2)
    camera.open_column("Age")
    page.fill("#cut-typed", "12")
    page.press("#cut-typed", "Enter")
    page.evaluate("() => document.activeElement.blur()")
    camera.shoot("studio_cut")
    page.click("#cut-add")
    page.wait_for_selector("#cut-choose-1")
    page.fill("#cut-typed", "50")
    page.press("#cut-typed", "Enter")
    page.evaluate("() => document.activeElement.blur()")
    camera.shoot("studio_cuts")
    page.click("#cut-remove")
    page.wait_for_selector("#cut-choose-1", state="detached")
    page.wait_for_timeout(700)
    page.click("#take-draft")
    page.wait_for_timeout(700)
    camera.select(1)
    camera.open_column("Embarked")
    camera.shoot("studio_levels")
    page.click("#draft-close")
    camera.act("grow", node=0, levels=1)
    camera.act("grow", node=0, levels=1)
    camera.select(1)
    camera.shoot("studio_bench")
    page.click("#tab-trees")
    page.fill("#snapshot-name", "for the committee")
    page.click("#snapshot-keep")
    page.wait_for_timeout(500)
    page.click("#compare-run")
    page.wait_for_selector("#comparison-verdict")
    camera.shoot("studio_compare")


def lesson(browser, address, folder):
    """Take the picture of the classroom."""
    camera = Camera(browser, address, folder)
    page = camera.page
    page.click("#start")
    page.check('input[name="lesson"][value="Type"]')
    page.click("#lesson-answer")
    page.wait_for_selector("#lesson-verdict")
    page.select_option("#lesson-column", "Patrons")
    page.click("#lesson-all")
    page.wait_for_selector(".lesson-steps li")
    camera.shoot("studio_lesson")


def main():
    reader = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    reader.add_argument("folder", type=Path, help="where the studio works; its files stay there")
    reader.add_argument("--pictures", type=Path, metavar="FOLDER", help="where the pictures go")
    asked = reader.parse_args()
    if asked.pictures is None:
        print("Give --pictures FOLDER to take the screenshots.")
        return
    program = browser_path()
    from playwright.sync_api import sync_playwright

    folder = asked.folder
    for one in (folder, asked.pictures):
        one.mkdir(parents=True, exist_ok=True)
    shutil.copy(data / "titanic.csv", folder)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        with studio("titanic.csv", "--target", "Survived", cwd=folder) as address:
            walk(browser, address, asked.pictures)
        with studio("--example", "restaurant", "--lesson", cwd=folder) as address:
            lesson(browser, address, asked.pictures)
        browser.close()


if __name__ == "__main__":
    main()
