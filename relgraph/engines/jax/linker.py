"""`JaxLinker`: graphs as programs that JAX compiles."""

from __future__ import annotations

from functools import cache

import jax

from relgraph.engines.jax.program import JaxProgram
from relgraph.graph.fg import FunctionGraph

_ASYNCHRONOUS = "jax_cpu_enable_async_dispatch"


@cache
def run_where_called() -> None:
    """Have JAX run on the CPU in the thread that calls, if it has not made its client yet.

    A function waits for its results, and to hand a small graph to another thread and back takes
    longer than to compute it. The flag is then as it was.
    """
    try:
        before = jax.config.read(_ASYNCHRONOUS)
    except AttributeError:  # a JAX without it
        return
    if before:
        jax.config.update(_ASYNCHRONOUS, False)
        try:
            jax.local_devices()  # makes the clients
        finally:
            jax.config.update(_ASYNCHRONOUS, before)


class JaxLinker:
    """Makes one function of a graph, which ``jax.jit`` compiles when it is first called.

    Attributes
    ----------
    name
        Its name in a `Mode`.
    excluded
        The tags of what is for NumPy alone.
    rounds
        That results are those of the reference but for rounding.
    """

    name = "jax"
    excluded = ("inplace", "elemwise_fusion", "blas")
    rounds = True

    def link(self, fgraph: FunctionGraph) -> JaxProgram:
        """Return a function that computes the outputs of a graph from its inputs."""
        run_where_called()
        return JaxProgram(fgraph.inputs, fgraph.outputs, fgraph.toposort())


LINKER = JaxLinker()
