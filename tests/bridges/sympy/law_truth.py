"""The laws of the book, checked against SymPy: by what it simplifies, and by its numbers."""

from __future__ import annotations

from random import Random
from typing import Any

import sympy as sp

import relations
from relgraph.bridges.sympy import SympyLaw, law_to_sympy
from relgraph.graph.kanren.laws import Law
from tests.seeds import seed_of

DIGITS = 30
# The numbers in laws are floats.
CLOSE = sp.Float("1e-14")
_MAY_LEAVE_REALS = (sp.Pow, sp.log, sp.acosh, sp.asin, sp.acos, sp.atanh)
ENOUGH = 3


def laws_of_the_book() -> dict[str, Law]:
    """Return the laws of all phases that are equations, by name."""
    found: dict[str, Law] = {}
    stack: list[Any] = [relations.CANONICALIZE, relations.STABILIZE, relations.SPECIALIZE]
    while stack:
        item = stack.pop()
        if isinstance(item, list | tuple):
            stack.extend(item)
        elif isinstance(item, Law):
            found[item.name] = item
    return found


def written() -> tuple[list[SympyLaw], dict[str, str]]:
    """Return the laws that are equations of SymPy's under assumptions alone; and of the others by
    name why they are not."""
    found, others = [], {}
    for name, law in laws_of_the_book().items():
        try:
            made = law_to_sympy(law)
        except NotImplementedError as error:
            others[name] = str(error)
            continue
        if made.conditions:
            others[name] = f"under {', '.join(made.conditions)}"
        else:
            found.append(made)
    return found, others


def verdict(law: SympyLaw, enough: int = ENOUGH) -> str:
    """Return ``equal`` if SymPy makes the same expression of both sides, ``confirmed`` if they have
    the same values at `enough` points, ``refuted`` if one differs, ``unsaid`` if too few values are
    real numbers."""
    if law.lhs == law.rhs:
        return "equal"
    symbols = sorted(law.lhs.free_symbols | law.rhs.free_symbols, key=str)
    rng = Random(seed_of("sympy", law.name))
    same = 0
    for number in range(12 * enough):
        point = {s: _value(s, rng, number) for s in symbols}
        left, right = (_number(side, point) for side in (law.lhs, law.rhs))
        if left is None or right is None:
            continue
        if not _close(left, right):
            return "refuted"
        same += 1
        if same == enough:
            return "confirmed"
    return "unsaid"


def _value(symbol: Any, rng: Random, number: int) -> Any:
    """Return a value that suits what is assumed of a symbol: at first small positive ones."""
    if symbol.is_complex is None:
        return sp.true if rng.random() < 0.5 else sp.false
    if symbol.is_integer:
        drawn = sp.Integer(rng.randrange(1, 6))
        drawn = 2 * drawn if symbol.is_even else 2 * drawn + 1 if symbol.is_odd else drawn
    else:
        drawn = sp.Rational(rng.randrange(1, 1000), 1000 if number % 2 else 300)
    signed = symbol.is_positive or symbol.is_nonnegative or number % 3
    drawn = drawn if signed or rng.random() < 0.5 else -drawn
    return drawn if symbol.is_extended_real else drawn + sp.I * sp.Rational(rng.randrange(1, 9), 4)


def _number(side: Any, point: dict[Any, Any]) -> Any:
    """Return the value of a side at a point; None if it is no real number, or one on the way is
    none: floats make nan of that."""
    try:
        if any(
            part.subs(point).is_extended_real is False for part in side.atoms(*_MAY_LEAVE_REALS)
        ):
            return None
        found = side.subs(point)
        found = found if found in (sp.true, sp.false) else found.evalf(DIGITS)
    except (TypeError, ValueError):  # an order of numbers that are not real; no such erfinv
        return None
    is_number = found.is_Float or found.is_Rational or found in (sp.true, sp.false)
    return found if is_number else None


def _close(left: Any, right: Any) -> bool:
    if left in (sp.true, sp.false) or right in (sp.true, sp.false):
        return bool(left == right)
    return bool(abs(left - right) <= CLOSE * abs(left))
