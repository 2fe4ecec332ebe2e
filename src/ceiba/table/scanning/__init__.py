"""Tables that are read piece by piece, because they do not fit into memory."""
