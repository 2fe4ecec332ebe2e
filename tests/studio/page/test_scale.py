"""The axis of a cut: what a hand points at, what the arrow keys reach."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from ceiba.report.page import bundle_scripts

SCRIPT = bundle_scripts("studio/assets/editor/cut_axis.js").removesuffix("})();")


@pytest.fixture(scope="module")
def blank(browser: Any) -> Iterator[Any]:
    page = browser.new_page()
    page.evaluate(SCRIPT + "Object.assign(window, {roundestBetween, makeAxis})})()")
    yield page
    page.close()


@pytest.mark.parametrize(
    ("low", "high", "number"),
    [
        (29.62, 30.11, 30),
        (0.2341, 0.2389, 0.235),
        (1234.2, 1287.9, 1250),
        (-0.4, 0.3, 0),
        (-31.2, -29.8, -30),
        (2.0, 2.0, 2.0),
        (7.1, 7.2, 7.1),
        (99.97, 100.02, 100),
    ],
)
def test_roundest_gives_the_shortest_number_within_limits(
    blank: Any, low: float, high: float, number: float
) -> None:
    assert blank.evaluate("([a, b]) => roundestBetween(a, b)", [low, high]) == number


def test_roundest_of_any_limits_lies_within_them(blank: Any) -> None:
    wrong = blank.evaluate(
        """() => {
          let seed = 7; const next = () => (seed = (seed * 16807) % 2147483647) / 2147483647;
          const wrong = [];
          for (let k = 0; k < 20000; k++) {
            const size = 10 ** Math.floor(next() * 16 - 8);
            const low = (next() - 0.5) * size, high = low + next() * size * 0.01;
            const at = roundestBetween(low, high);
            if (!(at >= low && at <= high)) wrong.push([low, high, at]);
          }
          return wrong;
        }"""
    )
    assert wrong == []


def test_line_axis_keys_go_from_cut_to_cut_and_stop_at_the_ends(blank: Any) -> None:
    steps = blank.evaluate(
        """() => {
          const axis = makeAxis({low: 0, high: 10, least: 0, most: 10}, [1, 3, 4.5, 8]);
          return [axis.step(3, 1), axis.step(3, -1), axis.step(3.2, 1), axis.step(3.2, -1),
                  axis.step(8, 1), axis.step(1, -5), axis.step(1, 1e9), axis.positionOf(5)];
        }"""
    )
    assert steps == [4.5, 1, 4.5, 3, 8, 1, 8, 0.5]


def test_value_axis_cuts_lie_between_neighbours(blank: Any) -> None:
    cuts = blank.evaluate(
        """() => {
          const few = makeAxis({values: [1, 2, 5]}, []), levels = makeAxis({codes: [0, 1, 3]}, []);
          return [few.cutAt(0.34), few.cutAt(0.9), few.step(1.5, 1), few.step(3.5, 1),
                  few.positionOf(1.5), levels.cutAt(0.4), levels.step(0.5, 1)];
        }"""
    )
    assert cuts == [1.5, 3.5, 3.5, 3.5, 1 / 3, 0.5, 1.5]
