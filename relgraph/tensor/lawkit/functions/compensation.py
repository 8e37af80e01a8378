"""Roundings that cancel: formulas that are right because two of their parts round alike.

``log(u) * x / (u - 1)`` with ``u = 1 + x`` is right to the last digits: both `log` and the
difference take the rounded `u` (Kahan; Goldberg 1991, theorem 4). ``log1p(x) * x / (u - 1)`` is
not, for `u - 1` has lost digits of `x` that `log1p` has not. So it is with any `u` of which there
are a logarithm and a difference from 1: ``2 * log(x) / (u - 1)`` with ``u = x**2``.
"""

from __future__ import annotations

from typing import Any

from relgraph.graph.basic import Apply
from relgraph.graph.kanren.search.goals import Condition, computo, whereo
from relgraph.graph.notation.numbers import number_of
from relgraph.tensor.lawkit.guards.results import is_found
from relgraph.tensor.lawkit.vocabulary import lvars
from relgraph.tensor.math import add, log, sub

(_stays,) = lvars("stays")


def not_compensated(fgraph: Any, x: Any) -> Any:
    """Return `x` unless something is rounded of it that the graph uses twice; None then.

    That is ``1 + x`` or ``1 - x``, where it is a part of a difference; and any `u` made of `x` of
    which there are ``log(u)`` and ``u - 1``, or ``1 - u``.
    """
    for made in _readers(fgraph, x):
        u, differences = made.outputs[0], _readers(fgraph, made.outputs[0], sub)
        if differences and made.op in (add, sub) and _has_one(made):
            return None
        if any(map(_has_one, differences)) and _readers(fgraph, u, log):
            return None
    return x


not_compensated.__dict__["asks_graph"] = True


def _readers(fgraph: Any, var: Any, op: Any = None) -> list[Apply]:
    """Return the nodes that read a variable, or those of an op."""
    readers = () if fgraph is None else fgraph.clients.get(var, ())
    return [
        node for node, _ in readers if isinstance(node, Apply) and (op is None or node.op is op)
    ]


def _has_one(node: Apply) -> bool:
    """Return whether the number 1 is an argument of a node."""
    return any(number_of(v) == 1 for v in node.inputs)


def uncompensated(x: Any) -> tuple[Condition, ...]:
    """Return the goals that the rounding of what is made of `x` does not cancel elsewhere in the
    graph; see `not_compensated`."""
    return computo(_stays, not_compensated, x), whereo(is_found, _stays)
