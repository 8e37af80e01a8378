"""What each Op computes on blocks: one table, `dispatch.lower`, filled by subject."""

from relgraph.engines.dask.lowering import elementwise, layout, linalg

__all__ = ["elementwise", "layout", "linalg"]
