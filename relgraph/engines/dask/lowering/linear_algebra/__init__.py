"""Products, stacks of matrices, and matrices of many rows."""

from relgraph.engines.dask.lowering.linear_algebra import matrices, products, tall_matrices

__all__ = ["matrices", "products", "tall_matrices"]
