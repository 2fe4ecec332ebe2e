"""The command line ``ceiba``: one file per command, put together in `main`."""
