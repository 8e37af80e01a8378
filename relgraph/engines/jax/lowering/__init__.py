"""What Ops compute with JAX, by subject: each page has a table of classes of Ops."""

from relgraph.engines.jax.lowering import (
    along_axes,
    elementwise,
    indexing,
    linalg,
    products,
    reductions,
    shapes,
    sparse,
)
from relgraph.engines.jax.lowering.dispatch import register_all
from relgraph.engines.jax.lowering.random import ops as random

_PAGES = (
    *(along_axes, elementwise, indexing, linalg, products),
    *(random, reductions, shapes, sparse),
)


for _page in _PAGES:
    register_all(_page.TABLE)
