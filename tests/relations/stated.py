"""What a law says, of plain variables: the expression that it is about, and what becomes of it."""

from __future__ import annotations

from contextlib import suppress
from functools import cache
from itertools import product
from typing import Any

import relgraph.tensor as at
from relgraph.graph.kanren.laws import Law
from relgraph.graph.kanren.relations import Relation
from relgraph.graph.kanren.terms import build, renamed, variables_of

TYPES = [
    at.TensorType(dtype, (None,) * ndim)
    for ndim, dtype in product((1, 2), ("float64", "bool", "int64", "uint8", "complex128"))
]
"""Those of which all variables of a law are, the first that the law takes."""


@cache
def stated(law: Relation) -> tuple[Any, Any] | None:
    """Return the left side of a law and the right one, of variables x, y, z and so on of one type.

    None for a law that is about more than variables: constants, axes, or any number of terms.
    """
    if not isinstance(law, Law):
        return None
    for kind in TYPES:
        given = dict(zip(variables_of(law.lhs), map(kind, "xyztuvw"), strict=False))
        with suppress(TypeError, ValueError, AttributeError, IndexError):
            before, after = (build(renamed(side, given)) for side in (law.lhs, law.rhs))
            if len(before.owner.outputs) == 1 and law.forward.transform(None, before.owner):
                return before, after
    return None
