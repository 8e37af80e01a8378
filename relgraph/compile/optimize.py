"""What needs no function: `optimize_graph`, and `Variable.eval`, which computes a value as it is
written.

With ``config.check_costs``, whether a graph costs more is checked after each change of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from functools import cache
from typing import Any, Literal, TypeVar, overload

import relations
from relgraph.compile.database import equilibrium_of, optdb, require_known
from relgraph.compile.registration import own_rewriters
from relgraph.graph.basic import Constant, Variable, equal_computations, graph_inputs
from relgraph.graph.fg import FunctionGraph
from relgraph.graph.opt import Derivation, GlobalOptimizer, Recorder
from relgraph.graph.opt.dispatch import union_of
from relgraph.graph.opt.merge import merged_copy
from relgraph.graph.optdb import OptimizationQuery
from relgraph.graph.reference import evaluate
from relgraph.graph.shared_values import SharedVariable
from relgraph.graph.utils import paused_collector
from relgraph.settings import config
from relgraph.tensor.costs import NeverCostlier


def evaluate_variable(variable: Variable, values: Mapping[Any, Any]) -> Any:
    """Return the value of a variable; its graph is not optimized.

    Parameters
    ----------
    variable
        The variable.
    values
        The values of the inputs, by variable or by name. Shared variables have their own.

    Raises
    ------
    KeyError
        If no input, or more than one, has one of the names.
    MissingInputError
        If an input has no value.
    """
    leaves = [v for v in graph_inputs([variable]) if not isinstance(v, Constant)]
    given: dict[Any, Any] = {v: v.get_value() for v in leaves if isinstance(v, SharedVariable)}
    for key, value in values.items():
        given[_input_named(key, variable, leaves) if isinstance(key, str) else key] = value
    return evaluate([variable], given)[0]


def _input_named(name: str, variable: Variable, leaves: list[Variable]) -> Variable:
    found = [v for v in leaves if v.name == name]
    if len(found) != 1:
        known = sorted({v.name for v in leaves if v.name is not None})
        raise KeyError(
            f"{len(found)} inputs of {variable} are called {name!r}; the names are {known}"
        )
    return found[0]


G = TypeVar("G", FunctionGraph, Variable, list[Variable], Sequence[Variable])


@overload
def optimize_graph(
    fgraph_or_variables: G,
    include: Iterable[str] = ...,
    custom_opt: Any = ...,
    clone: bool | None = ...,
    trace: Literal[False] = ...,
    **query_kwargs: Any,
) -> G: ...
@overload
def optimize_graph(
    fgraph_or_variables: G,
    include: Iterable[str] = ...,
    custom_opt: Any = ...,
    clone: bool | None = ...,
    *,
    trace: Literal[True],
    **query_kwargs: Any,
) -> tuple[G, Derivation]: ...
def optimize_graph(
    fgraph_or_variables: FunctionGraph | Variable | Sequence[Variable],
    include: Iterable[str] = ("canonicalize",),
    custom_opt: Any = None,
    clone: bool | None = None,
    trace: bool = False,
    **query_kwargs: Any,
) -> Any:
    """Optimize a graph by the rewriters of `optdb` that have some tags, and by a custom optimizer.

    Parameters
    ----------
    fgraph_or_variables
        A `FunctionGraph`, a variable, or a sequence of variables.
    include
        Tags; the rewriters that have one of them are applied. ``()`` for none of them.
    custom_opt
        A `GlobalOptimizer`; or a `LocalOptimizer`, a law, or a list of these, which are applied
        until they change nothing. It is applied after the rewriters of the database. A law is also
        tried in the form in which these leave its left side.
    clone
        Whether to work on a copy, so that the given graph does not change. Where it is not said,
        variables are copied, and a `FunctionGraph` is changed. The copy of variables reads the same
        inputs, so a function of these can be compiled of it; the copy of a `FunctionGraph` has
        inputs of its own. If false, the nodes of the given variables are changed themselves.
    trace
        Whether to return the derivation too.
    query_kwargs
        ``require``, ``exclude`` and so on, as for `OptimizationQuery`.

    Returns
    -------
    graph
        The optimized graph: a `FunctionGraph`, a variable, or a list of variables, as was given. A
        `FunctionGraph` is the given one, unless `clone`.
    derivation
        Only if `trace`: the steps from the given graph to the result, a `Derivation`.

    Raises
    ------
    TypeError
        If what is given is no graph, `custom_opt` no optimizer, or `include` a string.
    ValueError
        If nothing in the database has one of the tags.
    """
    optimizers = _optimizers(include, custom_opt, query_kwargs)
    with paused_collector():
        fgraph = _fgraph_for(fgraph_or_variables, clone, trace, optimizers)
        recorder = Recorder() if trace else None
        with fgraph.attached(recorder) if recorder else nullcontext(), checked_costs(fgraph):
            for optimizer in optimizers:
                optimizer.optimize(fgraph)
        result = _result_like(fgraph, fgraph_or_variables)
    return result if recorder is None else (result, recorder.derivation(optimizers))


def _fgraph_for(
    given: FunctionGraph | Variable | Sequence[Variable],
    clone: bool | None,
    trace: bool,
    optimizers: Sequence[GlobalOptimizer],
) -> FunctionGraph:
    """Return the FunctionGraph to optimize."""
    if isinstance(given, FunctionGraph):
        return given.clone() if clone else given
    outputs = [given] if isinstance(given, Variable) else given
    if not isinstance(outputs, list | tuple):
        raise TypeError(
            f"optimize_graph takes a FunctionGraph, a variable, or a list of these, not {given!r}"
        )
    for k, var in enumerate(outputs):
        if not isinstance(var, Variable):
            raise TypeError(f"optimize_graph: element {k} is {var!r}, which is no variable")
    if clone is False:
        return FunctionGraph(outputs=outputs, clone=False)
    # In a derivation, merges are steps: then the graph is copied without merging it.
    if not trace and optimizers and optimizers[0].merges_first:
        return merged_copy(outputs, union_of(optimizers[0].collapsing_first() or ()))
    return FunctionGraph(outputs=outputs, clone=True, copy_inputs=False)


def _result_like(
    fgraph: FunctionGraph, given: FunctionGraph | Variable | Sequence[Variable]
) -> FunctionGraph | Variable | list[Variable]:
    """Return the optimized graph in the form of the given one: a graph, a variable or a list."""
    if isinstance(given, FunctionGraph):
        return fgraph
    fgraph.remove_features()
    return fgraph.outputs[0] if isinstance(given, Variable) else list(fgraph.outputs)


def _optimizers(
    include: Iterable[str], custom_opt: Any, query_kwargs: dict[str, Any]
) -> list[GlobalOptimizer]:
    """Return the optimizers to apply, in order."""
    query = OptimizationQuery(include=include, **query_kwargs)
    optimizers: list[GlobalOptimizer] = []
    if query.include or query.extra_optimizations:
        require_known(optdb, query)
        optimizers.append(optdb.query(query))
    if isinstance(custom_opt, GlobalOptimizer):
        optimizers.append(custom_opt)
    elif custom_opt is not None:
        before = optimizers[0] if optimizers else None
        optimizers.append(equilibrium_of(own_rewriters(custom_opt), before))
    return optimizers


def is_same_graph(var1: Variable, var2: Variable, givens: Any = None) -> bool:
    """Return whether the graphs of two variables are equal.

    Parameters
    ----------
    var1, var2
        The variables.
    givens
        Pairs of variables that are taken for equal wherever they stand: a dict, or a list of pairs.
        What is taken for an expression is compared as that expression.
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


