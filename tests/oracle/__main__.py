"""`python -m tests.oracle`: see `run.py`."""

import sys

from tests.oracle.run import main

sys.exit(main(sys.argv[1:]))
