"""The e-graph of a search for less error: its terms are expressions of real numbers.

Each class knows its true value at some points. Two classes are joined only where these agree, so
that a law that holds for some arguments alone can be used where it does.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import isqrt
from typing import Any, NamedTuple

import numpy as np

from relgraph.formulas.expressions import INPUT, NUMBER, OPS, Expr, apply, number
from relgraph.formulas.true_values import Known, floats_between, number_as_ball
from relgraph.scalar.op import ScalarOp
from relgraph.search.egraph import EClass, EGraph, Node
from relgraph.search.equations import COMMUTATIVE, HOLDS, Conditions, Equation, Terms, built
from relgraph.truth.balls import (
    UNDECIDED,
    arb,
    as_fraction,
    function_of,
    has_value,
    nearest,
    precision,
    set_precision,
    value,
)

_MOST_BITS = 160
"""Rational numbers with more digits are not computed."""

_LARGEST = 2**30
"""Functions are computed of numbers up to this one."""


_EXACT = frozenset(("add", "sub", "mul", "true_div", "neg", "abs", "sqr"))
"""The ops of which NumPy computes rational numbers."""


def computed(op: str, args: Sequence[Any]) -> Fraction | None:
    """Return the value of an op of rational numbers, if that is one."""
    if not args or not all(isinstance(a, Fraction) for a in args):
        return None
    if op == "pow":
        found = _power(*args)
    elif op == "sqrt":
        found = _root(*args)
    elif op in _EXACT:
        divides_by_zero = op == "true_div" and args[1] == 0
        found = None if divides_by_zero else OPS[op].scalar_op.ufunc(*args)
    else:
        found = _value(OPS[op].scalar_op, args)
    if found is None:
        return None
    size = max(abs(found.numerator), found.denominator).bit_length()
    return found if size <= _MOST_BITS else None


def _power(a: Fraction, b: Fraction) -> Fraction | None:
    if b.denominator != 1 or abs(b) > 16 or (a == 0 and b <= 0):
        return None
    return Fraction(a ** int(b))


def _root(a: Fraction) -> Fraction | None:
    if a < 0:
        return None
    found = Fraction(isqrt(a.numerator), isqrt(a.denominator))
    return found if found * found == a else None


def _value(op: ScalarOp, args: Sequence[Fraction]) -> Fraction | None:
    """Return the value of an op of rational numbers, if it is exact in base 2."""
    if not has_value(op) or any(abs(a) > _LARGEST for a in args):
        return None
    with precision(2 * _MOST_BITS):
        found = value(op, [arb(a.numerator) / arb(a.denominator) for a in args])
        if not isinstance(found, arb) or not (found.is_finite() and found.is_exact()):
            return None
        return as_fraction(found)


_LEAST_BITS = 70
"""Of a true value at a point that are known; else it counts as none."""


class RealClass(EClass[Expr]):
    """Expressions that are equal.

    Attributes
    ----------
    exact
        The true values at the points, as balls.
    true
        The same as floats, nan where there are none.
    constant
        The expression of its value, if it is a number.
    """

    def __init__(self, index: int, exact: Any, true: Any) -> None:
        super().__init__(index)
        self.exact = exact
        self.true = true
        self.constant: Expr | None = None

    def take_true(self, true: Any) -> None:
        """Take over true values that are known for certain, where digits were lost here."""
        self.true = true.copy()
        self.exact = [
            v if _is_sure(v) else arb(float(t)) for v, t in zip(self.exact, true, strict=True)
        ]


class Computed(NamedTuple):
    """That two expressions are equal by ``arithmetic`` or as a ``scaled-product``."""

    name: str


class RealEGraph(EGraph[Expr]):
    """Classes of equal expressions.

    Parameters
    ----------
    points
        Where true values are known.
    """

    def __init__(self, points: Known) -> None:
        super().__init__()
        self.points = points
        self._dtype = points.true.dtype
        # what is made on the way may need more digits than the result
        self._bits = [int(b) + int(b) // 2 + 160 for b in points.bits]
        self._places: dict[int, list[int]] = {}
        for k, bits in enumerate(self._bits):
            self._places.setdefault(bits, []).append(k)
        self._terms = Terms()

    # -- expressions -------------------------------------------------------------------------------

    def arguments(self, term: Expr) -> Sequence[Expr]:
        return term.args

    def node(self, term: Expr, classes: tuple[Any, ...]) -> Node[Expr]:
        return Node(term, term.op, classes, term.op, term.op in COMMUTATIVE)

    def rank(self, term: Expr) -> int:
        return term.size

    def turned(self, term: Expr, order: Sequence[int]) -> Expr:
        return apply(term.op, *[term.args[k] for k in order])

    def new_class(self, index: int, node: Node[Expr]) -> RealClass:
        exact = self._exact(node.term, node.classes)
        new = RealClass(index, exact, self._rounded(exact))
        if node.head is NUMBER:
            new.constant = node.term
        return new

    def take_over(self, kept: RealClass, gone: RealClass) -> None:
        if kept.constant is None:
            kept.constant = gone.constant
        holes = np.isnan(kept.true)
        if holes.any():
            kept.exact = [
                w if hole and _is_sure(w) else v
                for hole, v, w in zip(holes, kept.exact, gone.exact, strict=True)
            ]
            kept.true = np.where(holes, gone.true, kept.true)

    def look_at(self, node: Node[Expr]) -> None:
        """Join a class with the number that it is, if its arguments are numbers."""
        constants = [c.root().constant for c in node.classes]
        if None in constants or not constants:
            return
        value = computed(node.head, [c.value for c in constants])
        if value is not None and self.find(node.term).constant is None:
            self.join(apply(node.head, *constants), number(value), Computed("arithmetic"))

    def _exact(self, expr: Expr, classes: Sequence[Any]) -> Any:
        if expr.op is INPUT:
            return [arb(float(v)) for v in self.points.inputs[expr.value]]
        if expr.op is NUMBER:
            numbers = {}
            for bits in self._places:
                set_precision(bits)
                numbers[bits] = number_as_ball(expr.value)
            return [numbers[bits] for bits in self._bits]
        columns = [c.exact for c in classes]
        if expr.op == "sub" and classes[0] is classes[1]:
            return [arb(0) if v.is_finite() else v for v in columns[0]]
        function = function_of(OPS[expr.op].scalar_op)
        rows = list(zip(*columns, strict=True))
        found: list[Any] = [None] * len(rows)
        for bits, places in self._places.items():
            set_precision(bits)
            for k in places:
                found[k] = function(*rows[k])
        return found

    def _rounded(self, exact: Any) -> Any:
        is_double = self._dtype == np.float64

        def to_float(v: Any) -> float:
            return float(v) if is_double or isinstance(v, bool) else nearest(v, self._dtype)

        return np.array([to_float(v) if _is_sure(v) else np.nan for v in exact], self._dtype)

    # -- equality ----------------------------------------------------------------------------------

    def agrees(self, a: RealClass, b: RealClass) -> bool:
        """Return whether two classes have the same true values wherever both have one."""
        both = ~(np.isnan(a.true) | np.isnan(b.true))
        if not both.any():
            return False
        return bool((floats_between(a.true[both], b.true[both]) <= 2).all())

    def conditions(self, equation: Equation, values: Mapping[int, Expr]) -> tuple[Expr, ...]:
        """Return on what signs a step by a law depends: what the law says of them, where that is
        so at all points at which both sides have a value. A law may hold of more than it says: a
        power of a negative number, if it is a whole one."""
        if equation.conditions is None:
            return ()
        sides = [self.add(built(s, values)) for s in (equation.left, equation.right)]
        both = ~(np.isnan(sides[0].true) | np.isnan(sides[1].true))
        return tuple(
            e
            for e in equation.conditions.stated(values)
            if HOLDS[e.op](self.add(e.args[0]).true[both], 0).all()
        )

    def admitted(
        self, conditions: Conditions, values: Mapping[int, Expr]
    ) -> Mapping[int, Expr] | None:
        """Return what the variables of a law represent, with what its conditions compute; None if
        they do not hold."""
        found = conditions.completed(values, self._terms)
        return found if found is not None and self._have_signs(conditions, found) else None

    def _have_signs(self, conditions: Conditions, values: Mapping[int, Expr]) -> bool:
        """Return whether the true values have the signs that a law asks for."""
        for pattern, op in conditions.signs:
            true = self.add(built(pattern, values)).true
            if not HOLDS[op](true, 0)[~np.isnan(true)].all():
                return False
        return True


def _is_sure(value: Any) -> bool:
    """Return whether a value is known so closely that it counts."""
    if isinstance(value, arb):
        return bool(value.rel_accuracy_bits() >= _LEAST_BITS and value.is_finite())
    return value is not UNDECIDED
