"""Measure text by the advance widths of DejaVu Sans, without a font library.

Verdana, which browsers have, has nearly the same widths; Arial and Helvetica are narrower, so text
in any of them fits boxes of these widths. Characters beyond ASCII count as wide ones, East Asian
ones as full squares.
"""

from __future__ import annotations

import unicodedata
from functools import cache
from typing import Final

from ceiba.layout.drawing import Measure

FONT_FAMILY: Final = "'DejaVu Sans', Verdana, Geneva, Arial, sans-serif"

# Advance widths of the characters from space to tilde, in thousandths of the font size.
_PLAIN_WIDTHS: Final = """
318 401 460 838 636 950 780 275 390 390 500 838 318 361 318 337 636 636 636 636 636 636 636 636 636
636 337 337 838 838 838 531 1000 684 686 698 770 632 575 775 752 295 295 656 557 863 748 787 603 787
695 635 611 732 684 989 685 611 685 390 337 390 838 500 500 613 635 550 635 615 352 635 634 278 278
579 278 974 634 612 635 635 411 521 392 634 592 818 592 592 525 636 337 636 838
"""
_BOLD_WIDTHS: Final = """
348 456 521 838 696 1002 872 306 457 457 523 838 380 415 380 365 696 696 696 696 696 696 696 696 696
696 400 400 838 838 838 580 1000 774 762 734 830 683 683 821 837 372 372 775 637 995 837 850 733 850
770 720 682 812 774 1103 771 724 725 457 365 457 838 500 500 675 716 593 716 678 435 716 712 343 343
665 343 1042 712 687 716 716 493 595 478 712 652 924 645 652 582 712 365 712 838
"""
_PLAIN: Final = tuple(map(int, _PLAIN_WIDTHS.split()))
_BOLD: Final = tuple(map(int, _BOLD_WIDTHS.split()))


def measure_for_size(font_size: float) -> Measure:
    """Return a function that measures the width of a string in points at this font size."""

    @cache
    def measure(text: str, bold: bool) -> float:
        return sum(_width(letter, bold) for letter in text) * font_size / 1000

    return measure


@cache
def _width(letter: str, bold: bool) -> int:
    index = ord(letter) - 32
    if 0 <= index < len(_PLAIN):
        return _BOLD[index] if bold else _PLAIN[index]
    if unicodedata.combining(letter):
        return 0
    if unicodedata.east_asian_width(letter) in "WF":
        return 1000
    return 920 if bold else 840
