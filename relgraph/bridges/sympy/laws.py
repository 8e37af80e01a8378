"""Laws as equations of SymPy's, and its equations as laws."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import sympy as sp

from relations.kit.guards import nonnegativeo, positiveo
from relations.kit.type_guards import integero
from relations.kit.vocabulary import Law, law, lvars
from relgraph.bridges.sympy.expressions import ExpressionReader, elements
from relgraph.bridges.sympy.functions import LOGICAL, is_truth, number_to_sympy
from relgraph.graph.basic import Constant
from relgraph.graph.kanren.goals import Compute, Readers, Where
from relgraph.graph.kanren.terms import Literal, LogicVariable, Term, variables_of
from relgraph.tensor.elemwise import Elemwise

# What a condition says of a variable, by the name of its predicate.
_SAYS: dict[str, dict[str, bool]] = {
    "is_real": {"real": True},
    "is_float": {"real": True},
    "is_signed_or_float": {"real": True},
    "is_complex": {"complex": True},
    "is_nonnegative": {"nonnegative": True},
    "is_unsigned": {"integer": True, "nonnegative": True},
    "is_positive": {"positive": True},
    "is_positive_number": {"positive": True},
    "are_positive": {"positive": True},
    "is_nonzero_number": {"real": True, "zero": False},
    "is_no_zero": {"real": True, "zero": False},
    "is_integer": {"integer": True},
    "is_discrete": {"integer": True},
    "is_signed": {"integer": True},
    "is_even": {"even": True},
    "is_odd": {"odd": True},
}
# Conditions on how a graph is written, or in which dtype: they say nothing of numbers.
_SAY_NOTHING = frozenset(
    (
        *("is_constant", "is_no_constant", "is_uniform", "is_no_switch", "has_room"),
        *("have_same_dtype", "has_normal_reciprocal", "has_normal_quotient"),
        *("is_finite_constant", "is_no_tanh", "is_no_mul"),
    )
)


@dataclass(frozen=True)
class SympyLaw:
    """A law as an equation of SymPy's.

    Attributes
    ----------
    name
        The name of the law.
    lhs, rhs
        Its sides. Each of its variables is a symbol with the assumptions that the conditions say;
        if they say nothing, it is real, or a truth value where it is an argument of a logical op.
    conditions
        The conditions that assumptions can't say, as text.
    """

    name: str
    lhs: Any
    rhs: Any
    conditions: tuple[str, ...] = ()

    @property
    def equation(self) -> Any:
        """The equation of both sides, or what SymPy knows it to be: true, where it sees that."""
        return sp.Eq(self.lhs, self.rhs)


def law_to_sympy(given: Law) -> SympyLaw:
    """Return a law about elements of tensors as an equation of SymPy's.

    Raises
    ------
    NotImplementedError
        If something in it has no counterpart (an op that is not elementwise, say); the error names
        it.
    """
    said, conditions = _said(given)
    truths = {*_truths(given.lhs), *_truths(given.rhs)}
    symbols = {
        v: sp.Symbol(str(v), **(said.get(v) or ({} if v in truths else {"real": True})))
        for v in dict.fromkeys([*variables_of(given.lhs), *variables_of(given.rhs)])
    }
    lhs, rhs = (_term(given.name, side, symbols) for side in (given.lhs, given.rhs))
    if is_truth(lhs) is not is_truth(rhs):
        raise NotImplementedError(f"law_to_sympy: {given.name} is about bits: {given}")
    return SympyLaw(given.name, lhs, rhs, conditions)


def _said(given: Law) -> tuple[dict[Any, dict[str, bool]], tuple[str, ...]]:
    """Return what the conditions of a law say of each variable, and those that say more."""
    said: dict[Any, dict[str, bool]] = {}
    others = []
    domain = () if given.domain is None else (given.domain,)
    for condition in (*given.conditions, *domain):
        if isinstance(condition, Readers):
            continue
        name = getattr(getattr(condition, "function", None), "__name__", "")
        if isinstance(condition, Where) and name in _SAYS:
            for v in condition.variables:
                said.setdefault(v, {}).update(_SAYS[name])
        elif isinstance(condition, Compute) or name not in _SAY_NOTHING:
            others.append(str(condition))
    return said, tuple(others)


def _truths(part: Any) -> Iterator[Any]:
    """Yield the variables of a side that are arguments of a logical op."""
    if isinstance(part, Term):
        logical = isinstance(part.op, Elemwise) and part.op.scalar_op in LOGICAL
        for arg in part.args:
            if logical and isinstance(arg, LogicVariable):
                yield arg
            yield from _truths(arg)


def _term(name: str, part: Any, symbols: dict[Any, Any]) -> Any:
    if isinstance(part, LogicVariable):
        return symbols[part]
    if isinstance(part, Literal):
        return number_to_sympy(part.value)
    if isinstance(part, Constant) and part.unique_value() is not None:
        return number_to_sympy(part.unique_value())
    if isinstance(part, Term) and isinstance(part.op, Elemwise):
        (made,) = elements(part.op.scalar_op, [_term(name, arg, symbols) for arg in part.args])
        return made
    raise NotImplementedError(f"law_to_sympy: {name}: {part} is no elementwise term")


class _TermReader(ExpressionReader):
    """Reads expressions as terms of laws: numbers stay Python's."""

    def number(self, expr: Any) -> Any:
        if isinstance(expr, sp.Integer):
            return int(expr)
        return float(expr) if isinstance(expr, sp.Rational) else super().number(expr)

    def symbol(self, expr: Any) -> Any:
        return lvars(expr.name)


def law_from_sympy(
    name: str,
    lhs: Any,
    rhs: Any = None,
    *conditions: Any,
    tags: Iterable[str] = (),
    sound: str = "finite",
) -> Law:
    """Return the law that an equation of SymPy's states.

    Symbols become logic variables of their names. What is assumed of them becomes a condition:
    positive, nonnegative, integer.

    Parameters
    ----------
    name
        The name of the law.
    lhs, rhs
        Its sides; or an `Eq` alone.
    conditions, tags, sound
        As for `law`. SymPy's equations are about exact numbers, so the class says what becomes of
        them in floats: ``finite`` claims the least.

    Raises
    ------
    NotImplementedError
        If something in it has no counterpart; the error names it.
    TypeError
        If a side is missing, or neither side is more than a symbol.
    """
    if isinstance(lhs, sp.Eq) and rhs is None:
        lhs, rhs = lhs.args
    if rhs is None:
        raise TypeError(f"{name}: there is one side alone, {lhs}, and it is no Eq")
    reader = _TermReader({})
    sides = [reader.value(sp.sympify(side)) for side in (lhs, rhs)]
    symbols = sorted(sp.sympify(lhs).free_symbols | sp.sympify(rhs).free_symbols, key=str)
    assumed = [goal for s in symbols for goal in _assumed(s, reader.value(s))]
    return law(name, *sides, *assumed, *conditions, tags=tags, sound=sound)


def _assumed(symbol: Any, v: Any) -> list[Any]:
    goals = [integero(v)] if symbol.is_integer else []
    if symbol.is_positive:
        return [*goals, positiveo(v)]
    return [*goals, nonnegativeo(v)] if symbol.is_nonnegative else goals
