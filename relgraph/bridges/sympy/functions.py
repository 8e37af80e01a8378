"""Numbers and elementwise functions of both libraries: numbers exact where they can be, functions
by two tables.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import reduce
from typing import Any

import sympy as sp
from sympy.core.function import FunctionClass
from sympy.logic.boolalg import Boolean
from sympy.matrices.expressions.matexpr import MatrixElement

import relgraph.tensor as at
from relgraph import scalar
from relgraph.scalar.named import NumpyOp, ScipyOp
from relgraph.tensor import linalg, special
from relgraph.tensor.math import ELEMENTWISE

# A float with a smaller denominator is written as a fraction, which is what people mean by it.
_LARGEST_DENOMINATOR = 2**12
_NAMED = {
    **{math.pi * k: sp.pi * k for k in (1, 2)},
    **{math.pi / k: sp.pi / k for k in (2, 4)},
    **{math.log(k): sp.log(k) for k in (2, 10)},
    math.e: sp.E,
    math.inf: sp.oo,
}


def number_to_sympy(value: Any) -> Any:
    """Return a Python number as SymPy's.

    The floats nearest to pi, e and a few more are these. A float that is a fraction of a small
    power of two is that fraction, and any other one a Float of its 53 bits.
    """
    if isinstance(value, bool):
        return sp.true if value else sp.false
    if isinstance(value, int):
        return sp.Integer(value)
    if isinstance(value, complex):
        return number_to_sympy(value.real) + sp.I * number_to_sympy(value.imag)
    if math.isnan(value):
        return sp.nan
    named = _NAMED.get(abs(value))
    if named is not None:
        return named if value > 0 else -named
    over, under = value.as_integer_ratio()
    small = under <= _LARGEST_DENOMINATOR and abs(over) < 2**53
    return sp.Rational(over, under) if small else sp.Float(value)


def exact_number(expr: Any) -> int | float | None:
    """Return a number of SymPy's as Python's; None for a fraction that no float equals.

    An irrational number is the nearest float.
    """
    if isinstance(expr, sp.Integer):
        return int(expr)
    if not isinstance(expr, sp.Rational):
        return math.inf if expr is sp.zoo else float(expr)
    try:
        nearest = float(expr)
    except OverflowError:
        return None
    return nearest if sp.Rational(*nearest.as_integer_ratio()) == expr else None


_OTHERWISE = {
    "abs": sp.Abs,
    "sign": sp.sign,
    "ceil": sp.ceiling,
    "gammaln": sp.loggamma,
    "maximum": sp.Max,
    "minimum": sp.Min,
    "mod": sp.Mod,
    "conj": sp.conjugate,
    "real": sp.re,
    "imag": sp.im,
    "angle": sp.arg,
    "eq": sp.Eq,
    "neq": sp.Ne,
    "lt": sp.Lt,
    "le": sp.Le,
    "gt": sp.Gt,
    "ge": sp.Ge,
    "and_": sp.And,
    "or_": sp.Or,
    "xor": sp.Xor,
    "invert": sp.Not,
}


def _is_function(name: str) -> bool:
    return isinstance(getattr(sp, name, None), FunctionClass)


_SAME = {
    # by C's names, which SymPy has too
    **{
        name: getattr(sp, op.scalar_op.c_name or name)
        for name, op in ELEMENTWISE.items()
        if _is_function(op.scalar_op.c_name or name)
    },
    **_OTHERWISE,
}
_SCIPY = (
    ("gamma", sp.gamma),
    ("jv", sp.besselj),
    ("yv", sp.bessely),
    ("iv", sp.besseli),
    ("kv", sp.besselk),
    ("beta", sp.beta),
    ("binom", sp.binomial),
    ("expi", sp.Ei),
    ("erfi", sp.erfi),
    ("erfcinv", sp.erfcinv),
    ("expn", sp.expint),
    ("ellipk", sp.elliptic_k),
    ("ellipe", sp.elliptic_e),
)


def is_truth(x: Any) -> bool:
    """Return whether an expression is a truth value: a symbol is, if it is not said to be a
    number."""
    return isinstance(x, Boolean) and not (x.is_Symbol and x.is_complex)


def as_number(x: Any) -> Any:
    """Return 1 for what is true and 0 for what is false."""
    return sp.Piecewise((1, x), (0, True)) if is_truth(x) else x


def _chosen(condition: Any, then: Any, other: Any) -> Any:
    holds = condition if is_truth(condition) else sp.Ne(condition, 0)
    if is_truth(then) and is_truth(other):
        return sp.ITE(holds, then, other)
    then, other = as_number(then), as_number(other)
    return sp.Piecewise((then, holds), (other, True))


TO_SYMPY: dict[Any, Callable[..., Any]] = {
    **{getattr(scalar, name): function for name, function in _SAME.items()},
    **{ScipyOp(name): function for name, function in _SCIPY},
    scalar.add: lambda *xs: sp.Add(*xs),
    scalar.mul: lambda *xs: sp.Mul(*xs),
    scalar.sub: lambda x, y: x - y,
    scalar.true_div: lambda x, y: x / y,
    scalar.pow: lambda x, y: x**y,
    scalar.neg: lambda x: -x,
    scalar.sqrt: sp.sqrt,
    scalar.trunc: lambda x: sp.sign(x) * sp.floor(sp.Abs(x)),
    scalar.expm1: lambda x: sp.exp(x) - 1,
    scalar.log2: lambda x: sp.log(x) / sp.log(2),
    scalar.log10: lambda x: sp.log(x) / sp.log(10),
    scalar.log1p: lambda x: sp.log(1 + x),
    scalar.softplus: lambda x: sp.log(1 + sp.exp(x)),
    scalar.logaddexp: lambda *xs: sp.log(sp.Add(*map(sp.exp, xs))),
    # the real root
    scalar.cbrt: lambda x: sp.sign(x) * sp.Abs(x) ** sp.Rational(1, 3),
    scalar.cosm1: lambda x: sp.cos(x) - 1,
    scalar.hypot1m1: lambda x: sp.sqrt(1 + x**2) - 1,
    scalar.sqr_less_sqr: lambda x, y: x**2 - y**2,
    scalar.switch: _chosen,
    scalar.isnan: lambda x: sp.false,
    ScipyOp("xlogy"): lambda x, y: sp.Piecewise((0, sp.Eq(x, 0)), (x * sp.log(y), True)),
    ScipyOp("logit"): lambda x: sp.log(x / (1 - x)),
    ScipyOp("erfcx"): lambda x: sp.exp(x**2) * sp.erfc(x),
    ScipyOp("ndtr"): lambda x: sp.erfc(-x / sp.sqrt(2)) / 2,
    ScipyOp("betaln"): lambda x, y: sp.loggamma(x) + sp.loggamma(y) - sp.loggamma(x + y),
    ScipyOp("gammainc"): lambda k, x: sp.lowergamma(k, x) / sp.gamma(k),
    ScipyOp("gammaincc"): lambda k, x: sp.uppergamma(k, x) / sp.gamma(k),
    ScipyOp("zeta"): lambda s, q: sp.zeta(s, q),
    NumpyOp("sinc"): lambda x: sp.sinc(sp.pi * x),
    NumpyOp("heaviside"): lambda x, y: sp.Heaviside(x, y),
}
"""From a scalar op to a function of SymPy's expressions; of others their formula is written. The
functions that exist for the digits they keep are written as their formulas."""

LOGICAL = (scalar.and_, scalar.or_, scalar.xor, scalar.invert)
"""The functions of truth values alone."""

FROM_SYMPY: dict[type, Callable[..., Any]] = {
    **{theirs: getattr(at, name) for name, theirs in _SAME.items()},
    **{theirs: getattr(special, name) for name, theirs in _SCIPY},
    sp.Max: lambda *xs: reduce(at.maximum, xs),
    sp.Min: lambda *xs: reduce(at.minimum, xs),
    sp.And: lambda *xs: reduce(at.logical_and, xs),
    sp.Or: lambda *xs: reduce(at.logical_or, xs),
    sp.Xor: lambda *xs: reduce(at.logical_xor, xs),
    sp.Not: at.logical_not,
    sp.ITE: at.switch,
    sp.sec: lambda x: 1 / at.cos(x),
    sp.csc: lambda x: 1 / at.sin(x),
    sp.cot: lambda x: 1 / at.tan(x),
    sp.sech: lambda x: 2 / (at.exp(x) + at.exp(-x)),
    sp.csch: lambda x: 1 / at.sinh(x),
    sp.coth: lambda x: 1 / at.tanh(x),
    sp.Heaviside: lambda x, y: at.heaviside(x, y),
    sp.lowergamma: lambda k, x: special.gammainc(k, x) * special.gamma(k),
    sp.uppergamma: lambda k, x: special.gammaincc(k, x) * special.gamma(k),
    sp.factorial: lambda x: special.gamma(x + 1),
    sp.zeta: lambda s, q=1.0: special.zeta(s, q),
    sp.sinc: lambda x: at.sinc(x / at.constant(float(sp.pi))),
    sp.HadamardProduct: lambda *xs: reduce(at.mul, xs),
    sp.MatAdd: lambda *xs: reduce(at.add, xs),
    sp.Transpose: lambda x: x.T,
    sp.Trace: at.trace,
    sp.Determinant: linalg.det,
    sp.Identity: lambda n: at.eye(n, dtype="float64"),
    sp.ZeroMatrix: lambda n, m: at.zeros((n, m), dtype="float64"),
    sp.OneMatrix: lambda n, m: at.ones((n, m), dtype="float64"),
    MatrixElement: lambda matrix, i, j: matrix[i, j],
    type(sp.true): lambda: True,
    type(sp.false): lambda: False,
    type(sp.I): lambda: 1j,
}
"""From a class of SymPy's functions to a function of tensors."""
