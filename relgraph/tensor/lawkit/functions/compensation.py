"""Roundings that cancel: formulas that are right because two of their parts round alike.

``log(u) * x / (u - 1)`` with ``u = 1 + x`` is right to the last digits: both `log` and the
difference take the rounded `u` (Kahan; Goldberg 1991, theorem 4). ``log1p(x) * x / (u - 1)`` is
not, for `u - 1` has lost digits of `x` that `log1p` has not.
"""

from __future__ import annotations

from typing import Any

from relgraph.graph.basic import Apply
from relgraph.graph.kanren.search.goals import Condition, computo, whereo
from relgraph.graph.notation.numbers import number_of
from relgraph.tensor.lawkit.guards.results import is_found
from relgraph.tensor.lawkit.vocabulary import lvars
from relgraph.tensor.math import add, sub

(_stays,) = lvars("stays")


def not_compensated(fgraph: Any, x: Any) -> Any:
    """Return `x` unless the graph subtracts something from ``1 + x``, or ``1 - x``, or that from
    something; None then."""
    for total in _readers(fgraph, x, (add, sub)):
        if any(number_of(v) == 1 for v in total.inputs) and _readers(
            fgraph, total.outputs[0], (sub,)
        ):
            return None
    return x


not_compensated.__dict__["asks_graph"] = True


def _readers(fgraph: Any, var: Any, ops: tuple[Any, ...]) -> list[Apply]:
    """Return the nodes of some ops that read a variable."""
    readers = () if fgraph is None else fgraph.clients.get(var, ())
    return [node for node, _ in readers if isinstance(node, Apply) and node.op in ops]


def uncompensated(x: Any) -> tuple[Condition, ...]:
    """Return the goals that the rounding of ``1 + x`` does not cancel elsewhere in the graph."""
    return computo(_stays, not_compensated, x), whereo(is_found, _stays)
