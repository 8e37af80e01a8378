"""Special functions of SciPy, and logarithms and exponentials that neither overflow nor cancel.

``scipy.special`` is imported when a dtype or value is first computed, not with this module.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import reduce
from typing import Any

import numpy as np
import scipy

from relgraph.graph.utils import MethodNotDefined
from relgraph.scalar.dtypes import is_complex
from relgraph.scalar.op import FloatOp, FoldOp, ScalarOp
from relgraph.scalar.transcendental import LN2, exp, expm1


class _ScipyOp(FloatOp):
    """The function of one number ``scipy.special.<scipy_name>``."""

    scipy_name: str

    @property
    def ufunc(self) -> Callable[..., Any]:
        found: Callable[..., Any] = getattr(scipy.special, self.scipy_name)
        return found


class Erf(_ScipyOp):
    name = scipy_name = "erf"

    def times_derivative(self, g: Any, x: Any, out: Any) -> Any:
        return g * (2 / math.sqrt(math.pi)) * exp(-(x * x))


class Erfc(_ScipyOp):
    """``1 - erf(x)``, exact for large `x`, where it is tiny."""

    name = scipy_name = "erfc"

    def times_derivative(self, g: Any, x: Any, out: Any) -> Any:
        return g * (-2 / math.sqrt(math.pi)) * exp(-(x * x))


class Erfinv(_ScipyOp):
    name = scipy_name = "erfinv"

    def times_derivative(self, g: Any, x: Any, out: Any) -> Any:
        return g * (math.sqrt(math.pi) / 2) * exp(out * out)


class Sigmoid(_ScipyOp):
    """``1 / (1 + exp(-x))``"""

    name = "sigmoid"
    scipy_name = "expit"

    def times_derivative(self, g: Any, x: Any, out: Any) -> Any:
        return g * out * (1 - out)


class Gammaln(_ScipyOp):
    """The logarithm of the absolute value of the gamma function."""

    name = scipy_name = "gammaln"

    def times_derivative(self, g: Any, x: Any, out: Any) -> Any:
        return g * digamma(x)


class Digamma(_ScipyOp):
    """The derivative of `gammaln`."""

    name = scipy_name = "digamma"

    def times_derivative(self, g: Any, x: Any, out: Any) -> Any:
        if is_complex(x.type.dtype):
            raise MethodNotDefined("digamma has no gradient for complex numbers")
        return g * polygamma(1, x)


class Polygamma(ScalarOp):
    """``polygamma(n, x)``: the `n`-th derivative of `digamma` at `x`, for an integer `n` from 0 on.

    The output is always float64. There is no gradient with respect to `n`.
    """

    name = "polygamma"
    nin = 2
    holomorphic = False
    promoting_inputs = ()
    converts = True

    @property
    def ufunc(self) -> Callable[..., Any]:
        found: Callable[..., Any] = scipy.special.polygamma
        return found

    def pullback(self, inputs: Sequence[Any], output: Any, g: Any) -> Sequence[Any]:
        n, x = inputs
        return [None, g * self(n + 1, x)]


class Softplus(FloatOp):
    """``log(1 + exp(x))``, without overflow."""

    name = "softplus"

    @staticmethod
    def ufunc(x: Any) -> Any:
        return np.logaddexp(0, x)

    def times_derivative(self, g: Any, x: Any, out: Any) -> Any:
        return g * sigmoid(x)


class Log1mexp(FloatOp):
    """``log(1 - exp(x))`` for negative `x`, exact near 0 and for large negative `x`.

    Mächler, Accurately Computing log(1 - exp(-|a|)) (2012).
    """

    name = "log1mexp"

    @staticmethod
    def ufunc(x: Any) -> Any:
        return np.where(np.less(x, -LN2), np.log1p(-np.exp(x)), np.log(-np.expm1(x)))

    def times_derivative(self, g: Any, x: Any, out: Any) -> Any:
        # at 0 the slope is minus infinity, whatever the sign of the zero
        return -(g / expm1(-x if is_complex(x.type.dtype) else x._ops.abs(x)))


class LogAddExp(FoldOp):
    """``log(exp(x) + exp(y) + ...)``, without overflow; integers become floats."""

    name = "logaddexp"
    ufunc = np.logaddexp
    holomorphic = False

    def impl(self, *values: Any) -> Any:
        dtype = self.output_dtype(*[np.asarray(v).dtype.name for v in values])
        return reduce(np.logaddexp, [np.asarray(v).astype(dtype)[()] for v in values])

    def pullback(self, inputs: Sequence[Any], output: Any, g: Any) -> Sequence[Any]:
        return [g * exp(x - output) for x in inputs]


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
