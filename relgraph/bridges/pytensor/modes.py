"""PyTensor's modes ``"relgraph"``, ``"relgraph-jax"`` and ``"relgraph-numba"``.

In the first two a graph of PyTensor's is read, rewritten by the laws of this library and run by it;
PyTensor rewrites nothing. In the third the laws rewrite the graph, and PyTensor's numba runs it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from pytensor.compile.mode import Mode as PyTensorMode
from pytensor.compile.mode import predefined_modes, register_mode
from pytensor.graph.rewriting.db import RewriteDatabaseQuery
from pytensor.link.basic import JITLinker
from pytensor.link.numba.linker import NumbaLinker
from pytensor.tensor.type import TensorType as PyTensorTensorType

from relgraph.bridges.pytensor.reading import Reader
from relgraph.bridges.pytensor.rewriter import relational_rewriter
from relgraph.compile import function, get_mode

# A gradient of PyTensor's has the choices between branches as factors, 0 where one is not taken,
# which makes nan of what is infinite there.
SINKING = ("sink_into_choices",)
# As a number, a choice between 1 and 0 has no branch that takes a factor.
NOT_SINKING = ("switch-to-cast",)


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
        inputs, outputs = Reader().read_graph(fgraph)
        mode = get_mode(self.mode).including(*SINKING).excluding(*NOT_SINKING)
        compute = function(inputs, outputs, mode=mode, on_unused_input="ignore")
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


class NamedRewrites(RewriteDatabaseQuery):  # type: ignore[misc]
    """A query for nothing but what compilation needs, and what is included by name.

    PyMC includes a rewrite that makes a density minus infinity where a parameter is out of its
    bounds; it stands among the canonical ones, of which no other is wanted.
    """

    def including(self, *tags: str) -> NamedRewrites:
        known = self.subquery.get("canonicalize", RewriteDatabaseQuery(include=()))
        named = [tag for tag in tags if tag != _NEEDED]
        return NamedRewrites(
            include=[*self.include, *tags, "canonicalize"],
            require=self.require,
            exclude=self.exclude,
            subquery={"canonicalize": known.including(*named)},
            position_cutoff=self.position_cutoff,
            extra_rewrites=self.extra_rewrites,
        )


_NEEDED = "minimum_compile"
_LAWS = relational_rewriter(
    include=("canonicalize", "stabilize", "specialize", *SINKING), exclude=NOT_SINKING
)

MODES: dict[str, Any] = {
    "relgraph": PyTensorMode(RelgraphLinker(), NamedRewrites(include=[_NEEDED])),
    "relgraph-jax": PyTensorMode(RelgraphLinker("jax"), NamedRewrites(include=[_NEEDED])),
    "relgraph-numba": PyTensorMode(
        NumbaLinker(),
        NamedRewrites(include=[_NEEDED, "numba", "fusion", "merge"], extra_rewrites=[(_LAWS, 1.5)]),
    ),
}
"""The modes by name."""


def register_modes() -> None:
    """Let PyTensor know the modes by their names; those that it knows already stay."""
    for name, mode in MODES.items():
        # it looks for a name in capital letters
        if name.upper() not in predefined_modes:
            register_mode(name.upper(), mode)
