"""Commands that make a tree or choose between trees."""
