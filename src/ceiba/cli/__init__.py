"""Define the command line ``ceiba``, with one module per command group, assembled in `main`."""
