"""What each Op computes on blocks: one table, `dispatch.lower`, filled by subject."""

from relgraph.engines.dask.lowering import elementwise, indexing, linalg, shapes

__all__ = ["elementwise", "indexing", "linalg", "shapes"]
