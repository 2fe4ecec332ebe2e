"""Growing over shards: the tree of memory from a table that is elsewhere, in pieces.

Doors to other rooms:

    opening     `open_table`: a table beyond memory as shards, over scratch files or on a cluster
    table       `ShardedTable`, what a `Problem` over shards has for a table; blocks, weights
    grower      `grow_over_shards`
    folds       the rows and trees of cross-validation
    journal     `resumable`: a fit that is resumed from its checkpoint
    supported   what growing over shards refuses

All rounds of growing are those of the core (`cpp/core/shards/protocol.hpp`); what else goes to a
shard or comes from it are flat arrays of a kind, listed in `shard.py`.
"""
