"""Trees edited by hand: what the methods `set_split`, `regrow`, `grow_leaves`, ... do."""
