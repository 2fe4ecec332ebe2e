"""The tree as a drawing: DOT, Mermaid, SVG, a notebook cell."""
