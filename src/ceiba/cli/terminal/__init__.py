"""Output to a terminal or a pipe, progress bars, questions, and the tree viewer."""
