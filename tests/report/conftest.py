"""The browser and the pages that the tests of the report share."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.report.browser import Open, Opened, chromium
from tests.report.models import held_out, model


@pytest.fixture(scope="package")
def browser() -> Iterator[Any]:
    with chromium() as started:
        yield started


@pytest.fixture(scope="package")
def shared_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of the pages that every module opens, of the models of `models.py`."""
    return tmp_path_factory.mktemp("shared_reports")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("reports")


@pytest.fixture
def open_page(browser: Any, shared_folder: Path, folder: Path) -> Iterator[Open]:
    opened: list[Opened] = []

    def open_it(kind: str, fitted: Any = None, *, reports: Any = None, **options: Any) -> Opened:
        own = fitted is not None or reports is not None
        path = (folder if own else shared_folder) / f"{kind}.html"
        if not path.exists():
            made = fitted if fitted is not None else model(kind)
            made.report(path, **(reports if reports is not None else {"test": held_out(kind)}))
        opened.append(Opened(browser, path, **options))
        return opened[-1]

    yield open_it
    for page in opened:
        page.context.close()
