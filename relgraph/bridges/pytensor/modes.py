"""PyTensor's modes ``"relgraph"``, ``"relgraph-jax"`` and ``"relgraph-numba"``.

In the first two a graph of PyTensor's is read, rewritten by the laws of this library and run by it;
PyTensor rewrites nothing. In the third the laws rewrite the graph, and PyTensor's numba runs it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from pytensor.compile.mode import Mode as PyTensorMode
from pytensor.compile.mode import optdb, predefined_modes, register_mode
from pytensor.graph.rewriting.basic import SequentialGraphRewriter
from pytensor.graph.rewriting.db import RewriteDatabase, RewriteDatabaseQuery
from pytensor.link.basic import JITLinker
from pytensor.link.numba.linker import NumbaLinker
from pytensor.tensor.type import TensorType as PyTensorTensorType

from relgraph.bridges.pytensor.reading import Reader
from relgraph.bridges.pytensor.rewriter import relational_rewriter
from relgraph.compile import function


class RelgraphLinker(JITLinker):  # type: ignore[misc]
    """Runs graphs of PyTensor's by this library.

    Parameters
    ----------
    mode
        A mode of this library: ``"fast_run"``, ``"jax"``, ….
    """

    def __init__(self, mode: str = "fast_run") -> None:
        super().__init__()
        self.mode = mode

    def __repr__(self) -> str:
        return f"RelgraphLinker({self.mode!r})"

    def fgraph_convert(self, fgraph: Any, **storage: Any) -> Callable[..., Any]:
        """Return a function of the values of the inputs, which computes those of the outputs."""
        reader = Reader()
        inputs = [reader.leaf(v, as_input=True) for v in fgraph.inputs]
        reader.found.update(zip(fgraph.inputs, inputs, strict=True))
        outputs = reader.read(fgraph.outputs)
        compute = function(inputs, outputs, mode=self.mode, on_unused_input="ignore")
        # PyTensor has converted them
        compute.trust_input = True
        tensors = [isinstance(v.type, PyTensorTensorType) for v in fgraph.outputs]

        def run(*values: Any) -> list[Any] | None:
            found = compute(*values)
            made = [np.asarray(v) if t else v for v, t in zip(found, tensors, strict=True)]
            # of a function without outputs PyTensor wants nothing
            return made or None

        return run

    def create_thunk_inputs(self, storage_map: dict[Any, list[Any]]) -> list[Any]:
        return [storage_map[v] for v in self.fgraph.inputs]

    def jit_compile(self, fn: Callable[..., Any]) -> Callable[..., Any]:
        return fn


_AS_IT_IS = RewriteDatabaseQuery(include=("minimum_compile",))
_FUSED = RewriteDatabaseQuery(include=("minimum_compile", "numba", "fusion", "merge"))


class _LawsFirst(RewriteDatabase):  # type: ignore[misc]
    """A database of PyTensor's in which the laws of this library stand for its algebra."""

    def query(self, *query: Any, **tags: Any) -> Any:
        laws = relational_rewriter(include=("canonicalize", "stabilize", "specialize"))
        return SequentialGraphRewriter([laws, optdb.query(*query, **tags)])


MODES: dict[str, Any] = {
    "relgraph": PyTensorMode(RelgraphLinker(), _AS_IT_IS),
    "relgraph-jax": PyTensorMode(RelgraphLinker("jax"), _AS_IT_IS),
    "relgraph-numba": PyTensorMode(NumbaLinker(), _FUSED, db=_LawsFirst()),
}
"""The modes by name."""


def register_modes() -> None:
    """Let PyTensor know the modes by their names; those that it knows already stay."""
    for name, mode in MODES.items():
        # it looks for a name in capital letters
        if name.upper() not in predefined_modes:
            register_mode(name.upper(), mode)
