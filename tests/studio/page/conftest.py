"""The browser and the servers that the tests of the studio's page share."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from tests.report.browser import chromium
from tests.studio.page.hands import Hands
from tests.studio.page.serving import serve_table

Open = Callable[..., Hands]  # starts a studio on a table and opens its page


@pytest.fixture(scope="package")
def browser() -> Iterator[Any]:
    with chromium() as started:
        yield started


@pytest.fixture
def open_studio(browser: Any) -> Iterator[Open]:
    with ExitStack() as stack:

        def open_it(data: Path, target: str, **options: Any) -> Hands:
            hands = Hands(browser, stack.enter_context(serve_table(data, target)), **options)
            stack.callback(hands.context.close)
            return hands

        yield open_it
