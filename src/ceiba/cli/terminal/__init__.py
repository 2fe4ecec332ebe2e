"""Write to a terminal or a pipe, show progress, and ask questions."""
