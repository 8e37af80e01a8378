"""The exponentials, logarithms, trigonometric and hyperbolic functions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from relgraph.scalar.op import FloatOp, ScalarOp

LN2 = math.log(2.0)
LN10 = math.log(10.0)


class Exp(FloatOp):
    name = "exp"
    ufunc = np.exp

    def times_derivative(self, g: Any, x: Any, out: Any) -> Any:
        return g * out


class Exp2(FloatOp):
    name = "exp2"
    ufunc = np.exp2

    def times_derivative(self, g: Any, x: Any, out: Any) -> Any:
        return g * out * LN2


class Expm1(FloatOp):
    """``exp(x) - 1``, exact near 0."""

    name = "expm1"
    ufunc = np.expm1

    def times_derivative(self, g: Any, x: Any, out: Any) -> Any:
        return g * exp(x)


class Log(FloatOp):
    name = "log"
    ufunc = np.log

    def times_derivative(self, g: Any, x: Any, out: Any) -> Any:
        return g / x


class Log2(FloatOp):
    name = "log2"
    ufunc = np.log2

    def times_derivative(self, g: Any, x: Any, out: Any) -> Any:
        return g / (x * LN2)


class Log10(FloatOp):
    name = "log10"
    ufunc = np.log10

    def times_derivative(self, g: Any, x: Any, out: Any) -> Any:
        return g / (x * LN10)


class Log1p(FloatOp):
    """``log(1 + x)``, exact near 0."""

    name = "log1p"
    ufunc = np.log1p

    def times_derivative(self, g: Any, x: Any, out: Any) -> Any:
        return g / (1 + x)


class Sin(FloatOp):
    name = "sin"
    ufunc = np.sin

    def times_derivative(self, g: Any, x: Any, out: Any) -> Any:
        return g * cos(x)


class Cos(FloatOp):
    name = "cos"
    ufunc = np.cos

    def times_derivative(self, g: Any, x: Any, out: Any) -> Any:
        return -(g * sin(x))


class Tan(FloatOp):
    name = "tan"
    ufunc = np.tan

    def times_derivative(self, g: Any, x: Any, out: Any) -> Any:
        return g * (1 + out * out)


class Arcsin(FloatOp):
    name = "arcsin"
    ufunc = np.arcsin

    def times_derivative(self, g: Any, x: Any, out: Any) -> Any:
        return g / x._ops.sqrt(1 - x * x)


class Arccos(FloatOp):
    name = "arccos"
    ufunc = np.arccos

    def times_derivative(self, g: Any, x: Any, out: Any) -> Any:
        return -(g / x._ops.sqrt(1 - x * x))


class Arctan(FloatOp):
    name = "arctan"
    ufunc = np.arctan

    def times_derivative(self, g: Any, x: Any, out: Any) -> Any:
        return g / (1 + x * x)


class Arctan2(ScalarOp):
    """``arctan2(y, x)``: the angle of the point with the coordinates ``(x, y)``."""

    name = "arctan2"
    nin = 2
    ufunc = np.arctan2

    def pullback(self, inputs: Sequence[Any], output: Any, g: Any) -> Sequence[Any]:
        y, x = inputs
        share = g / (x * x + y * y)
        return [share * x, -(share * y)]


class Sinh(FloatOp):
    name = "sinh"
    ufunc = np.sinh

    def times_derivative(self, g: Any, x: Any, out: Any) -> Any:
        return g * cosh(x)


class Cosh(FloatOp):
    name = "cosh"
    ufunc = np.cosh

    def times_derivative(self, g: Any, x: Any, out: Any) -> Any:
        return g * sinh(x)


class Tanh(FloatOp):
    name = "tanh"
    ufunc = np.tanh

    def times_derivative(self, g: Any, x: Any, out: Any) -> Any:
        return g * (1 - out * out)


class Arcsinh(FloatOp):
    name = "arcsinh"
    ufunc = np.arcsinh

    def times_derivative(self, g: Any, x: Any, out: Any) -> Any:
        return g / x._ops.sqrt(x * x + 1)


class Arccosh(FloatOp):
    name = "arccosh"
    ufunc = np.arccosh

    def times_derivative(self, g: Any, x: Any, out: Any) -> Any:
        # For complex numbers, the root of the product is on another branch.
        return g / (x._ops.sqrt(x - 1) * x._ops.sqrt(x + 1))


class Arctanh(FloatOp):
    name = "arctanh"
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
