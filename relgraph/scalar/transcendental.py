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
    """The exponential of `x`: e to the power `x`."""

    name = "exp"
    ufunc = np.exp

    def times_derivative(self, g: Any, x: Any, out: Any) -> Any:
        return g * out


class Exp2(FloatOp):
    """2 to the power `x`."""

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
    """The natural logarithm of `x`; nan for a negative real number, -inf for 0."""

    name = "log"
    ufunc = np.log

    def times_derivative(self, g: Any, x: Any, out: Any) -> Any:
        return g / x


class Log2(FloatOp):
    """The logarithm of `x` to base 2; nan for a negative real number, -inf for 0."""

    name = "log2"
    ufunc = np.log2

    def times_derivative(self, g: Any, x: Any, out: Any) -> Any:
        return g / (x * LN2)


class Log10(FloatOp):
    """The logarithm of `x` to base 10; nan for a negative real number, -inf for 0."""

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
    """The sine of an angle `x` in radians."""

    name = "sin"
    ufunc = np.sin

    def times_derivative(self, g: Any, x: Any, out: Any) -> Any:
        return g * cos(x)


class Cos(FloatOp):
    """The cosine of an angle `x` in radians."""

    name = "cos"
    ufunc = np.cos

    def times_derivative(self, g: Any, x: Any, out: Any) -> Any:
        return -(g * sin(x))


class Tan(FloatOp):
    """The tangent of an angle `x` in radians."""

    name = "tan"
    ufunc = np.tan

    def times_derivative(self, g: Any, x: Any, out: Any) -> Any:
        return g * (1 + out * out)


class Arcsin(FloatOp):
    """The angle from -pi/2 to pi/2 whose sine is `x`; nan for a real number beyond -1 and 1."""

    name = "arcsin"
    ufunc = np.arcsin

    def times_derivative(self, g: Any, x: Any, out: Any) -> Any:
        return g / x._ops.sqrt(1 - x * x)


class Arccos(FloatOp):
    """The angle from 0 to pi whose cosine is `x`; nan for a real number beyond -1 and 1."""

    name = "arccos"
    ufunc = np.arccos

    def times_derivative(self, g: Any, x: Any, out: Any) -> Any:
        return -(g / x._ops.sqrt(1 - x * x))


class Arctan(FloatOp):
    """The angle from -pi/2 to pi/2 whose tangent is `x`."""

    name = "arctan"
    ufunc = np.arctan

    def times_derivative(self, g: Any, x: Any, out: Any) -> Any:
        return g / (1 + x * x)


class Arctan2(ScalarOp):
    """The angle from the positive x-axis to the point ``(x, y)``, from -pi to pi."""

    name = "arctan2"
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
    ufunc = np.sinh

    def times_derivative(self, g: Any, x: Any, out: Any) -> Any:
        return g * cosh(x)


class Cosh(FloatOp):
    """The hyperbolic cosine, ``(exp(x) + exp(-x)) / 2``."""

    name = "cosh"
    ufunc = np.cosh

    def times_derivative(self, g: Any, x: Any, out: Any) -> Any:
        return g * sinh(x)


class Tanh(FloatOp):
    """The hyperbolic tangent, ``sinh(x) / cosh(x)``."""

    name = "tanh"
    ufunc = np.tanh

    def times_derivative(self, g: Any, x: Any, out: Any) -> Any:
        return g * (1 - out * out)


class Arcsinh(FloatOp):
    """The number whose hyperbolic sine is `x`."""

    name = "arcsinh"
    ufunc = np.arcsinh

    def times_derivative(self, g: Any, x: Any, out: Any) -> Any:
        return g / x._ops.sqrt(x * x + 1)


class Arccosh(FloatOp):
    """The number from 0 on whose hyperbolic cosine is `x`; nan for a real number below 1."""

    name = "arccosh"
    ufunc = np.arccosh

    def times_derivative(self, g: Any, x: Any, out: Any) -> Any:
        # For complex numbers, the root of the product is on another branch.
        return g / (x._ops.sqrt(x - 1) * x._ops.sqrt(x + 1))


class Arctanh(FloatOp):
    """The number whose hyperbolic tangent is `x`; nan for a real number beyond -1 and 1."""

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
