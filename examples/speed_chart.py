"""The bars of the README: how many times faster than scikit-learn, from docs/benchmarks.md.

Run: python examples/speed_chart.py docs/images
"""

import re
import sys
from pathlib import Path

PAGE = Path(__file__).resolve().parents[1] / "docs" / "benchmarks.md"
#: What the chart calls a workload of the page.
WORKLOADS = {
    "1,000,000 x 20 numbers, depth 8": "1,000,000 x 20 float32, 2 classes, depth 8",
    "... with 20 % missing": "1,000,000 x 20 float32, 20 % missing, 2 classes, depth 8",
    "... regression": "1,000,000 x 20 float32, regression, depth 8",
    "covertype, 581,012 x 54, 7 classes": "covertype, 581,012 x 54 numbers, 7 classes, full tree",
    "500,000 rows, 10 category columns": "500,000 rows, 10 categories of 2 to 5,000 levels, "
    "5 numbers, 2 classes, any depth",
    "adult, 32,561 rows of words": "adult, 32,561 rows, 8 categories, 6 numbers, any depth",
}
THEMES = {"light": ("#1f2328", "#2563c4"), "dark": ("#e6edf3", "#6aa2ff")}
LEFT, WIDTH, LINE = 285, 740, 30


def read_ratios(text):
    """Return the most recent ratio of each workload: times faster than scikit-learn."""
    found, workload = {}, ""
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.split("|")[1:-1]]
        if len(cells) < 5:
            continue
        workload = cells[0] or workload
        ratio = re.fullmatch(r"([\d.]+)x faster", cells[4])
        # "scikit-learn hist" is another library of the page
        if cells[1] == "fit, CPU time" and re.match(r"scikit-learn \d", cells[3]) and ratio:
            found[workload] = float(ratio[1])
    return {name: found[workload] for name, workload in WORKLOADS.items()}


def draw(ratios, ink, colour):
    """Return the bars as SVG."""
    scale = (WIDTH - LEFT - 60) / max(ratios.values())
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {LINE * len(ratios) + 6}" '
        f'font-family="system-ui, sans-serif" font-size="14" fill="{ink}">'
    ]
    for k, (name, ratio) in enumerate(ratios.items()):
        y = LINE * k + 6
        width = ratio * scale
        parts += [
            f'<text x="{LEFT - 10}" y="{y + 15}" text-anchor="end">{name}</text>',
            f'<rect x="{LEFT}" y="{y}" width="{width:.1f}" height="20" rx="3" fill="{colour}"/>',
            f'<text x="{LEFT + width + 8:.1f}" y="{y + 15}" font-weight="600">{ratio:.3g}x</text>',
        ]
    return "\n".join([*parts, "</svg>\n"])


def main():
    if len(sys.argv) != 2:
        sys.exit("Run: python examples/speed_chart.py FOLDER")
    ratios = read_ratios(PAGE.read_text("utf-8"))
    for theme, (ink, colour) in THEMES.items():
        path = Path(sys.argv[1]) / f"speed_{theme}.svg"
        path.write_text(draw(ratios, ink, colour), encoding="utf-8")
        print(path)


if __name__ == "__main__":
    main()
