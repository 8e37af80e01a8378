"""Exponentials, logarithms, trigonometric and hyperbolic functions, and the special functions.

``scipy.special`` is imported when a dtype or value is first computed, not with this module.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import reduce
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy

from relgraph.graph.utils import MethodNotDefined
from relgraph.scalar.basic import add, maximum, minimum
from relgraph.scalar.op import (
    EVERYWHERE,
    INF,
    Facts,
    FloatOp,
    FoldOp,
    ScalarOp,
    in_dtype_of,
    ops_of,
    where_not,
)
from relgraph.scalar.type import is_complex

LN2 = math.log(2.0)
LN10 = math.log(10.0)
PI = math.pi


class Exp(FloatOp):
    """The exponential of `x`: e to the power `x`."""

    facts = Facts(
        increasing=EVERYWHERE, range=(0, INF), zeros=(), inverse="log", has_log_and_m1=True
    )

    def times_derivative(self, g: Any, x: Any, out: Any) -> Any:
        return g * out


class Exp2(FloatOp):
    """2 to the power `x`."""

    facts = Facts(increasing=EVERYWHERE, range=(0, INF), zeros=(), inverse="log2")

    def formula(self, of: Any, x: Any) -> Any:
        return of.pow(2, x)

    def times_derivative(self, g: Any, x: Any, out: Any) -> Any:
        return g * out * LN2


class Expm1(FloatOp):
    """``exp(x) - 1``, exact near 0."""

    facts = Facts(increasing=EVERYWHERE, range=(-1, INF), zeros=(0,), inverse="log1p")

    def times_derivative(self, g: Any, x: Any, out: Any) -> Any:
        return g * exp(x)


class Log(FloatOp):
    """The natural logarithm of `x`; nan for a negative real number, -inf for 0."""

    facts = Facts(increasing=(0, INF), domain=(0, INF), zeros=(1,), inverse="exp")

    def times_derivative(self, g: Any, x: Any, out: Any) -> Any:
        return g / x


class Log2(FloatOp):
    """The logarithm of `x` to base 2; nan for a negative real number, -inf for 0."""

    facts = Facts(increasing=(0, INF), domain=(0, INF), zeros=(1,), inverse="exp2")

    def times_derivative(self, g: Any, x: Any, out: Any) -> Any:
        return g / (x * LN2)


class Log10(FloatOp):
    """The logarithm of `x` to base 10; nan for a negative real number, -inf for 0."""

    facts = Facts(increasing=(0, INF), domain=(0, INF), zeros=(1,))

    def times_derivative(self, g: Any, x: Any, out: Any) -> Any:
        return g / (x * LN10)


class Log1p(FloatOp):
    """``log(1 + x)``, exact near 0."""

    facts = Facts(increasing=(-1, INF), domain=(-1, INF), zeros=(0,), inverse="expm1")

    def times_derivative(self, g: Any, x: Any, out: Any) -> Any:
        return g / (1 + x)


class Sin(FloatOp):
    """The sine of an angle `x` in radians."""

    facts = Facts(odd=True, periodic=True, range=(-1, 1), inverse="arcsin")

    def times_derivative(self, g: Any, x: Any, out: Any) -> Any:
        return g * cos(x)


class Cos(FloatOp):
    """The cosine of an angle `x` in radians."""

    facts = Facts(even=True, periodic=True, range=(-1, 1), inverse="arccos")

    def times_derivative(self, g: Any, x: Any, out: Any) -> Any:
        return -(g * sin(x))


class Tan(FloatOp):
    """The tangent of an angle `x` in radians."""

    facts = Facts(odd=True, periodic=True, inverse="arctan")

    def times_derivative(self, g: Any, x: Any, out: Any) -> Any:
        return g * (1 + out * out)


class Arcsin(FloatOp):
    """The angle from -pi/2 to pi/2 whose sine is `x`; nan for a real number beyond -1 and 1."""

    c_name = "asin"
    facts = Facts(odd=True, increasing=(-1, 1), domain=(-1, 1), range=(-PI / 2, PI / 2), zeros=(0,))

    def times_derivative(self, g: Any, x: Any, out: Any) -> Any:
        return g / x._ops.sqrt(1 - x * x)


class Arccos(FloatOp):
    """The angle from 0 to pi whose cosine is `x`; nan for a real number beyond -1 and 1."""

    c_name = "acos"
    facts = Facts(decreasing=(-1, 1), domain=(-1, 1), range=(0, PI), zeros=(1,))

    def times_derivative(self, g: Any, x: Any, out: Any) -> Any:
        return -(g / x._ops.sqrt(1 - x * x))


class Arctan(FloatOp):
    """The angle from -pi/2 to pi/2 whose tangent is `x`."""

    c_name = "atan"
    facts = Facts(odd=True, increasing=EVERYWHERE, range=(-PI / 2, PI / 2), zeros=(0,))

    def times_derivative(self, g: Any, x: Any, out: Any) -> Any:
        return g / (1 + x * x)


class Arctan2(ScalarOp):
    """The angle from the positive x-axis to the point ``(x, y)``, from -pi to pi."""

    c_name = "atan2"
    argument_names = ("y", "x")

    def pullback(self, inputs: Sequence[Any], output: Any, g: Any) -> Sequence[Any]:
        y, x = in_dtype_of(output, inputs)
        share = g / (x * x + y * y)
        return [share * x, -(share * y)]


class Sinh(FloatOp):
    """The hyperbolic sine, ``(exp(x) - exp(-x)) / 2``."""

    facts = Facts(odd=True, increasing=EVERYWHERE, zeros=(0,), inverse="arcsinh")

    def times_derivative(self, g: Any, x: Any, out: Any) -> Any:
        return g * cosh(x)


class Cosh(FloatOp):
    """The hyperbolic cosine, ``(exp(x) + exp(-x)) / 2``."""

    facts = Facts(
        even=True,
        increasing=(0, INF),
        range=(1, INF),
        zeros=(),
        inverse="arccosh",
        has_log_and_m1=True,
    )

    def times_derivative(self, g: Any, x: Any, out: Any) -> Any:
        return g * sinh(x)


class Tanh(FloatOp):
    """The hyperbolic tangent, ``sinh(x) / cosh(x)``."""

    facts = Facts(odd=True, increasing=EVERYWHERE, range=(-1, 1), zeros=(0,), inverse="arctanh")

    def times_derivative(self, g: Any, x: Any, out: Any) -> Any:
        return g * (1 - out * out)


class Arcsinh(FloatOp):
    """The number whose hyperbolic sine is `x`."""

    c_name = "asinh"
    facts = Facts(odd=True, increasing=EVERYWHERE, zeros=(0,), inverse="sinh")

    def times_derivative(self, g: Any, x: Any, out: Any) -> Any:
        return g / x._ops.sqrt(x * x + 1)


class Arccosh(FloatOp):
    """The number from 0 on whose hyperbolic cosine is `x`; nan for a real number below 1."""

    c_name = "acosh"
    facts = Facts(increasing=(1, INF), domain=(1, INF), range=(0, INF), zeros=(1,))

    def times_derivative(self, g: Any, x: Any, out: Any) -> Any:
        # For complex numbers, the root of the product is on another branch.
        return g / (x._ops.sqrt(x - 1) * x._ops.sqrt(x + 1))


class Arctanh(FloatOp):
    """The number whose hyperbolic tangent is `x`; nan for a real number beyond -1 and 1."""

    c_name = "atanh"
    facts = Facts(odd=True, increasing=(-1, 1), domain=(-1, 1), zeros=(0,), inverse="tanh")

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


Array = np.ndarray[Any, Any]


class _ScipyOp(FloatOp):
    """The function of one number ``scipy.special.<scipy_name>``, by default that of its name."""

    scipy_name = ""

    @property
    def ufunc(self) -> Callable[..., Any]:
        found: Callable[..., Any] = getattr(scipy.special, self.scipy_name or self.name)
        return found


class Erf(_ScipyOp):
    """The error function, ``2 / sqrt(pi)`` times the integral of ``exp(-t**2)`` from 0 to `x`."""

    facts = Facts(odd=True, increasing=EVERYWHERE, range=(-1, 1), zeros=(0,), inverse="erfinv")

    def times_derivative(self, g: Any, x: Any, out: Any) -> Any:
        return g * (2 / math.sqrt(math.pi)) * exp(-(x * x))


class Erfc(_ScipyOp):
    """``1 - erf(x)``, exact for large `x`, where it is tiny."""

    facts = Facts(
        decreasing=EVERYWHERE, range=(0, 2), zeros=(), inverse="erfcinv", has_log_and_m1=True
    )

    def times_derivative(self, g: Any, x: Any, out: Any) -> Any:
        return g * (-2 / math.sqrt(math.pi)) * exp(-(x * x))


class Erfinv(_ScipyOp):
    """The number whose error function is `x`; nan beyond -1 and 1."""

    facts = Facts(odd=True, increasing=(-1, 1), domain=(-1, 1), zeros=(0,), inverse="erf")

    def times_derivative(self, g: Any, x: Any, out: Any) -> Any:
        return g * (math.sqrt(math.pi) / 2) * exp(out * out)


class Sigmoid(_ScipyOp):
    """The logistic function, ``1 / (1 + exp(-x))``."""

    facts = Facts(
        increasing=EVERYWHERE, range=(0, 1), zeros=(), inverse="logit", has_log_and_m1=True
    )
    scipy_name = "expit"

    def formula(self, of: Any, x: Any) -> Any:
        return 1 / (1 + of.exp(-x))

    def times_derivative(self, g: Any, x: Any, out: Any) -> Any:
        return g * out * (1 - out)


class Gammaln(_ScipyOp):
    """The logarithm of the absolute value of the gamma function."""

    def times_derivative(self, g: Any, x: Any, out: Any) -> Any:
        return g * digamma(x)


class Digamma(_ScipyOp):
    """The derivative of the logarithm of the gamma function."""

    def times_derivative(self, g: Any, x: Any, out: Any) -> Any:
        if is_complex(x.type.dtype):
            raise MethodNotDefined("digamma has no gradient for complex numbers")
        return g * polygamma(1, x)


class Polygamma(_ScipyOp):
    """The `n`-th derivative of `digamma` at `x`, for an integer `n` from 0 on.

    The output is always float64. There is no gradient with respect to `n`.
    """

    argument_names = ("n", "x")
    nin = 2
    holomorphic = False
    promoting_inputs = ()
    converts = True

    def pullback(self, inputs: Sequence[Any], output: Any, g: Any) -> Sequence[Any]:
        n, x = inputs
        return [None, g * self(n + 1, x)]


class Softplus(FloatOp):
    """``log(1 + exp(x))``, without overflow."""

    facts = Facts(increasing=EVERYWHERE, range=(0, INF), zeros=())

    def array_formula(self, xp: Any, x: Any) -> Any:
        return xp.logaddexp(0, x)

    def formula(self, of: Any, x: Any) -> Any:
        return of.maximum(x, 0) + of.log1p(of.exp(-of.abs(x)))

    def times_derivative(self, g: Any, x: Any, out: Any) -> Any:
        return g * sigmoid(x)


class Log1mexp(FloatOp):
    """``log(1 - exp(x))`` for negative `x`, exact near 0 and for large negative `x`.

    Mächler, Accurately Computing log(1 - exp(-|a|)) (2012).
    """

    facts = Facts(
        decreasing=(-INF, 0), domain=(-INF, 0), range=(-INF, 0), zeros=(), inverse="log1mexp"
    )

    def array_formula(self, xp: Any, x: Any) -> Any:
        is_far = xp.real(x) < -LN2
        return xp.where(is_far, xp.log1p(-xp.exp(x)), xp.log(-xp.expm1(x)))

    def formula(self, of: Any, x: Any) -> Any:
        return of.log(-of.expm1(x))

    def times_derivative(self, g: Any, x: Any, out: Any) -> Any:
        # at 0 the slope is minus infinity, whatever the sign of the zero
        return -(g / expm1(-x if is_complex(x.type.dtype) else x._ops.abs(x)))


class LogAddExp(FoldOp):
    """``log(exp(x) + exp(y) + …)`` of all inputs, without overflow; integers become floats."""

    cost = 20.0
    accumulation = "logcumsumexp"
    name = "logaddexp"
    ufunc = np.logaddexp
    holomorphic = False

    def impl(self, *values: Any) -> Any:
        dtype = self.output_dtype(*[np.asarray(v).dtype.name for v in values])
        return reduce(np.logaddexp, [np.asarray(v).astype(dtype)[()] for v in values])

    def formula(self, of: Any, x: Any, y: Any) -> Any:
        return of.maximum(x, y) + of.log1p(of.exp(-of.abs(x - y)))

    def pullback(self, inputs: Sequence[Any], output: Any, g: Any) -> Sequence[Any]:
        if len(inputs) == 2:
            # far from zero the output has fewer digits than the difference
            x, y = inputs
            return [g * sigmoid(x - y), g * sigmoid(y - x)]
        most = float(np.finfo(output.type.dtype).max)
        # beside an infinity the others have no share
        bounded = [minimum(x, most) for x in inputs]
        largest = maximum(-most, *bounded)
        shares = [exp(x - largest) for x in bounded]
        total = add(*shares)
        return [g * (share / total) for share in shares]


class _LogOfProducts(ScalarOp):
    """Base class of logarithms that are computed by their `array_formula`, in a dtype of floats."""

    holomorphic = False

    def _resolve_dtype(self, *dtypes: str) -> str:
        return logaddexp.output_dtype(*dtypes)

    def ufunc(self, *values: Any) -> Any:
        dtype = self.output_dtype(*[np.asarray(v).dtype.name for v in values])
        assert self.array_formula is not None
        with np.errstate(all="ignore"):
            return self.array_formula(np, *[np.asarray(v).astype(dtype) for v in values])


class LogProduct(_LogOfProducts):
    """The logarithm of ``exp(y) * xs[0] * xs[1] * ... / z``.

    It is the logarithm of the quotient, as long as that and what comes before it are ordinary
    numbers. Else the exponents of all factors are added up apart, so that a quotient near 1 keeps
    its digits; of the logarithm of a negative number it is nan.
    """

    argument_names = ("y", "z", "*xs")
    nin = -1

    def check_count(self, count: int) -> None:
        if count < 2:
            raise TypeError(f"{self.name} takes at least 2 inputs, not {count}")

    def array_formula(self, xp: Any, y: Array, z: Array, *xs: Array) -> Array:
        product = xp.exp(y)
        ordinary: Any = True
        for x in xs:
            ordinary = ordinary & _is_normal(xp, product)
            product = product * x
        quotient = product / z
        ordinary = ordinary & _is_normal(xp, product) & _is_normal(xp, quotient)
        found: Array = where_not(
            xp, ordinary, xp.log(quotient), lambda: _log_of_product(xp, y, z, xs)
        )
        return found

    def formula(self, of: Any, y: Any, z: Any, *xs: Any) -> Any:
        return y + of.log(of.true_div(of.mul(1, *xs), z))

    def pullback(self, inputs: Sequence[Any], output: Any, g: Any) -> Sequence[Any]:
        _, z, *xs = inputs
        return [g, -(g / z), *[g / x for x in xs]]


def _is_normal(xp: Any, x: Array) -> Array:
    """Return where numbers have all digits of their dtype: neither over- nor underflown."""
    limits, size = np.finfo(x.dtype), xp.abs(x)
    found: Array = (size >= limits.tiny) & (size <= limits.max)
    return found


def _frexp(xp: Any, x: Array) -> tuple[Array, Array]:
    """Return fractions and exponents; those of 0 for subnormal numbers too, where they are flushed
    to 0."""
    fraction, exponent = xp.frexp(x)
    return xp.where(xp.equal(x, 0), 0 * fraction, fraction), xp.where(xp.equal(x, 0), 0, exponent)


def _log_of_product(xp: Any, y: Array, z: Array, xs: Sequence[Array]) -> Array:
    """Return the logarithm of ``exp(y) * xs[0] * ... / z`` from fractions and exponents."""
    # the square root of the exponential is an ordinary number; what is beyond is added at the end
    most = -2 * LN2 * float(np.finfo(y.dtype).minexp + 1)
    inside = xp.clip(y, -most, most)
    fraction, exponent = _frexp(xp, xp.exp(inside / 2))
    fraction, exponent = fraction * fraction, 2 * exponent
    for x in xs:
        factor, of_factor = _frexp(xp, x)
        fraction, carried = _frexp(xp, fraction * factor)
        exponent = exponent + of_factor + carried
    divisor, of_divisor = _frexp(xp, z)
    fraction, carried = _frexp(xp, fraction / divisor)
    exponent = exponent - of_divisor + carried
    # between the roots of 1/2 and of 2, so that the two parts of the logarithm do not cancel
    is_low = xp.abs(fraction) < math.sqrt(0.5)
    fraction, exponent = xp.where(is_low, 2 * fraction, fraction), exponent - is_low
    of_exponent = (exponent * LN2).astype(y.dtype)
    total = (y - inside) + (xp.log(xp.abs(fraction)) + of_exponent)
    # the logarithm of a zero is the same whatever its sign
    found: Array = xp.where(xp.signbit(fraction) & (total > -math.inf), math.nan, total)
    return found


class LogDeterminant(_LogOfProducts):
    """The logarithm of ``x * y - z * w``.

    Where that is no ordinary number, the products are computed of fractions, and their exponents
    apart.
    """

    nin = 4

    def array_formula(self, xp: Any, x: Array, y: Array, z: Array, w: Array) -> Array:
        difference = x * y - z * w
        finite = xp.isfinite(x) & xp.isfinite(y) & xp.isfinite(z) & xp.isfinite(w)
        exact = _is_normal(xp, difference) | ~finite
        found: Array = where_not(
            xp, exact, xp.log(difference), lambda: _log_of_fractions(xp, x, y, z, w)
        )
        return found

    def formula(self, of: Any, x: Any, y: Any, z: Any, w: Any) -> Any:
        return of.log(x * y - z * w)

    def pullback(self, inputs: Sequence[Any], output: Any, g: Any) -> Sequence[Any]:
        x, y, z, w = in_dtype_of(output, inputs)
        switch, lt, abs_ = output._ops.switch, output._ops.lt, output._ops.abs
        difference = x * y - z * w
        size = abs_(difference)
        ordinary = lt(size + 1 / size, math.inf)

        def share(a: Any, b: Any, c: Any, d: Any) -> Any:
            """Return ``b / (a * b - c * d)``."""
            return switch(ordinary, b / (a * b - c * d), 1 / (a - (c / b) * d))

        return [
            g * share(x, y, z, w),
            g * share(y, x, z, w),
            g * share(z, w, x, y),
            g * share(w, z, x, y),
        ]


def _log_of_fractions(xp: Any, x: Array, y: Array, z: Array, w: Array) -> Array:
    (a, of_a), (b, of_b), (c, of_c), (d, of_d) = (_frexp(xp, v) for v in (x, y, z, w))
    first, second = a * b, c * d
    least = np.iinfo(of_a.dtype).min // 4
    by_first = xp.where(xp.equal(first, 0), least, of_a + of_b)
    by_second = xp.where(xp.equal(second, 0), least, of_c + of_d)
    largest = xp.maximum(by_first, by_second)
    scaled = xp.ldexp(first, by_first - largest) - xp.ldexp(second, by_second - largest)
    found: Array = xp.log(scaled) + (largest * LN2).astype(x.dtype)
    return found


class Gelu(FloatOp):
    """``x * ndtr(x)``: `x`, weighted by how much of a normal distribution lies below it.

    Hendrycks and Gimpel, Gaussian Error Linear Units (2016).
    """

    facts = Facts(zeros=(0,))

    @staticmethod
    def ufunc(x: Any) -> Any:
        return x * scipy.special.ndtr(x)

    def formula(self, of: Any, x: Any) -> Any:
        return x * of.ndtr(x)

    def times_derivative(self, g: Any, x: Any, out: Any) -> Any:
        density = exp(-(x * x) / 2) / math.sqrt(2 * math.pi)
        return g * (erfc(-x / math.sqrt(2)) / 2 + x * density)


class LogCosh(FloatOp):
    """The logarithm of the hyperbolic cosine, without overflow, exact near 0."""

    facts = Facts(even=True, increasing=(0, INF), range=(0, INF), zeros=(0,))

    def array_formula(self, xp: Any, x: Any) -> Any:
        size = xp.fabs(x)
        near = xp.log1p(2 * xp.square(xp.sinh(xp.minimum(size, 1) / 2)))
        return xp.where(size < 1, near, size - LN2 + xp.log1p(xp.exp(-2 * size)))

    def formula(self, of: Any, x: Any) -> Any:
        return of.abs(x) + of.softplus(-2 * of.abs(x)) - of.log(2)

    def times_derivative(self, g: Any, x: Any, out: Any) -> Any:
        return g * tanh(x)


class Mish(FloatOp):
    """``x * tanh(softplus(x))``.

    Misra, Mish: A Self Regularized Non-Monotonic Activation Function (2019).
    """

    facts = Facts(zeros=(0,))

    @staticmethod
    def ufunc(x: Any) -> Any:
        return x * np.tanh(np.logaddexp(0, x))

    def formula(self, of: Any, x: Any) -> Any:
        return x * of.tanh(of.softplus(x))

    def times_derivative(self, g: Any, x: Any, out: Any) -> Any:
        share = tanh(softplus(x))
        return g * (share + x * (1 - share * share) * sigmoid(x))


erf = Erf()
erfc = Erfc()
erfinv = Erfinv()
sigmoid = Sigmoid()
gammaln = Gammaln()
digamma = Digamma()
polygamma = Polygamma()
softplus = Softplus()
logaddexp = LogAddExp()
log1mexp = Log1mexp()
log_product = LogProduct()
log_determinant = LogDeterminant()
gelu = Gelu()
log_cosh = LogCosh()
mish = Mish()

if not TYPE_CHECKING:
    # A type checker takes all names that are defined here.
    __all__ = ops_of(globals())
