"""Recreate all plots of docs/gallery.md: run the examples, then compress the images.

Run: python examples/gallery.py [FOLDER, default docs/images/gallery]
"""

import runpy
import sys
from pathlib import Path

import matplotlib as mpl

mpl.use("Agg")

here = Path(__file__).resolve().parent
folder = Path(sys.argv[1]) if len(sys.argv) > 1 else here.parent / "docs" / "images" / "gallery"
folder.mkdir(parents=True, exist_ok=True)

for script in sorted(here.glob("*.py")):
    if script.name in ("gallery.py", "iris_tree.py", "engine.py", "report_pages.py"):
        continue
    sys.argv = [str(script), str(folder)]
    try:
        runpy.run_path(str(script), run_name="__main__")
    except SystemExit as stop:  # its data set is missing
        print(script.name, stop)

from PIL import Image  # noqa: E402  (comes with matplotlib)

for file in sorted(folder.glob("*.png")):
    with Image.open(file) as picture:
        small = picture.convert("RGB").quantize(128)
    small.save(file, optimize=True)
