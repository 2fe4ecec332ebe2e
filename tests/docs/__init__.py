"""The documentation as a site: its checkers, its parts, and the built pages in a browser."""
