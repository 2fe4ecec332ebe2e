"""Properties of grown trees, tried by hypothesis on small tables against the exact reference."""
