"""Elements as real numbers, and as whole numbers that wrap around: scalar ops as terms of Z3.

What is proved is the algebra: that both sides are equal where every divisor is not zero and every
root is of no negative number. How floats round is not part of it. Whole numbers of a range are
used where there are quotients and remainders of machine integers: bit vectors make circuits of them
that are hard to compare.

Jovanović and de Moura, Solving Non-Linear Arithmetic (2012).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import reduce
from typing import Any

import numpy as np

from relgraph.graph.basic import Variable
from relgraph.proof.elements import MOST_FACTORS, Elements, NotTranslated, Term, z3
from relgraph.scalar.op import FoldOp, ScalarOp
from relgraph.scalar.type import INTS, UINTS


def _exact(value: Any) -> Term:
    if isinstance(value, bool):
        return z3.BoolVal(value)
    try:
        exact = Fraction(value)
    except (OverflowError, ValueError, TypeError):
        raise NotTranslated(f"{value}, which is no real number") from None
    return z3.Q(exact.numerator, exact.denominator)


OPS: dict[str, Callable[..., Term]] = {
    "add": lambda x, y: x + y,
    "sub": lambda x, y: x - y,
    "mul": lambda x, y: x * y,
    "neg": lambda x: -x,
    "sqr": lambda x: x * x,
    "abs": lambda x: z3.If(x < 0, -x, x),
    "sign": lambda x: z3.If(x < 0, z3.RealVal(-1), z3.If(x > 0, z3.RealVal(1), z3.RealVal(0))),
    "maximum": lambda x, y: z3.If(x < y, y, x),
    "minimum": lambda x, y: z3.If(y < x, y, x),
    "clip": lambda x, low, high: OPS["minimum"](OPS["maximum"](x, low), high),
    "eq": lambda x, y: x == y,
    "neq": lambda x, y: x != y,
    "lt": lambda x, y: x < y,
    "le": lambda x, y: x <= y,
    "gt": lambda x, y: x > y,
    "ge": lambda x, y: x >= y,
    "and_": z3.And,
    "or_": z3.Or,
    "xor": z3.Xor,
    "invert": z3.Not,
    "isnan": lambda x: z3.BoolVal(False),
    "isinf": lambda x: z3.BoolVal(False),
    "signbit": lambda x: x < 0,
    "is_discrete": lambda x: z3.BoolVal(True),
    "product_fits": lambda x, y: z3.BoolVal(True),
}
"""What scalar ops compute of real numbers and conditions, by name."""


class Reals(Elements):
    """The elements of variables as real numbers, or conditions.

    It assumes that divisors are not zero, and of roots what they are.
    """

    def _constant(self, v: Variable) -> Term:
        return z3.Bool(str(v)) if v.type.dtype == "bool" else z3.Real(str(v))

    def _number(self, number: Any, v: Variable) -> Term:
        return _exact(number)

    def _converted(self, x: Term, dtype: str, wanted: str) -> Term:
        if wanted == "bool":
            return x if z3.is_bool(x) else x != 0
        if z3.is_bool(x):
            return z3.If(x, z3.RealVal(1), z3.RealVal(0))
        if wanted == dtype or wanted.startswith("float"):
            return x
        if wanted not in (*INTS, *UINTS):
            raise NotTranslated(f"a number as {wanted}")
        # how numbers become integers is not said: equal ones become the same
        return z3.Function(f"as {wanted}", z3.RealSort(), z3.RealSort())(x)

    def _applied(self, op: ScalarOp, xs: Sequence[Term], dtypes: Sequence[str], out: str) -> Term:
        if op.name in ("true_div", "reciprocal"):
            return self._quotient(*([z3.RealVal(1), *xs] if len(xs) == 1 else xs))
        if op.name == "sqrt":
            return self._root(xs[0])
        if op.name == "pow":
            return self._power(*xs)
        compute = OPS.get(op.name)
        if compute is None:
            raise NotTranslated(f"{op}, which is no polynomial, quotient or root")
        try:
            return reduce(compute, xs) if isinstance(op, FoldOp) else compute(*xs)
        except (z3.Z3Exception, TypeError):
            raise NotTranslated(f"{op} of numbers and conditions") from None

    def _quotient(self, x: Term, y: Term) -> Term:
        self.assumed.append(y != 0)
        return x / y

    def _root(self, x: Term) -> Term:
        root = z3.FreshReal("root")
        self.assumed += [root >= 0, root * root == x]
        return root

    def _power(self, x: Term, y: Term) -> Term:
        exponent = z3.simplify(y)
        if not z3.is_rational_value(exponent):
            raise NotTranslated("a power to what is no number")
        n = Fraction(exponent.numerator_as_long(), exponent.denominator_as_long())
        if n.denominator == 2 and abs(n) < MOST_FACTORS:
            x, n = self._root(x), 2 * n
        if n.denominator > 1 or abs(n) > MOST_FACTORS:
            raise NotTranslated(f"a power to {n}")
        product = reduce(lambda a, b: a * b, [x] * abs(int(n)), z3.RealVal(1))
        return product if n >= 0 else self._quotient(z3.RealVal(1), product)

    def _value(self, found: Term, dtype: str) -> Any:
        """Return the number of a dtype that is nearest."""
        if z3.is_bool(found):
            return z3.is_true(found)
        if z3.is_algebraic_value(found):
            found = found.approx(20)
        try:
            exact = Fraction(found.numerator_as_long(), found.denominator_as_long())
            return np.dtype(dtype).type(float(exact))
        except OverflowError:
            return np.dtype(dtype).type(math.inf)


# -- whole numbers ---------------------------------------------------------------------------------

_WRAPPING = ("add", "sub", "mul", "neg", "sqr", "abs")
_IN_RANGE = ("maximum", "minimum", "eq", "neq", "lt", "le", "gt", "ge")
_OF_GUARDS = ("isnan", "isinf", "is_discrete")
_LOGICAL = ("and_", "or_", "invert")


class Integers(Reals):
    """The elements of variables as whole numbers of the range of one dtype, or conditions."""

    _low = _high = 0

    def _constant(self, v: Variable) -> Term:
        dtype = np.dtype(v.type.dtype)
        if dtype.kind == "b":
            return z3.Bool(str(v))
        if dtype.kind not in "iu":
            raise NotTranslated(f"elements of {dtype}")
        low, high = int(np.iinfo(dtype).min), int(np.iinfo(dtype).max)
        if (self._low, self._high) not in ((0, 0), (low, high)):
            raise NotTranslated("integers of several dtypes")
        self._low, self._high = low, high
        element = z3.Int(str(v))
        self.assumed += [element >= low, element <= high]
        return element

    def _number(self, number: Any, v: Variable) -> Term:
        return z3.BoolVal(number) if isinstance(number, bool) else z3.IntVal(int(number))

    def _converted(self, x: Term, dtype: str, wanted: str) -> Term:
        if wanted == dtype:
            return x
        if wanted == "bool":
            return x != 0
        raise NotTranslated("integers of several dtypes")

    def _applied(self, op: ScalarOp, xs: Sequence[Term], dtypes: Sequence[str], out: str) -> Term:
        if len({*dtypes, out} - {"bool"}) > 1:
            raise NotTranslated("integers of several dtypes")
        if any(z3.is_bool(x) != (op.name in _LOGICAL) for x in xs):
            raise NotTranslated(f"{op} of conditions")
        if op.name == "product_fits":
            return xs[0] * xs[1] <= self._high
        if op.name == "int_div":
            return z3.If(z3.And(xs[0] == self._low, xs[1] == -1), self._low, _quotient(*xs))
        if op.name == "mod":
            return z3.If(xs[1] == 0, 0, xs[0] - _quotient(*xs) * xs[1])
        if op.name not in (*_WRAPPING, *_IN_RANGE, *_OF_GUARDS, *_LOGICAL):
            raise NotTranslated(f"{op} of integers")
        compute = OPS[op.name]
        found = reduce(compute, xs) if isinstance(op, FoldOp) else compute(*xs)
        return self._wrapped(found) if op.name in _WRAPPING else found

    def _wrapped(self, x: Term) -> Term:
        return (x - self._low) % (self._high - self._low + 1) + self._low


def _quotient(x: Term, y: Term) -> Term:
    """Return a quotient rounded down, which is 0 if the divisor is."""
    return z3.If(y == 0, 0, z3.If(y > 0, x / y, (-x) / (-y)))
