"""The derivatives of the incomplete gamma and beta functions by their shapes.

They are integrals of a density times a logarithm, less its mean, over the tail that the argument
ends: there the integrand hardly changes its sign. Moore, Algorithm AS 187 (1982), and Boik and
Robison-Cox, Derivatives of the incomplete beta function (1999), have series in their place.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy

from relgraph.scalar.op import FloatOp

Array = np.ndarray[Any, Any]

# Where the integrand is less than exp(-45) of what it is at the end, nothing is added.
_DROP = 45.0


def _geometric(panels: int, order: int) -> tuple[Array, Array]:
    """Return nodes in (0, 1), closer near 0, and their weights: Gauss and Legendre's by panels."""
    nodes, weights = np.polynomial.legendre.leggauss(order)
    ends = np.concatenate([[0.0], 2.0 ** np.arange(1 - panels, 1)])
    first, width = ends[:-1, None], np.diff(ends)[:, None]
    return (first + width * (nodes + 1) / 2).ravel(), (width * weights / 2).ravel()


_NODES, _WEIGHTS = _geometric(17, 16)


def gamma_slope(a: Any, x: Any) -> Array:
    """Return the derivative of ``scipy.special.gammainc(a, x)`` by `a`, of floats that broadcast.

    Over ``s = log(t / x)`` the density is ``t**a * exp(-t) / gamma(a)``.
    """
    special = scipy.special
    a, x = np.broadcast_arrays(np.asarray(a, float), np.asarray(x, float))
    with np.errstate(all="ignore"):
        is_below = x <= np.maximum(a, 1)
        near = 9 / np.sqrt(np.where(is_below, a, x)) + _DROP / np.where(is_below, a, x)
        reach = np.where(is_below, -near, np.log1p(near))
        offset = np.log(x) - special.digamma(a)
        total = np.zeros(a.shape)
        for node, weight in zip(_NODES, _WEIGHTS, strict=True):
            s = node * reach
            total += weight * np.exp(a * s - x * np.expm1(s)) * (offset + s)
        at_end = np.exp(special.xlogy(a, x) - x - special.gammaln(a))
        found: Array = -reach * total * at_end
        found = np.where((x == 0) | (x == np.inf), 0.0, found)
    return np.where((a > 0) & (x >= 0), found, np.nan)


def beta_slope(a: Any, b: Any, x: Any, by_second: bool = False) -> Array:
    """Return the derivative of ``scipy.special.betainc(a, b, x)`` by `a`, or by `b`, of floats that
    broadcast.

    Over the logit of `t` the density is ``t**a * (1 - t)**b / beta(a, b)``.
    """
    special = scipy.special
    a, b, x = np.broadcast_arrays(*[np.asarray(v, float) for v in (a, b, x)])
    with np.errstate(all="ignore"):
        logit = np.log(x) - np.log1p(-x)
        if by_second:  # betainc(a, b, x) is 1 - betainc(b, a, 1 - x)
            a, b, logit = b, a, -logit

        def size(s: Array) -> Array:
            return np.asarray(a * special.log_expit(s) + b * special.log_expit(-s))

        is_below = logit <= np.log(a / b)
        reach, end = np.where(is_below, -1.0, 1.0), size(logit)
        for _ in range(60):
            reach = np.where(end - size(logit + reach) < _DROP, 2 * reach, reach)
        offset = special.digamma(a + b) - special.digamma(a)
        total = np.zeros(a.shape)
        for node, weight in zip(_NODES, _WEIGHTS, strict=True):
            s = logit + node * reach
            total += weight * np.exp(size(s) - end) * (special.log_expit(s) + offset)
        found: Array = -reach * total * np.exp(end - special.betaln(a, b))
        found = np.where((x == 0) | (x == 1), 0.0, -found if by_second else found)
    return np.where((a > 0) & (b > 0) & (x >= 0) & (x <= 1), found, np.nan)


class _GammaSlope(FloatOp):
    """The derivative of ``gammainc(a, x)`` by `a`."""

    nin = 2
    argument_names = ("a", "x")

    ufunc = staticmethod(gamma_slope)

    def pullback(self, inputs: Sequence[Any], output: Any, g: Any) -> Sequence[Any]:
        a, x = inputs
        log, digamma = output._ops.log, output._ops.digamma
        density = output._ops.exp((a - 1) * log(x) - x - output._ops.gammaln(a))
        return [None, g * density * (log(x) - digamma(a))]


class _BetaSlope(FloatOp):
    """The derivative of ``betainc(a, b, x)`` by `a`, or by `b`."""

    __props__ = ("by_second",)
    nin = 3
    argument_names = ("a", "b", "x")

    def __init__(self, by_second: bool) -> None:
        self.by_second = by_second

    def ufunc(self, a: Any, b: Any, x: Any) -> Any:
        return beta_slope(a, b, x, self.by_second)

    def pullback(self, inputs: Sequence[Any], output: Any, g: Any) -> Sequence[Any]:
        return [None, None, None]


by_shape, by_first, by_second = _GammaSlope(), _BetaSlope(False), _BetaSlope(True)
