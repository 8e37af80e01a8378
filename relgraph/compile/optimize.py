"""Rewriting a graph without making a function of it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Literal, overload

from relgraph.compile.database import optdb
from relgraph.graph.basic import Variable, equal_computations
from relgraph.graph.fg import FunctionGraph
from relgraph.graph.opt import Derivation, EquilibriumOptimizer, GlobalOptimizer, Recorder
from relgraph.graph.opt.base import paused_collector
from relgraph.graph.opt.dispatch.tables import together
from relgraph.graph.opt.merge.optimizer import merged_copy
from relgraph.graph.optdb import OptimizationQuery


@overload
def optimize_graph(
    fgraph_or_variables: FunctionGraph,
    include: Iterable[str] = ...,
    custom_opt: Any = ...,
    clone: bool = ...,
    trace: Literal[False] = ...,
    **query_kwargs: Any,
) -> FunctionGraph: ...
@overload
def optimize_graph(
    fgraph_or_variables: Variable,
    include: Iterable[str] = ...,
    custom_opt: Any = ...,
    clone: bool = ...,
    trace: Literal[False] = ...,
    **query_kwargs: Any,
) -> Variable: ...
@overload
def optimize_graph(
    fgraph_or_variables: Sequence[Variable],
    include: Iterable[str] = ...,
    custom_opt: Any = ...,
    clone: bool = ...,
    trace: Literal[False] = ...,
    **query_kwargs: Any,
) -> list[Variable]: ...
@overload
def optimize_graph(
    fgraph_or_variables: FunctionGraph,
    include: Iterable[str] = ...,
    custom_opt: Any = ...,
    clone: bool = ...,
    *,
    trace: Literal[True],
    **query_kwargs: Any,
) -> tuple[FunctionGraph, Derivation]: ...
@overload
def optimize_graph(
    fgraph_or_variables: Variable,
    include: Iterable[str] = ...,
    custom_opt: Any = ...,
    clone: bool = ...,
    *,
    trace: Literal[True],
    **query_kwargs: Any,
) -> tuple[Variable, Derivation]: ...
@overload
def optimize_graph(
    fgraph_or_variables: Sequence[Variable],
    include: Iterable[str] = ...,
    custom_opt: Any = ...,
    clone: bool = ...,
    *,
    trace: Literal[True],
    **query_kwargs: Any,
) -> tuple[list[Variable], Derivation]: ...
def optimize_graph(
    fgraph_or_variables: FunctionGraph | Variable | Sequence[Variable],
    include: Iterable[str] = ("canonicalize",),
    custom_opt: Any = None,
    clone: bool = False,
    trace: bool = False,
    **query_kwargs: Any,
) -> Any:
    """Rewrite a graph by what the database has for some tags, and by an optimizer of one's own.

    Parameters
    ----------
    fgraph_or_variables
        A `FunctionGraph`, a variable, or a sequence of variables.
    include
        Tags: what is applied has one of them. ``()`` for nothing from the database.
    custom_opt
        A GlobalOptimizer; or a LocalOptimizer or a law, which is applied until it changes nothing.
        It follows what the database gives.
    clone
        Work on a copy; the graph that is passed stays as it is.
    trace
        Take down which rewrite did what, and return that too.
    query_kwargs
        ``require``, ``exclude`` and so on, as for `OptimizationQuery`.

    Returns
    -------
    graph
        What was passed, rewritten: a FunctionGraph, a variable, or a list of variables.
    derivation
        With `trace` alone: the steps from the one to the other, a `Derivation`.

    Raises
    ------
    TypeError
        If `custom_opt` is no optimizer.
    """
    optimizers = _optimizers(include, custom_opt, query_kwargs)
    with paused_collector():
        fgraph = _graph_of(fgraph_or_variables, clone, trace, optimizers)
        recorder = Recorder() if trace else None
        if recorder is not None:
            fgraph.attach_feature(recorder)
        try:
            for optimizer in optimizers:
                optimizer.optimize(fgraph)
        finally:
            if recorder is not None:
                fgraph.remove_feature(recorder)
        result = _as_given(fgraph, fgraph_or_variables)
    return result if recorder is None else (result, recorder.derivation(optimizers))


def _graph_of(
    given: FunctionGraph | Variable | Sequence[Variable],
    clone: bool,
    trace: bool,
    optimizers: Sequence[GlobalOptimizer],
) -> FunctionGraph:
    """Return the graph to work on."""
    if isinstance(given, FunctionGraph):
        return given.clone() if clone else given
    outputs = [given] if isinstance(given, Variable) else list(given)
    # in a derivation the merges are steps like others
    if clone and not trace and optimizers and optimizers[0].merges_first:
        return merged_copy(outputs, together(optimizers[0].collapsing() or ()))
    return FunctionGraph(outputs=outputs, clone=clone)


def _as_given(
    fgraph: FunctionGraph, given: FunctionGraph | Variable | Sequence[Variable]
) -> FunctionGraph | Variable | list[Variable]:
    """Return what has become of what was given: a graph, a variable or a list of them."""
    if isinstance(given, FunctionGraph):
        return fgraph
    # features and the methods that they add hold on to the graph: without them all that it knew
    # of its nodes goes at once, not when the collector has walked through it
    for feature in list(fgraph.features):
        fgraph.remove_feature(feature)
    return fgraph.outputs[0] if isinstance(given, Variable) else list(fgraph.outputs)


def _optimizers(
    include: Iterable[str], custom_opt: Any, query_kwargs: dict[str, Any]
) -> list[GlobalOptimizer]:
    """Return what is to be applied, in order."""
    tags = tuple(include)
    used: list[GlobalOptimizer] = []
    if tags or query_kwargs.get("extra_optimizations"):
        used.append(optdb.query(OptimizationQuery(include=tags, **query_kwargs)))
    if custom_opt is not None:
        own = isinstance(custom_opt, GlobalOptimizer)
        used.append(custom_opt if own else EquilibriumOptimizer([custom_opt]))
    return used


def is_same_graph(var1: Variable, var2: Variable, givens: Any = None) -> bool:
    """Return whether two variables are computed in the same way.

    Parameters
    ----------
    givens
        Pairs of variables to be taken for equal wherever they stand, as a dict or a list of pairs.
        What is taken for an expression is compared as that.
    """
    seen_as: dict[Variable, Variable] = {}

    def found(var: Variable) -> Variable:
        while var in seen_as:
            var = seen_as[var]
        return var

    for old, new in dict(givens or {}).items():
        old, new = found(old), found(new)
        if old is not new:
            # an expression stays one, or what is built like it would not be found
            leaf, other = (new, old) if new.owner is None else (old, new)
            seen_as[leaf] = other
    return equal_computations([var1], [var2], seen_as=found)
