"""The Dask engine."""
