"""Runs the whole comparison: every golden of every kind against the installed library.

`make oracle`, `python tests/oracle/run.py [part of a name] [--verbose]` or `python -m
tests.oracle`. The last line counts the goldens that match; the status is 1 when a comparison fails,
2 when the folder is not there.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

if not __package__:  # started as a script
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.oracle import rpart_goldens, sklearn_goldens, weka_goldens
from tests.oracle.load import folder, goldens
from tests.oracle.report import Outcome, Report


def outcomes(only: str = "") -> Iterator[Outcome]:
    """The verdict on each golden whose name contains `only`."""
    import ceiba

    for golden in goldens("rpart", only):
        if hasattr(ceiba, "rpart"):
            yield rpart_goldens.check(golden, lambda p: rpart_goldens.fit_ceiba(p, ceiba))
        else:
            yield Outcome(rpart_goldens.KIND, golden["id"], {"structure": "not built"})
    for golden in goldens("sklearn", only):
        yield sklearn_goldens.check(golden, ceiba)
    for golden in goldens("weka", only):
        yield weka_goldens.check(golden, ceiba)


def main(arguments: list[str]) -> int:
    if not folder().is_dir():
        print(f"oracle: no folder {folder()}; set CEIBA_ORACLE")
        return 2
    names = [word for word in arguments if not word.startswith("-")]
    report = Report(list(outcomes(names[0] if names else "")))
    print("\n".join(report.lines(verbose="--verbose" in arguments)))
    return int(report.failed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
