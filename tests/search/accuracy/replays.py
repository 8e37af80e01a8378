"""Where the derivations of expressions lead."""

from __future__ import annotations

from relgraph.formulas.expressions import Expr, to_graph
from relgraph.graph.basic import equal_computations
from relgraph.graph.fg import FunctionGraph
from relgraph.graph.opt import Derivation


def leads(derivation: Derivation, start: Expr, end: Expr) -> bool:
    """Return whether a derivation starts with an expression, and its replay makes another."""
    return _is(derivation.start(), start) and _is(derivation.replay(), end)


def _is(graph: FunctionGraph, expr: Expr) -> bool:
    inputs = {v.name: v for v in graph.inputs}
    return equal_computations(graph.outputs, [to_graph(expr, inputs)])
