"""Numbers and cuts in words."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ceiba.tree.splits.sentences import level_text, number_text, plain_cut_text, separating_digits


@pytest.mark.parametrize(
    ("cut", "digits", "text"),
    [
        (92.5, 2, "92.5"),
        (92.5, 1, "92.5"),
        (1.255, 2, "1.255"),
        (12345.675, 3, "12345.675"),
        (5.449999999999999, None, "5.45"),
        (0.1 + 0.2, None, "0.3"),
        (1234567.5, None, "1234567.5"),
        (0.123456789, None, "0.123457"),
        (123.123456789, None, "123.123"),
        (0.000123456789, None, "0.000123457"),
        (1e20, None, "1e+20"),
        (-0.0037611760063, None, "-0.00376118"),
        (0.0, None, "0"),
        (-3.0, None, "-3"),
        (1e-9, None, "1e-09"),
    ],
)
def test_cut_text_rounds_only_what_still_separates(
    cut: float, digits: int | None, text: str
) -> None:
    assert plain_cut_text(cut, digits) == text


@given(
    low=st.integers(-(10**9), 10**9),
    gap=st.integers(1, 5),
    decimals=st.integers(0, 2),
    digits=st.integers(1, 8),
)
def test_cut_text_of_midpoint_of_short_decimals_still_separates(
    low: int, gap: int, decimals: int, digits: int
) -> None:
    lower, upper = low / 10**decimals, (low + gap) / 10**decimals
    shown = float(plain_cut_text((lower + upper) / 2, digits))
    assert lower <= shown < upper


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=6, unique=True))
def test_separating_digits_make_different_cuts_look_different(cuts: list[float]) -> None:
    digits = separating_digits(cuts)
    assert len({plain_cut_text(cut, digits) for cut in cuts}) == len(set(cuts))


def test_separating_digits_of_adjacent_floats_show_all_digits() -> None:
    cuts = [0.3, float(np.nextafter(0.3, 1))]
    assert len({plain_cut_text(cut, separating_digits(cuts)) for cut in cuts}) == 2


@pytest.mark.parametrize(
    ("value", "text"),
    [(2.0, "2"), (0.30000000000000004, "0.3"), (1234567.25, "1234567"), (float("nan"), "nan"),
     (float("inf"), "inf"), (-0.5, "-0.5"), (1e-7, "1e-07"), (152.13348, "152.133")],
)  # fmt: skip
def test_number_text_has_significant_digits_only(value: float, text: str) -> None:
    assert number_text(value) == text


def test_level_text_of_blank_level_is_quoted() -> None:
    assert (level_text(" "), level_text("a b"), level_text(3)) == ("' '", "a b", "3")
