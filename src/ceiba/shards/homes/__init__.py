"""Where shards live: threads over scratch files, the workers of a Dask cluster."""
