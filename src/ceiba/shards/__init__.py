"""Growing over shards: the tree of memory from a table that is elsewhere, in pieces."""
