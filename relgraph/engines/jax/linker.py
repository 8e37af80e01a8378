"""`JaxLinker`: graphs as programs that JAX compiles."""

from __future__ import annotations

from relgraph.engines.jax.host import run_where_called
from relgraph.engines.jax.program import JaxProgram
from relgraph.graph.fg import FunctionGraph


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
    flushes
        That subnormal numbers are taken for zero.
    """

    name = "jax"
    excluded = ("inplace", "elemwise_fusion", "blas")
    rounds = flushes = True

    def link(self, fgraph: FunctionGraph) -> JaxProgram:
        """Return a function that computes the outputs of a graph from its inputs."""
        run_where_called()
        return JaxProgram(fgraph.inputs, fgraph.outputs, fgraph.toposort())


LINKER = JaxLinker()
