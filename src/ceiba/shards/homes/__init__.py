"""Modules that host shards: in scratch files read by threads, on Dask workers, or on a GPU."""
