"""Rewriting a graph without making a function of it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, overload

from relgraph.compile.database import optdb
from relgraph.graph.basic import Variable, equal_computations
from relgraph.graph.fg import FunctionGraph
from relgraph.graph.opt import EquilibriumOptimizer, GlobalOptimizer
from relgraph.graph.optdb import OptimizationQuery


@overload
def optimize_graph(
    fgraph_or_variables: FunctionGraph,
    include: Iterable[str] = ...,
    custom_opt: Any = ...,
    clone: bool = ...,
    **query_kwargs: Any,
) -> FunctionGraph: ...
@overload
def optimize_graph(
    fgraph_or_variables: Variable,
    include: Iterable[str] = ...,
    custom_opt: Any = ...,
    clone: bool = ...,
    **query_kwargs: Any,
) -> Variable: ...
@overload
def optimize_graph(
    fgraph_or_variables: Sequence[Variable],
    include: Iterable[str] = ...,
    custom_opt: Any = ...,
    clone: bool = ...,
    **query_kwargs: Any,
) -> list[Variable]: ...
def optimize_graph(
    fgraph_or_variables: FunctionGraph | Variable | Sequence[Variable],
    include: Iterable[str] = ("canonicalize",),
    custom_opt: Any = None,
    clone: bool = False,
    **query_kwargs: Any,
) -> FunctionGraph | Variable | list[Variable]:
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
    query_kwargs
        ``require``, ``exclude`` and so on, as for `OptimizationQuery`.

    Returns
    -------
    graph
        What was passed, rewritten: a FunctionGraph, a variable, or a list of variables.

    Raises
    ------
    TypeError
        If `custom_opt` is no optimizer.
    """
    if isinstance(fgraph_or_variables, FunctionGraph):
        fgraph = fgraph_or_variables.clone() if clone else fgraph_or_variables
        _rewrite(fgraph, include, custom_opt, query_kwargs)
        return fgraph
    if isinstance(fgraph_or_variables, Variable):
        fgraph = FunctionGraph(outputs=[fgraph_or_variables], clone=clone)
        _rewrite(fgraph, include, custom_opt, query_kwargs)
        result: Variable = fgraph.outputs[0]
        return result
    fgraph = FunctionGraph(outputs=list(fgraph_or_variables), clone=clone)
    _rewrite(fgraph, include, custom_opt, query_kwargs)
    return list(fgraph.outputs)


def _rewrite(
    fgraph: FunctionGraph, include: Iterable[str], custom_opt: Any, query_kwargs: dict[str, Any]
) -> None:
    tags = tuple(include)
    if tags or query_kwargs.get("extra_optimizations"):
        optdb.query(OptimizationQuery(include=tags, **query_kwargs)).optimize(fgraph)
    if custom_opt is not None:
        if not isinstance(custom_opt, GlobalOptimizer):
            custom_opt = EquilibriumOptimizer([custom_opt])
        custom_opt.optimize(fgraph)


def is_same_graph(var1: Variable, var2: Variable, givens: Any = None) -> bool:
    """Return whether two variables are computed in the same way.

    Parameters
    ----------
    givens
        Pairs of variables to be taken for equal, as a dict or a list of pairs: each of one graph
        with its counterpart in the other.
    """
    pairs = list(dict(givens or {}).items())
    return equal_computations([var1], [var2], [old for old, _ in pairs], [new for _, new in pairs])
