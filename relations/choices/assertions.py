"""What is checked while a graph runs, and what needs no check."""

from __future__ import annotations

from typing import Any

from cons import cons

from relgraph.graph.kanren import argumentso, whereo
from relgraph.tensor.assertion import Assert, is_satisfied
from relgraph.tensor.lawkit.domains import are_true
from relgraph.tensor.lawkit.vocabulary import law, lvars, relation

c, m, n, x = lvars("c m n x")

SATISFIED = (
    law(
        "assert-true",
        Assert(m)(x, c),
        x,
        whereo(is_satisfied, c),
        mixed=True,
        complex=True,
    ),
    law("assert-twice", Assert(m)(Assert(n)(x, c), c), Assert(n)(x, c), mixed=True, complex=True),
)


@relation(
    "remove-assert",
    depth=2,
    tags=("local_remove_all_assert", "unsafe"),
    sound="domain",
    domain=are_true,
)
def remove_asserto(checked: Any, unchecked: Any) -> Any:
    """``assert(x, conditions) → x``, which is so where the conditions hold."""
    conditions, message = lvars("conditions message")
    return argumentso(checked, Assert(message), cons(unchecked, conditions))


REMOVAL = (remove_asserto,)
