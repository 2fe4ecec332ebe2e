"""Command line interface of ceiba."""
