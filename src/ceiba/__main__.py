"""``python -m ceiba``: the command line without the installed script."""

from __future__ import annotations

from ceiba.cli.main import main

if __name__ == "__main__":
    main()
