"""Weka's goldens (J48, Id3): wait for the recipes `ceiba.c45()` and `ceiba.id3()`.

`check` will fit the recipe and compare the number of leaves and nodes, the training confusion and
the class distribution of the incomplete rows (oracle section 13).
"""

from __future__ import annotations

from tests.oracle.load import Golden
from tests.oracle.report import Outcome

KIND = "Weka"


def check(golden: Golden) -> Outcome:
    return Outcome(KIND, golden["id"], {"structure": "not built"})
