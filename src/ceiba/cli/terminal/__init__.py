"""Output to a terminal or a pipe, progress bars, and what is interactive."""
