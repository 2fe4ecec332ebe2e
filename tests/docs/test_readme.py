"""The three READMEs say the same, their pictures are current and light; films and charts."""

from __future__ import annotations

import re
import runpy
import shutil
from pathlib import Path

import pytest

from tests.report.browser import NAMES

ROOT = Path(__file__).parents[2]
PAGES = {
    lang: ROOT / f"README{suffix}.md" for lang, suffix in (("en", ""), ("es", ".es"), ("pt", ".pt"))
}
IMAGES = ROOT / "docs" / "images"


def outline(lang: str) -> dict[str, object]:
    """Return what must be equal in all languages: headings, links, code, bullets."""
    text = PAGES[lang].read_text("utf-8")
    code = "\n".join(re.findall(r"^>>> .*", text, re.M))
    links = re.findall(r"\]\(([^)]+)\)", text)
    return {
        "headings": [len(marks) for marks in re.findall(r"^(#+) ", text, re.M)],
        "bullets": len(re.findall(r"^- \*\*", text, re.M)),
        "links": {link for link in links if not link.startswith(("README", "AGENTS"))},
        "pictures": re.findall(r'(?:src|srcset)="([^"]+)"', text),
        "code": re.sub(r' +#.*|lang="\w+"', "", code),
    }


@pytest.mark.parametrize("lang", PAGES)
def test_readme_is_short_and_shows_the_film_first(lang: str) -> None:
    lines = PAGES[lang].read_text("utf-8").splitlines()
    assert len(lines) <= 90
    assert next(k for k, line in enumerate(lines) if "film_light" in line) < 15


@pytest.mark.parametrize("lang", ["es", "pt"])
def test_readme_says_the_same_in_every_language(lang: str) -> None:
    mine, english = outline(lang), outline("en")
    assert {**mine, "code": None} == {**english, "code": None}
    assert str(mine["code"]).splitlines()[:3] == str(english["code"]).splitlines()[:3]


@pytest.mark.parametrize("lang", PAGES)
def test_links_and_pictures_of_readme_exist(lang: str) -> None:
    text = PAGES[lang].read_text("utf-8")
    places = re.findall(r'\]\(([^)#]+)[^)]*\)|(?:src|srcset)="([^"]+)"', text)
    for place in (one or other for one, other in places):
        assert (ROOT / place).exists(), place


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_film_takes_ten_to_fifteen_seconds_and_little_room(theme: str) -> None:
    image = pytest.importorskip("PIL.Image", reason="Pillow is not installed")
    path = IMAGES / f"film_{theme}.webp"
    assert path.stat().st_size < 2_500_000
    with image.open(path) as film:
        durations = []
        for k in range(film.n_frames):
            film.seek(k)
            film.load()
            durations.append(film.info["duration"])
    assert 10_000 <= sum(durations) <= 15_000


@pytest.mark.slow
def test_film_is_recorded_again_from_the_real_pages(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("PIL.Image", reason="Pillow is not installed")
    if not any(map(shutil.which, NAMES)):
        pytest.skip("chromium is not installed (apt-get install chromium)")
    monkeypatch.setattr("sys.argv", ["film.py", str(tmp_path)])
    runpy.run_path(str(ROOT / "examples" / "film.py"), run_name="__main__")
    assert {path.name for path in tmp_path.iterdir()} == {"film_light.webp", "film_dark.webp"}


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_speed_chart_shows_the_figures_of_the_benchmarks(theme: str) -> None:
    made = runpy.run_path(str(ROOT / "examples" / "speed_chart.py"))
    ratios = made["read_ratios"](made["PAGE"].read_text("utf-8"))
    assert (IMAGES / f"speed_{theme}.svg").read_text("utf-8") == made["draw"](
        ratios, *made["THEMES"][theme]
    )
