"""Run the command line interface with ``python -m ceiba``."""

from __future__ import annotations

from ceiba.cli.main import main

if __name__ == "__main__":
    main()
