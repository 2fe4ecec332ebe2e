"""Shards on a Dask cluster: partitions become shards where they are.

Shards are results of pure tasks, not actors: a shard that is lost with its worker is made again
from its partition, and the next round tells it the whole way. A round travels as the result of a
task (what is scattered has no lineage and cannot be made again). Tasks ask to run where their shard
is, and may run elsewhere: a task that insists would wait for a dead worker for ever. Answers are
merged on each worker first, so that one answer per worker travels. A task whose workers died too
often is given up by the scheduler ("allowed-failures"); it is then asked again from here.
"""
