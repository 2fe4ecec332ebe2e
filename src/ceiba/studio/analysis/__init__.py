"""What the studio answers about a tree: rivals, previews, columns, figures, doubts, comparisons."""
