"""The model file ``.ceiba``: a tree (and its estimator) as readable, checked, versioned JSON."""
