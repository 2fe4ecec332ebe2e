"""The homes of shards: threads over scratch files, the workers of a Dask cluster."""
