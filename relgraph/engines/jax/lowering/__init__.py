"""What Ops compute with JAX, by subject: each page has a table of classes of Ops."""

from relgraph.engines.jax.lowering import elementwise, layout, linalg, random, sparse
from relgraph.engines.jax.lowering.dispatch import register

for _page in (elementwise, layout, linalg, random, sparse):
    for _kind, _lowering in _page.TABLE.items():
        register(_kind, _lowering)
