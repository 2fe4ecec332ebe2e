"""Readers: one file per kind of container, and what turns its values into typed columns."""
