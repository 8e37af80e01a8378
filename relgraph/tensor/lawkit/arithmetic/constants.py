"""What laws compute with the constants among the arguments of sums, products and differences.

None is the answer where there is nothing to do.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from relgraph.graph.basic import Constant, Variable
from relgraph.graph.reference import evaluate
from relgraph.tensor.basic import constant
from relgraph.tensor.lawkit.arithmetic.terms import common_dtype, difference
from relgraph.tensor.lawkit.guards.dependence import one_of, suiting
from relgraph.tensor.lawkit.guards.numbers import is_negative
from relgraph.tensor.math import add, neg, sub

FREE_ELEMENTS = 4096
"""Constants are folded into one of so many elements even if that is more than they have."""


def _several_and_constant(heads: Sequence[Any]) -> bool:
    # of two arguments both are constants, which is folded as a whole, or the order is all there is
    return len(heads) > 2 and Constant in heads


def constants_together(op: Any) -> Callable[[Sequence[Variable]], Any]:
    """Return what folds the constants among the arguments of a sum or product into one.

    It stands first. None is the answer where that is so already, where it would overflow, and
    where the constants are of another dtype than the sum.
    """

    @suiting(_several_and_constant)
    def together(variables: Sequence[Variable]) -> Any:
        known = [v for v in variables if v.head is Constant]
        if not known or len(known) == len(variables) or _is_first(known, variables):
            return None
        dtype = np.result_type(*{v.type.dtype for v in variables})
        if any(v.type.dtype != dtype for v in known):
            return None
        whole = known[0] if len(known) == 1 else _folded_all(op, known)
        if whole is None:
            return None
        return (whole, *(v for v in variables if v.head is not Constant))

    together.__name__ = f"constants_together_{op}"
    return together


@suiting(one_of(add, Constant))
def constants_of_difference(above: Sequence[Variable], below: Sequence[Variable]) -> Any:
    """Return a difference with one positive constant, on the side where it then stands.

    None is the answer where that is so already. A constant that is more than one number stays on
    the left if there is one on both sides, and where it is otherwise.
    """
    plus, minus = ([v for v in side if v.head is Constant] for side in (above, below))
    if len(plus) > 1 or len(minus) > 1 or len(plus) == len(above):
        return None  # they are not folded yet, or the left side is nothing else
    dtype = common_dtype([*above, *below])
    moved = [v for v in (*plus, *minus) if is_negative(v)]
    if dtype is None or not (moved or (plus and minus)):
        return None
    terms = [v for v in above if v.head is not Constant]
    others = [v for v in below if v.head is not Constant]
    total: Any = plus[0] if plus else _folded_all(neg, minus)
    if plus and minus:
        total = _folded_all(sub, [*plus, *minus])
    if total is None:
        return None
    if is_negative(total):
        return difference(terms, [_folded_all(neg, [total]), *others])
    return difference([total, *terms], others)


def _is_first(known: Sequence[Variable], variables: Sequence[Variable]) -> bool:
    # the order of two arguments tells nothing to anybody
    return len(known) == 1 and (known[0] is variables[0] or len(variables) == 2)


def _folded_all(op: Any, known: Sequence[Any]) -> Any:
    values = [np.asarray(c.data) for c in known]
    size = int(np.prod(np.broadcast_shapes(*[v.shape for v in values])))
    if size > max(FREE_ELEMENTS, *[v.size for v in values]):
        return None
    whole = evaluate([op(*known)])[0]
    if np.all(np.isfinite(whole)) or not all(np.all(np.isfinite(v)) for v in values):
        return constant(whole)
    return None
