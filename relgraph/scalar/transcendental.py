"""The exponentials, logarithms, trigonometric and hyperbolic functions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from relgraph.scalar.facts import EVERYWHERE, INF, Facts
from relgraph.scalar.op import FloatOp, ScalarOp

LN2 = math.log(2.0)
LN10 = math.log(10.0)
PI = math.pi


class Exp(FloatOp):
    """The exponential of `x`: e to the power `x`."""

    name = "exp"
    facts = Facts(
        increasing=EVERYWHERE, range=(0, INF), zeros=(), inverse="log", has_log_and_m1=True
    )
    ufunc = np.exp

    def times_derivative(self, g: Any, x: Any, out: Any) -> Any:
        return g * out


class Exp2(FloatOp):
    """2 to the power `x`."""

    name = "exp2"
    facts = Facts(increasing=EVERYWHERE, range=(0, INF), zeros=(), inverse="log2")
    ufunc = np.exp2

    def formula(self, of: Any, x: Any) -> Any:
        return of.pow(2, x)

    def times_derivative(self, g: Any, x: Any, out: Any) -> Any:
        return g * out * LN2


class Expm1(FloatOp):
    """``exp(x) - 1``, exact near 0."""

    name = "expm1"
    facts = Facts(increasing=EVERYWHERE, range=(-1, INF), zeros=(0,), inverse="log1p")
    ufunc = np.expm1

    def times_derivative(self, g: Any, x: Any, out: Any) -> Any:
        return g * exp(x)


class Log(FloatOp):
    """The natural logarithm of `x`; nan for a negative real number, -inf for 0."""

    name = "log"
    facts = Facts(increasing=(0, INF), domain=(0, INF), zeros=(1,), inverse="exp")
    ufunc = np.log

    def times_derivative(self, g: Any, x: Any, out: Any) -> Any:
        return g / x


class Log2(FloatOp):
    """The logarithm of `x` to base 2; nan for a negative real number, -inf for 0."""

    name = "log2"
    facts = Facts(increasing=(0, INF), domain=(0, INF), zeros=(1,), inverse="exp2")
    ufunc = np.log2

    def times_derivative(self, g: Any, x: Any, out: Any) -> Any:
        return g / (x * LN2)


class Log10(FloatOp):
    """The logarithm of `x` to base 10; nan for a negative real number, -inf for 0."""

    name = "log10"
    facts = Facts(increasing=(0, INF), domain=(0, INF), zeros=(1,))
    ufunc = np.log10

    def times_derivative(self, g: Any, x: Any, out: Any) -> Any:
        return g / (x * LN10)


class Log1p(FloatOp):
    """``log(1 + x)``, exact near 0."""

    name = "log1p"
    facts = Facts(increasing=(-1, INF), domain=(-1, INF), zeros=(0,), inverse="expm1")
    ufunc = np.log1p

    def times_derivative(self, g: Any, x: Any, out: Any) -> Any:
        return g / (1 + x)


class Sin(FloatOp):
    """The sine of an angle `x` in radians."""

    name = "sin"
    facts = Facts(odd=True, periodic=True, range=(-1, 1), inverse="arcsin")
    ufunc = np.sin

    def times_derivative(self, g: Any, x: Any, out: Any) -> Any:
        return g * cos(x)


class Cos(FloatOp):
    """The cosine of an angle `x` in radians."""

    name = "cos"
    facts = Facts(even=True, periodic=True, range=(-1, 1), inverse="arccos")
    ufunc = np.cos

    def times_derivative(self, g: Any, x: Any, out: Any) -> Any:
        return -(g * sin(x))


class Tan(FloatOp):
    """The tangent of an angle `x` in radians."""

    name = "tan"
    facts = Facts(odd=True, periodic=True, inverse="arctan")
    ufunc = np.tan

    def times_derivative(self, g: Any, x: Any, out: Any) -> Any:
        return g * (1 + out * out)


class Arcsin(FloatOp):
    """The angle from -pi/2 to pi/2 whose sine is `x`; nan for a real number beyond -1 and 1."""

    name = "arcsin"
    c_name = "asin"
    facts = Facts(odd=True, increasing=(-1, 1), domain=(-1, 1), range=(-PI / 2, PI / 2), zeros=(0,))
    ufunc = np.arcsin

    def times_derivative(self, g: Any, x: Any, out: Any) -> Any:
        return g / x._ops.sqrt(1 - x * x)


class Arccos(FloatOp):
    """The angle from 0 to pi whose cosine is `x`; nan for a real number beyond -1 and 1."""

    name = "arccos"
    c_name = "acos"
    facts = Facts(decreasing=(-1, 1), domain=(-1, 1), range=(0, PI), zeros=(1,))
    ufunc = np.arccos

    def times_derivative(self, g: Any, x: Any, out: Any) -> Any:
        return -(g / x._ops.sqrt(1 - x * x))


class Arctan(FloatOp):
    """The angle from -pi/2 to pi/2 whose tangent is `x`."""

    name = "arctan"
    c_name = "atan"
    facts = Facts(odd=True, increasing=EVERYWHERE, range=(-PI / 2, PI / 2), zeros=(0,))
    ufunc = np.arctan

    def times_derivative(self, g: Any, x: Any, out: Any) -> Any:
        return g / (1 + x * x)


class Arctan2(ScalarOp):
    """The angle from the positive x-axis to the point ``(x, y)``, from -pi to pi."""

    name = "arctan2"
    c_name = "atan2"
    argument_names = ("y", "x")
    nin = 2
    ufunc = np.arctan2

    def pullback(self, inputs: Sequence[Any], output: Any, g: Any) -> Sequence[Any]:
        y, x = inputs
        share = g / (x * x + y * y)
        return [share * x, -(share * y)]


class Sinh(FloatOp):
    """The hyperbolic sine, ``(exp(x) - exp(-x)) / 2``."""

    name = "sinh"
    facts = Facts(odd=True, increasing=EVERYWHERE, zeros=(0,), inverse="arcsinh")
    ufunc = np.sinh

    def times_derivative(self, g: Any, x: Any, out: Any) -> Any:
        return g * cosh(x)


class Cosh(FloatOp):
    """The hyperbolic cosine, ``(exp(x) + exp(-x)) / 2``."""

    name = "cosh"
    facts = Facts(
        even=True,
        increasing=(0, INF),
        range=(1, INF),
        zeros=(),
        inverse="arccosh",
        has_log_and_m1=True,
    )
    ufunc = np.cosh

    def times_derivative(self, g: Any, x: Any, out: Any) -> Any:
        return g * sinh(x)


class Tanh(FloatOp):
    """The hyperbolic tangent, ``sinh(x) / cosh(x)``."""

    name = "tanh"
    facts = Facts(odd=True, increasing=EVERYWHERE, range=(-1, 1), zeros=(0,), inverse="arctanh")
    ufunc = np.tanh

    def times_derivative(self, g: Any, x: Any, out: Any) -> Any:
        return g * (1 - out * out)


class Arcsinh(FloatOp):
    """The number whose hyperbolic sine is `x`."""

    name = "arcsinh"
    c_name = "asinh"
    facts = Facts(odd=True, increasing=EVERYWHERE, zeros=(0,), inverse="sinh")
    ufunc = np.arcsinh

    def times_derivative(self, g: Any, x: Any, out: Any) -> Any:
        return g / x._ops.sqrt(x * x + 1)


class Arccosh(FloatOp):
    """The number from 0 on whose hyperbolic cosine is `x`; nan for a real number below 1."""

    name = "arccosh"
    c_name = "acosh"
    facts = Facts(increasing=(1, INF), domain=(1, INF), range=(0, INF), zeros=(1,))
    ufunc = np.arccosh

    def times_derivative(self, g: Any, x: Any, out: Any) -> Any:
        # For complex numbers, the root of the product is on another branch.
        return g / (x._ops.sqrt(x - 1) * x._ops.sqrt(x + 1))


class Arctanh(FloatOp):
    """The number whose hyperbolic tangent is `x`; nan for a real number beyond -1 and 1."""

    name = "arctanh"
    c_name = "atanh"
    facts = Facts(odd=True, increasing=(-1, 1), domain=(-1, 1), zeros=(0,), inverse="tanh")
    ufunc = np.arctanh

    def times_derivative(self, g: Any, x: Any, out: Any) -> Any:
        return g / (1 - x * x)


exp = Exp()
exp2 = Exp2()
expm1 = Expm1()
log = Log()
log2 = Log2()
log10 = Log10()
log1p = Log1p()
sin = Sin()
cos = Cos()
tan = Tan()
arcsin = Arcsin()
arccos = Arccos()
arctan = Arctan()
arctan2 = Arctan2()
sinh = Sinh()
cosh = Cosh()
tanh = Tanh()
arcsinh = Arcsinh()
arccosh = Arccosh()
arctanh = Arctanh()

__all__ = [
    "arccos",
    "arccosh",
    "arcsin",
    "arcsinh",
    "arctan",
    "arctan2",
    "arctanh",
    "cos",
    "cosh",
    "exp",
    "exp2",
    "expm1",
    "log",
    "log1p",
    "log2",
    "log10",
    "sin",
    "sinh",
    "tan",
    "tanh",
]  # fmt: skip
