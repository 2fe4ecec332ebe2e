"""The command line ``ceiba``, which `main` builds from the modules in `commands`."""
