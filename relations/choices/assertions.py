"""Assertions: conditions that are checked while a graph runs, unless they are known to hold."""

from __future__ import annotations

from typing import Any

from cons import cons

from relgraph.graph.kanren import argumentso
from relgraph.tensor.assertion import Assert
from relgraph.tensor.lawkit.domains import are_true
from relgraph.tensor.lawkit.guards.constants import all_trueo
from relgraph.tensor.lawkit.vocabulary import any_dtype_law, lvars, relation

c, m, n, x = lvars("c m n x")

SATISFIED = (
    any_dtype_law("assert-true", Assert(m)(x, c), x, all_trueo(c)),
    any_dtype_law("assert-twice", Assert(m)(Assert(n)(x, c), c), Assert(n)(x, c)),
)


@relation(
    "remove-assert",
    depth=2,
    tags=("local_remove_all_assert", "unsafe"),
    sound="domain",
    domain=are_true,
)
def remove_asserto(checked: Any, unchecked: Any) -> Any:
    """``assert(x, conditions) → x``, where the conditions hold"""
    conditions, message = lvars("conditions message")
    return argumentso(checked, Assert(message), cons(unchecked, conditions))


REMOVAL = (remove_asserto,)
