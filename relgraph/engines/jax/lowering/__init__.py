"""What Ops compute with JAX, by subject: each page has a table of classes of Ops."""

from relgraph.engines.jax.lowering import elementwise, indexing, products, reductions, shapes
from relgraph.engines.jax.lowering.dispatch import register_all

_PAGES = (elementwise, indexing, products, reductions, shapes)


def register_lowerings() -> None:
    """Say how the Ops of the library are lowered."""
    for page in _PAGES:
        register_all(page.TABLE)
