"""The command line ``ceiba``: one module per group of commands, assembled in `main`."""
