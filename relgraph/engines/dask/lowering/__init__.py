"""What each Op computes on blocks: one table, `dispatch.lower`, filled by subject."""

from relgraph.engines.dask.lowering import (
    along_axes,
    creation,
    elementwise,
    indexing,
    linear_algebra,
    reductions,
    shapes,
    softmaxes,
)

TABLES = (
    *(along_axes, creation, elementwise, indexing),
    *(linear_algebra, reductions, shapes, softmaxes),
)
"""The modules that fill it."""

__all__ = ["TABLES"]
