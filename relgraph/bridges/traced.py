"""What a bridge makes of a function: its graph, which can be compiled, rewritten and drawn."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from relgraph.compile import Mode, function, get_mode
from relgraph.displayed import Displayed
from relgraph.graph.basic import Variable
from relgraph.graph.fg import FunctionGraph
from relgraph.graph.optdb import OptimizationQuery

_STABILIZED = Mode(
    optimizer=OptimizationQuery(
        include=["canonicalize", "stabilize", "loop_steps"], exclude=["finite"]
    )
)
# What makes a graph better for NumPy alone.
_FOR_NUMPY = ("inplace", "elemwise_fusion", "blas")


class Nesting(Protocol):
    """How leaves are nested."""

    def leaves_of(self, tree: Any, /) -> list[Any]:
        """Return the leaves of a tree; raise TypeError if it is nested in another way."""

    def filled(self, leaves: list[Any], /) -> Any:
        """Return the tree that has these leaves."""


@dataclass(frozen=True, eq=False)
class Traced(Displayed):
    """The graph of a function.

    Attributes
    ----------
    inputs, outputs
        The variables that the leaves of its arguments became, and those of its results.
    arguments, results
        How arguments and results are nested; the arguments are a tuple of those that are given by
        place and a dict of those that are given by name.
    name
        The name of the function.
    """

    inputs: list[Variable]
    outputs: list[Variable]
    arguments: Nesting
    results: Nesting
    name: str

    @property
    def result(self) -> Any:
        """The outputs, nested as the function returned them."""
        return self.results.filled(self.outputs)

    def fgraph(self) -> FunctionGraph:
        """Return a copy of the graph with its inputs and outputs: what is drawn and optimized."""
        return FunctionGraph(self.inputs, self.outputs, clone=True)

    def rewritten(self, laws: Any = None, mode: str | Mode | None = None) -> Traced:
        """Return this function with a rewritten graph; see `optimized`."""
        inputs, outputs = optimized(self.inputs, self.outputs, laws, mode)
        return Traced(inputs, outputs, self.arguments, self.results, self.name)

    def function(self, mode: str | Mode | None = None) -> Callable[..., Any]:
        """Return a function of arrays that takes and returns what the traced one did.

        Parameters
        ----------
        mode
            As for `relgraph.function`: how the graph is optimized, and what runs it.
        """
        return _Compiled(self, mode)

    def _repr_html_(self) -> str | None:
        return self.fgraph()._repr_html_()

    def _repr_svg_(self) -> str | None:
        return self.fgraph()._repr_svg_()

    def _repr_latex_(self) -> str | None:
        return self.fgraph()._repr_latex_()

    def __repr__(self) -> str:
        taken = ", ".join(f"{v}: {v.type}" for v in self.inputs)
        return f"<Traced {self.name}({taken}) -> {', '.join(str(v.type) for v in self.outputs)}>"


class _Compiled:
    """A compiled graph that takes and returns pytrees."""

    def __init__(self, traced: Traced, mode: str | Mode | None) -> None:
        self.traced = traced
        self.compiled = function(
            traced.inputs, traced.outputs, mode, on_unused_input="ignore", name=traced.name
        )

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        try:
            leaves = self.traced.arguments.leaves_of((args, kwargs))
        except TypeError as error:
            raise TypeError(f"{self.traced.name}: {error}") from None
        return self.traced.results.filled(self.compiled(*leaves))

    def __repr__(self) -> str:
        return f"<compiled {self.traced!r}>"


def optimized(
    inputs: Sequence[Variable],
    outputs: Sequence[Variable],
    laws: Any = None,
    mode: str | Mode | None = None,
) -> tuple[list[Variable], list[Variable]]:
    """Return the inputs and outputs of a rewritten copy of a graph.

    Parameters
    ----------
    laws
        A law or another rewriter, or a list of them: what is applied if no mode is given, and is
        applied with the rest if one is.
    mode
        A mode or its name. With neither, the phases ``canonicalize`` and ``stabilize`` are applied,
        without the laws that take every value for finite.
    """
    if mode is None and laws is None:
        chosen = _STABILIZED
    elif mode is None:
        chosen = Mode(optimizer=laws)
    else:
        chosen = get_mode(mode) if laws is None else get_mode(mode).including(laws)
    graph = FunctionGraph(list(inputs), list(outputs), clone=True)
    if chosen.query is not None:
        chosen = chosen.excluding(*_FOR_NUMPY)
    chosen.optimizer.optimize(graph)
    for feature in list(graph.features):
        graph.remove_feature(feature)
    return list(graph.inputs), list(graph.outputs)
