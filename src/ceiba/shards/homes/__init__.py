"""Homes of shards: threads over scratch files, and the workers of a Dask cluster."""
