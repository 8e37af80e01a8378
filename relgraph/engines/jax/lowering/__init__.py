"""What Ops compute with JAX, by subject: each page has a table of classes of Ops."""

from relgraph.engines.jax.lowering import elementwise, indexing, linalg, random, shapes, sparse
from relgraph.engines.jax.lowering.dispatch import register

for _page in (elementwise, indexing, linalg, random, shapes, sparse):
    for _kind, _lowering in _page.TABLE.items():
        register(_kind, _lowering)
