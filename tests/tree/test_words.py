"""Numbers and cuts in words."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ceiba.tree.splits.sentences import format_cut, level_text, number_text


def words(cut: float, digits: int = 17) -> str:
    return " ".join(format_cut(cut, None, digits))


@pytest.mark.parametrize(
    ("cut", "digits", "text"),
    [
        (92.5, 6, "<= 92.5"),
        (12345.675, 6, "<= 12345.675"),
        (5.449999999999999, 17, "< 5.45"),
        (np.nextafter(17.3, 0), 17, "< 17.3"),
        (np.nextafter(8.5, 0), 6, "< 8.5"),
        (np.nextafter(17.3, 99), 6, "<= 17.3"),
        (0.1 + 0.2, 6, "<= 0.3"),
        (-118.29249999999999, 6, "<= -118.2925"),
        (0.1 + 0.2, 17, "<= 0.30000000000000004"),
        (1234567.5, 6, "<= 1234567.5"),
        (0.123456789, 6, "<= 0.123456789"),
        (0.12345678901234566, 6, "< 0.123457"),
        (0.12345678901234566, 9, "<= 0.123456789"),
        (-0.0037611760063123457, 6, "<= -0.00376118"),
        (1e20, 17, "<= 1e+20"),
        (0.0, 17, "<= 0"),
        (np.nextafter(0.0, -1), 17, "< 0"),
        (-3.0, 17, "<= -3"),
        (1e-9, 17, "<= 1e-09"),
    ],
)
def test_cut_is_printed_as_what_it_decides(cut: float, digits: int, text: str) -> None:
    assert words(float(cut), digits) == text


@given(st.floats(allow_nan=False, allow_infinity=False, max_value=1e308), st.integers(6, 17))
def test_printed_number_itself_is_on_the_side_that_the_sign_says(cut: float, digits: int) -> None:
    sign, text = format_cut(cut, None, digits)
    assert (float(text) <= cut) == (sign == "<=")
    exact_sign, exact = format_cut(cut, None)
    above = float(np.nextafter(cut, np.inf))
    assert float(exact) == (cut if exact_sign == "<=" else above)


@pytest.mark.parametrize(
    ("value", "text"),
    [(2.0, "2"), (0.30000000000000004, "0.3"), (1234567.25, "1234567"), (float("nan"), "nan"),
     (float("inf"), "inf"), (-0.5, "-0.5"), (1e-7, "1e-07"), (152.13348, "152.133")],
)  # fmt: skip
def test_number_text_has_significant_digits_only(value: float, text: str) -> None:
    assert number_text(value) == text


def test_level_text_of_blank_level_is_quoted() -> None:
    assert (level_text(" "), level_text("a b"), level_text(3)) == ("' '", "a b", "3")
