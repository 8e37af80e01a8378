"""Elements as whole numbers that wrap around: what machine integers compute, as terms of Z3.

It is used where there are quotients and remainders, of which bit vectors make circuits that are
hard to compare.
"""

from __future__ import annotations

from functools import reduce
from typing import Any

import numpy as np

from relgraph.graph.basic import Apply, Variable
from relgraph.proof.elements import NotTranslated, Term
from relgraph.proof.reals import OPS, Reals
from relgraph.proof.smt import z3
from relgraph.scalar.op import FoldOp, ScalarOp

_WRAPPING = ("add", "sub", "mul", "neg", "sqr", "abs")
_IN_RANGE = ("maximum", "minimum", "eq", "neq", "lt", "le", "gt", "ge", "second", "identity")
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

    def _applied(self, op: ScalarOp, node: Apply) -> Term:
        dtypes = {v.type.dtype for v in (*node.inputs, *node.outputs) if v.type.dtype != "bool"}
        xs = [self.of(v) for v in node.inputs]
        if len(dtypes) > 1:
            raise NotTranslated("integers of several dtypes")
        if op.name == "switch":
            return z3.If(xs[0] if z3.is_bool(xs[0]) else xs[0] != 0, *xs[1:])
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
