"""Is one result slower than another? `python -m benchmarks.compare old.json new.json`

Compares figure by figure what two runs of one subset on one machine have in common. Ratios against
a rival of the same run are steadier than seconds; still, 10 to 25 % is noise on a shared machine,
so a figure may be worse by the noise band (default 25 %) and by no more; impurity by 1e-5, memory
by 10 %. Exit status 1 if any is.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

BAND = 0.25
BAND_OF = {"training impurity": 1e-5, "extra memory": 0.10}


def figures(result: dict[str, Any]) -> dict[tuple[str, str, str], dict[str, Any]]:
    """Index the figures of a result by race, what, and rival."""
    return {
        (row["race"], row["what"], _rival(row)): row
        for row in result["figures"]
        if row["value"] is not None
    }


def _rival(row: dict[str, Any]) -> str:
    return str(row["theirs"]).split(" ", 1)[0]


def worsening(old: dict[str, Any], new: dict[str, Any]) -> float:
    """Give how much worse a figure became, as a share (below 0: better)."""
    if old["what"].startswith("training impurity"):
        return float(new["value"] - old["value"])
    higher_is_better = old["figure"].endswith("faster")
    first, second = (new, old) if higher_is_better else (old, new)
    return float(second["value"] / first["value"] - 1) if first["value"] else 0.0


def band_of(what: str, band: float) -> float:
    """Give the noise band of a figure."""
    return next((size for name, size in BAND_OF.items() if what.startswith(name)), band)


def compare(old: dict[str, Any], new: dict[str, Any], band: float) -> tuple[list[str], bool]:
    """Give a line per common figure, and whether any is worse than its band."""
    before, after = figures(old), figures(new)
    lines, worse = [], False
    for key in before.keys() & after.keys():
        change = worsening(before[key], after[key])
        regressed = change > band_of(key[1], band)
        worse = worse or regressed
        mark = "WORSE" if regressed else "ok"
        shown = f"{before[key]['figure']} -> {after[key]['figure']}"
        lines.append(f"{mark:5} {change:+8.1%}  {key[0]}; {key[1]}: {shown}")
    return sorted(lines, reverse=True), worse


def main() -> int:
    assert __doc__
    form = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(
        "benchmarks.compare", description=__doc__, formatter_class=form
    )
    parser.add_argument("old", type=Path)
    parser.add_argument("new", type=Path)
    parser.add_argument("--band", type=float, default=BAND, help="noise, as a share (0.25)")
    options = parser.parse_args()
    old, new = (json.loads(path.read_text("utf-8")) for path in (options.old, options.new))
    for fact in ("subset", "rows", "machine"):
        if old[fact] != new[fact]:
            print(
                f"The two results differ in {fact}: {old[fact]} and {new[fact]}; compare with care."
            )
    lines, worse = compare(old, new, options.band)
    print("\n".join(lines) if lines else "The two results have no figure in common.")
    print(f"{options.old.name} at {old['commit']}, {options.new.name} at {new['commit']}")
    return 1 if worse or not lines else 0


if __name__ == "__main__":
    sys.exit(main())
