"""What a release says of itself in several files is the same in all of them."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
CITATION = dict(re.findall(r"^([\w-]+): (.+)$", (ROOT / "CITATION.cff").read_text("utf-8"), re.M))
CHANGELOG = (ROOT / "CHANGELOG.md").read_text("utf-8")
#: Headings of the changelog, the newest first: version and date.
RELEASES = re.findall(r"^## \[(\d\S*)\] - (\S+)$", CHANGELOG, re.M)


def test_citation_names_version_and_date_of_the_newest_release() -> None:
    assert (CITATION["version"], CITATION["date-released"]) == RELEASES[0]
    assert CITATION["license"] == PROJECT["license"]


def test_version_of_the_package_is_the_newest_release_or_on_the_way_to_the_next() -> None:
    version = PROJECT["version"]
    assert version == RELEASES[0][0] or version.endswith(".dev0")


def test_changelog_has_an_unreleased_section_above_dated_releases() -> None:
    headings = re.findall(r"^## (.+)$", CHANGELOG, re.M)
    assert headings[0] == "[Unreleased]"
    assert len(headings) == 1 + len(RELEASES)
    dates = [date for _, date in RELEASES]
    assert all(re.fullmatch(r"\d{4}-\d\d-\d\d", date) for date in dates)
    assert dates == sorted(dates, reverse=True)
