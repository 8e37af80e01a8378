"""JAX as an engine: a graph as one function that ``jax.jit`` compiles.

`lower_graph` gives a graph as a function on JAX arrays, `register` says how Ops of a user's own are
lowered. The page *The JAX engine* of the documentation says what is the same as in NumPy, and what
is not.
"""

from relgraph.engines.jax.interpretation import lower_graph
from relgraph.engines.jax.linker import LINKER
from relgraph.engines.jax.lowering import register_lowerings
from relgraph.engines.jax.lowering.dispatch import LoweringError, NeedsValue, is_native, register

register_lowerings()

__all__ = ["LINKER", "LoweringError", "NeedsValue", "is_native", "lower_graph", "register"]
