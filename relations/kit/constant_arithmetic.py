"""Constants folded into constants, as laws compute them.

It is done in the precision of their dtype, by the ops themselves: ``known(c + d)`` is the constant
that ``c + d`` has the value of when the graph runs.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Sequence
from typing import Any

import numpy as np

from relations.kit.guards import constant_data
from relgraph.graph.basic import Constant
from relgraph.graph.kanren.goals import Computed, computed
from relgraph.graph.kanren.terms import Term, build, renamed, variables_of
from relgraph.graph.reference import evaluate
from relgraph.graph.utils import Memo
from relgraph.tensor.basic import constant, key_of_numbers

FREE_ELEMENTS = 4096
"""Constants are folded into one of so many elements even if they have fewer, by broadcasting."""


def folded(function: Callable[..., Any], *constants: Any) -> Any:
    """Return what an op, or a function made of ops, gives of constants as a constant; None if that
    would have many more elements than they have.

    Where an argument repeats the elements of a constant, the result has one for each of these, and
    broadcasts in turn.
    """
    given = [_compact(c) for c in constants]
    made = function(*given)
    size = math.prod(made.type.shape)
    is_large = size > max(FREE_ELEMENTS, *[c.data.size for c in given])
    return None if is_large else constant(evaluate([made])[0])


def _compact(var: Any) -> Any:
    """Return a constant with the elements of `var`: if they are one, with axes of length 1."""
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
        self.__name__ = "known"  # what a law calls to have it
        self.term = term
        self.variables = variables_of(term)
        # laws compute few numbers, in one graph after the other
        self._known: Memo[tuple[Hashable, ...], Constant] = Memo()

    def applied(self, given: Sequence[Any]) -> Any:
        """Return the graph of the term, with variables in the places of its logic variables."""
        return build(renamed(self.term, dict(zip(self.variables, given, strict=True))))

    def __call__(self, *constants: Any) -> Any:
        """Return a constant; None if it would have many more elements than they have."""
        key = key_of_numbers(constants)
        known = None if key is None else self._known.recall(key)
        if known is None:
            known = folded(lambda *given: self.applied(given), *constants)
            if key is None or known is None:
                return known
            self._known.keep(key, known)
        return known.clone()


def known(term: Term) -> Computed:
    """Return the variable that is what a term of constants gives, as a constant: ``(c * x) / d`` is
    ``known(c / d) * x``."""
    function = OfConstants(term)
    return computed(function, *function.variables, text=f"({term})")
