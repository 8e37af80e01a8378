"""Elements as real numbers: scalar ops as terms of Z3 over the reals.

What is proved is the algebra: that both sides are equal where every divisor is not zero and every
root is of no negative number. How floats round is not part of it.

Jovanović and de Moura, Solving Non-Linear Arithmetic (2012).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import reduce
from typing import Any

from relgraph.graph.basic import Apply, Variable
from relgraph.graph.notation import number_of
from relgraph.proof.machine import NotTranslated
from relgraph.proof.smt import z3
from relgraph.scalar.conversion import Cast
from relgraph.scalar.op import FoldOp
from relgraph.tensor.elemwise import DimShuffle, Elemwise

Term = Any


def _number(value: Any) -> Term:
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
    "second": lambda x, y: y,
    "identity": lambda x: x,
    "conj": lambda x: x,
    "real": lambda x: x,
}
"""What scalar ops compute of real numbers and conditions, by name."""

_MOST_FACTORS = 16


class Reals:
    """The elements of variables as real numbers, or conditions.

    Parameters
    ----------
    inputs
        The inputs; each gets a constant of its name.
    nodes
        The nodes that compute the others, inputs first.

    Attributes
    ----------
    assumed
        What is assumed: that divisors are not zero, and what roots are.
    """

    And, Or, Not = staticmethod(z3.And), staticmethod(z3.Or), staticmethod(z3.Not)

    def __init__(self, inputs: Sequence[Variable], nodes: Sequence[Apply]) -> None:
        self.assumed: list[Term] = []
        self.inputs = {v: _constant(v) for v in inputs}
        self._terms: dict[Variable, Term] = dict(self.inputs)
        for node in nodes:
            self._add(node)

    def of(self, v: Any) -> Term:
        """Return the element of a variable."""
        if v not in self._terms:
            number = number_of(v)
            if number is None:
                raise NotTranslated(f"{v}, which is no number")
            self._terms[v] = _number(number)
        return self._terms[v]

    def _add(self, node: Apply) -> None:
        op: Any = node.op
        (out,) = node.outputs
        if number_of(out) is not None:
            return
        xs = [self.of(v) for v in node.inputs]
        if isinstance(op, DimShuffle):
            self._terms[out] = xs[0]
        elif isinstance(op, Elemwise):
            self._terms[out] = self._applied(op.scalar_op, xs)
        else:
            raise NotTranslated(f"{op}, which does not work element by element")

    def _applied(self, op: Any, xs: Sequence[Term]) -> Term:
        if op.name in ("true_div", "reciprocal"):
            return self._quotient(*([z3.RealVal(1), *xs] if len(xs) == 1 else xs))
        if op.name == "sqrt":
            return self._root(xs[0])
        if op.name == "pow":
            return self._power(*xs)
        if op.name == "switch":
            condition = xs[0] if z3.is_bool(xs[0]) else xs[0] != 0
            return z3.If(condition, *xs[1:])
        if isinstance(op, Cast) and z3.is_real(xs[0]) and op.dtype.startswith("float"):
            return xs[0]
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
        if n.denominator == 2 and abs(n) < _MOST_FACTORS:
            x, n = self._root(x), 2 * n
        if n.denominator > 1 or abs(n) > _MOST_FACTORS:
            raise NotTranslated(f"a power to {n}")
        product = reduce(lambda a, b: a * b, [x] * abs(int(n)), z3.RealVal(1))
        return product if n >= 0 else self._quotient(z3.RealVal(1), product)

    # -- what guards are stated with ---------------------------------------------------------------

    def equal(self, x: Any, y: Any) -> Term:
        return x == y

    def less(self, x: Any, y: Any) -> Term:
        return x < y

    def not_less(self, x: Any, y: Any) -> Term:
        return x >= y

    def is_nan(self, x: Any) -> Term:
        return z3.BoolVal(False)

    def is_finite(self, x: Any) -> Term:
        return z3.BoolVal(True)

    def product_fits(self, x: Any, y: Any) -> Term:
        return z3.BoolVal(True)


def _constant(v: Any) -> Term:
    return z3.Bool(str(v)) if v.type.dtype == "bool" else z3.Real(str(v))
