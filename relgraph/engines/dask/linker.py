"""`DaskLinker`: graphs as tasks of Dask."""

from __future__ import annotations

from relgraph.engines.dask import loops
from relgraph.engines.dask.blocks import Blocks
from relgraph.engines.dask.lowering import TABLES
from relgraph.engines.dask.lowering.dispatch import way_of
from relgraph.engines.dask.program import DaskProgram
from relgraph.graph.fg import FunctionGraph


class DaskLinker:
    """Makes tasks of a graph, for blocks of its arrays, when a function is called.

    They run on the scheduler that is in force: Dask's threads, unless ``dask.config`` or a client
    of ``distributed`` says something else.

    Parameters
    ----------
    compute
        Whether results are computed, and are NumPy's arrays; if not, they are Dask's. None: they
        are computed unless an argument is an array of Dask.
    chunks
        How NumPy's arrays and files are cut, as for `dask.array.from_array`: ``"auto"``, a size
        such as ``"64MiB"``, or the length of a block along each axis.
    passes
        Whether small values that all blocks of an array go into (a sum, say) are computed when
        other blocks are computed from them and the array: in a call, a pass over the array for each
        level of them. The memory then does not grow with the array. If not, a call computes only
        what decides on shapes and branches.
    """

    name = "dask"
    excluded = ("inplace", "blas")
    """The tags of what is for NumPy alone."""

    def __init__(
        self, compute: bool | None = None, chunks: str | int = "auto", passes: bool = True
    ) -> None:
        self.compute = compute
        self.chunks = chunks
        self.passes = passes

    def blocks(self) -> Blocks:
        """Return how the arrays of one call are cut."""
        return Blocks(self.chunks, self.passes)

    def link(self, fgraph: FunctionGraph) -> DaskProgram:
        """Return a function that computes the outputs of a graph from its inputs."""
        return DaskProgram(fgraph.inputs, fgraph.outputs, self)

    def __repr__(self) -> str:
        return f"DaskLinker(compute={self.compute}, chunks={self.chunks!r}, passes={self.passes})"


LINKER = DaskLinker()

LOWERINGS = (*TABLES, loops)
"""The modules that say how Ops are lowered."""

__all__ = ["LINKER", "LOWERINGS", "DaskLinker", "way_of"]
