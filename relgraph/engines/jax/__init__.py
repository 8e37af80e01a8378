"""JAX as an engine: a graph as one function that ``jax.jit`` compiles.

`lower_graph` gives a graph as a function on JAX arrays, `register` says how Ops of a user's own are
lowered. The page *The JAX engine* of the documentation says what is the same as in NumPy, and what
is not. The names below load JAX when they are first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from relgraph.on_first_use import names_on_first_use

if TYPE_CHECKING:
    from relgraph.engines.jax.interpretation import lower_graph as lower_graph
    from relgraph.engines.jax.linker import LINKER as LINKER
    from relgraph.engines.jax.lowering.dispatch import LoweringError as LoweringError
    from relgraph.engines.jax.lowering.dispatch import NeedsValue as NeedsValue
    from relgraph.engines.jax.lowering.dispatch import is_native as is_native
    from relgraph.engines.jax.lowering.dispatch import register as register

__getattr__, __dir__ = names_on_first_use(__name__, extra="jax")
