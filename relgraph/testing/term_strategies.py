"""Strategies for terms and laws, to test what matches, compiles, prints or explains them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hypothesis import strategies as st

import relgraph.tensor as at
from relgraph.graph.kanren.laws import Law, law
from relgraph.graph.kanren.terms.term import Term, variables_of
from relgraph.tensor.elemwise.elemwise import Elemwise
from relgraph.tensor.lawkit.vocabulary import lvars
from relgraph.tensor.variable import TensorVariable

_OPS = (at.add, at.mul, at.sub, at.true_div, at.neg, at.exp, at.log, at.sqr, at.maximum, at.tanh)
_NUMBERS = (0, 1, 2, -1, 0.5)


def terms(
    variables: str = "x y z", ops: Sequence[Elemwise] | None = None, max_depth: int = 3
) -> st.SearchStrategy[Term]:
    """Return a strategy for terms over logic variables and numbers.

    Parameters
    ----------
    variables
        The names of the logic variables, separated by blanks, as for `relgraph.lvars`.
    ops
        The elementwise ops to make terms of; None for some common ones.
    max_depth
        How many ops stand within each other at most.

    Returns
    -------
    strategy
        A strategy for `Term`. Each has at least one variable.

    Raises
    ------
    TypeError
        If one of `ops` is no elementwise op.
    ValueError
        If there are no ops, no variables, or `max_depth` is less than 1.
    """
    chosen = _OPS if ops is None else tuple(ops)
    for op in chosen:
        if not isinstance(op, Elemwise):
            raise TypeError(f"terms are made of elementwise ops, not {op!r}")
    names = lvars(f"{variables},")
    if not chosen or max_depth < 1:
        raise ValueError("a term needs an op, and a depth of at least 1")
    symbolic: st.SearchStrategy[Any] = st.sampled_from(names)
    for _ in range(max_depth - 1):
        symbolic = st.sampled_from(names) | _applied(chosen, symbolic)
    return _applied(chosen, symbolic)


def _applied(ops: Sequence[Elemwise], symbolic: st.SearchStrategy[Any]) -> st.SearchStrategy[Term]:
    """Return a strategy for ops of symbolic arguments and numbers, not of numbers alone."""

    def of_op(op: Elemwise) -> st.SearchStrategy[Term]:
        # an op of any number of arguments is written with two
        count = op.scalar_op.nin if op.scalar_op.nin >= 0 else 2
        others = [symbolic | st.sampled_from(_NUMBERS)] * (count - 1)
        arguments = st.tuples(symbolic, *others).flatmap(st.permutations)
        return arguments.map(lambda given: Term(op, given, TensorVariable._ops))

    return st.sampled_from(ops).flatmap(of_op)


@st.composite
def laws(
    draw: Any,
    variables: str = "x y z",
    ops: Sequence[Elemwise] | None = None,
    max_depth: int = 3,
    sound: str = "domain",
) -> Law:
    """Return a strategy for laws between random terms. Hardly any of them is true.

    Parameters
    ----------
    variables, ops, max_depth
        As for `terms`. The right side has no variable that the left side has not.
    sound
        The soundness class that they claim.
    """
    lhs = draw(terms(variables, ops, max_depth))
    known = " ".join(map(str, variables_of(lhs)))
    rhs = draw(terms(known, ops, max_depth) | st.sampled_from(lvars(f"{known},")))
    if str(lhs) == str(rhs):
        rhs = lvars(f"{known},")[0]
    return law("drawn", lhs, rhs, sound=sound)
