"""Constants folded into constants, as laws compute them.

It is done in the precision of their dtype, by the ops themselves: ``computo(k, folded(add), c, d)``
makes `k` the constant that ``add(c, d)`` has the value of when the graph runs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np

from relations.kit.guards import constant_data, requires_heads
from relgraph.graph.basic import Constant, Variable
from relgraph.graph.kanren.goals import Computed, computed
from relgraph.graph.kanren.terms import Term, build, renamed, variables_of
from relgraph.graph.reference import evaluate
from relgraph.tensor.basic import constant

FREE_ELEMENTS = 4096
"""Constants are folded into one of so many elements even if they have fewer, by broadcasting."""


@cache
def folded(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return what applies an op, or a function made of ops, to constants and gives a constant.

    Where an argument repeats the elements of a constant, the result has one for each of these, and
    broadcasts in turn.
    """

    def fold(*constants: Any) -> Any:
        made = function(*[_compact(c) for c in constants])
        return constant(evaluate([made])[0])

    fold.__name__ = str(getattr(function, "__name__", function))
    return fold


def _compact(var: Any) -> Any:
    """Return a constant with the elements of `var`: if they are one, with axes of length 1."""
    if not isinstance(var, Variable):
        return var
    data = constant_data(var)
    if data is None:
        raise TypeError(f"{var} is not a constant")
    if data.size == 1:
        return constant(np.reshape(data, (1,) * var.type.ndim))
    return constant(evaluate([var])[0])


def applied(op: Any, variables: Sequence[Any], to_none: int = 0) -> Any:
    """Return `op` of some variables: of one, that one itself; of none, the number `to_none`."""
    if not variables:
        return to_none
    return variables[0] if len(variables) == 1 else op(*variables)


class OfConstants:
    """The function that computes a term, given constants for its variables."""

    def __init__(self, term: Term) -> None:
        self.term = term
        self.variables = variables_of(term)
        self._fold = folded(lambda *given: build(self.term_of(given)))

    def term_of(self, given: Sequence[Any]) -> Any:
        """Return the term, with variables in the places of its logic variables."""
        return renamed(self.term, dict(zip(self.variables, given, strict=True)))

    def __call__(self, *constants: Any) -> Any:
        return self._fold(*constants)


def known(term: Term) -> Computed:
    """Return the variable that is what a term of constants gives, as a constant: ``(c * x) / d`` is
    ``known(c / d) * x``."""
    function = OfConstants(term)
    return computed(function, *function.variables, text=f"({term})")


def constants_folded(op: Any) -> Callable[[Sequence[Variable]], Any]:
    """Return what folds the constants among the arguments of a commutative op into one.

    ``constants_folded(add)`` makes ``(5, x, y)`` of ``(2, x, 3, y)``: the constant stands first.
    None is the answer where that is so already, where the constants are of another dtype than the
    result, and where they overflow.
    """

    @requires_heads(_three_with_constant)
    def fold(variables: Sequence[Variable]) -> Any:
        known = [v for v in variables if v.head is Constant]
        if not known or len(known) == len(variables) or _is_first(known, variables):
            return None
        dtype = np.result_type(*{v.type.dtype for v in variables})
        if any(v.type.dtype != dtype for v in known):
            return None
        whole = known[0] if len(known) == 1 else folded_within_limits(op, known)
        if whole is None:
            return None
        return (whole, *(v for v in variables if v.head is not Constant))

    fold.__name__ = f"constants_folded_{op}"
    return fold


def _three_with_constant(heads: Sequence[Any]) -> bool:
    # two constants are folded as a whole, and the order of two arguments means nothing
    return len(heads) > 2 and Constant in heads


def _is_first(known: Sequence[Variable], variables: Sequence[Variable]) -> bool:
    # the order of two arguments means nothing
    return len(known) == 1 and (known[0] is variables[0] or len(variables) == 2)


def folded_within_limits(op: Any, known: Sequence[Any]) -> Any:
    """Return `op` of some constants as a constant; None if it would be much larger than they are,
    or not finite where they are."""
    values = [np.asarray(c.data) for c in known]
    size = int(np.prod(np.broadcast_shapes(*[v.shape for v in values])))
    if size > max(FREE_ELEMENTS, *[v.size for v in values]):
        return None
    whole = evaluate([op(*known)])[0]
    if np.all(np.isfinite(whole)) or not all(np.all(np.isfinite(v)) for v in values):
        return constant(whole)
    return None
