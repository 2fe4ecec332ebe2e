"""Host shards in threads over scratch files, on Dask workers, or on a GPU."""
