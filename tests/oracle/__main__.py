"""`python -m tests.oracle [part of a name] [--verbose]`: prints the report; status 1 when a
comparison fails.
"""

from __future__ import annotations

import sys

from tests.oracle.load import folder
from tests.oracle.run import run


def main(arguments: list[str]) -> int:
    if not folder().is_dir():
        print(f"oracle: no folder {folder()}; set CEIBA_ORACLE")
        return 2
    names = [word for word in arguments if not word.startswith("-")]
    report = run(names[0] if names else "")
    print("\n".join(report.lines(verbose="--verbose" in arguments)))
    return int(report.failed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