# -- what it costs -----------------------------------------------------------------------------

PRICED_PASSES = (
    # joins the rows of many products, and takes one call for all of them
    "batch_products",
    # what is small and read by large nodes alone is computed with them, once for each element
    "elemwise_fusion",
    # the sign of a factor is taken of that, one number more
    "gemm",
    # applies laws for accuracy to the steps
    "loop_steps",
    # do the same once for all steps, of whose number and rows something is to be checked then
    "scan_batch_products",
    "scan_clean",
    "scan_clean_again",
    "scan_sum_products",
    "scan_unroll_one_step",
)
"""Passes that may make a graph cost more operations, for fewer calls."""


@cache
def _laws() -> tuple[frozenset[str], frozenset[str]]:
    """Return the names of the laws that have their price, and of those that what follows pays."""
    phases = relations.CANONICALIZE, relations.UNCHECKED, relations.STABILIZE, relations.SPECIALIZE
    laws = [law for phase in phases for law in phase if law.may_cost]
    investing = frozenset(law.name for law in laws if "invests" in law.tags)
    return frozenset(law.name for law in laws) - investing, investing


def cost_check() -> NeverCostlier:
    """Return a feature that raises `CostlierError` when something makes a graph cost more, unless
    it is a law for accuracy or one of `PRICED_PASSES`."""
    priced, investing = _laws()
    return NeverCostlier({*priced, *PRICED_PASSES}, investing)


@contextmanager
def checked_costs(fgraph: FunctionGraph) -> Iterator[None]:
    """Check what is done to a graph in the block, if ``config.check_costs`` says so."""
    if not config.check_costs:
        yield
        return
    with fgraph.attached(cost_check()) as check:
        yield
        check.finish(fgraph)
