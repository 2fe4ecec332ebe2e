"""The worked examples of the teaching documents, with the figures recomputed exactly."""
