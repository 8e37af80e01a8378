"""Polynomials by their coefficients, the highest first, as NumPy has them."""

from __future__ import annotations

from typing import Any

import numpy as np

from relgraph.tensor.assembly.creation import arange, zeros
from relgraph.tensor.assembly.joining import join, stack
from relgraph.tensor.basic import as_argument
from relgraph.tensor.functions.parts import inexact, length
from relgraph.tensor.math import cast


def polyval(p: Any, x: Any) -> Any:
    """Return the values at `x` of the polynomial whose coefficients, the highest first, are `p`.

    Parameters
    ----------
    p
        A vector.
    x
        A tensor.

    >>> polyval([1, 2, 3], 2).eval()
    array(11)
    """
    p, x = as_argument(p, "polyval"), as_argument(x, "polyval", 1)
    n = _count(p, "polyval")
    found = zeros((), dtype=p.type.dtype) * x
    for i in range(n):
        found = found * x + p[i]
    return found


def _count(p: Any, what: str) -> int:
    if p.type.ndim != 1 or p.type.shape[0] is None:
        raise TypeError(f"{what}: {p} is a {p.type}, not a vector of known length")
    return int(p.type.shape[0])


def polyadd(a1: Any, a2: Any) -> Any:
    """Return the coefficients of the sum of two polynomials.

    Parameters
    ----------
    a1, a2
        Their coefficients, the highest first.

    >>> polyadd([1, 2], [3]).eval()
    array([1, 5])
    """
    longer, shorter = sorted(
        (as_argument(v, "polyadd", i) for i, v in enumerate((a1, a2))),
        key=lambda p: -_count(p, "polyadd"),
    )
    missing = _count(longer, "polyadd") - _count(shorter, "polyadd")
    return longer + join(0, zeros((missing,), dtype=shorter.type.dtype), shorter)


def polysub(a1: Any, a2: Any) -> Any:
    """Return the coefficients of the difference of two polynomials.

    Parameters
    ----------
    a1, a2
        Their coefficients, the highest first.

    >>> polysub([1, 2], [3]).eval()
    array([ 1, -1])
    """
    return polyadd(a1, -as_argument(a2, "polysub", 1))


def polyder(p: Any, m: int = 1) -> Any:
    """Return the coefficients of the `m`-th derivative of a polynomial.

    Parameters
    ----------
    p
        The coefficients, the highest first.
    m
        How often it is differentiated.

    >>> polyder([1, 2, 3]).eval()
    array([2, 2])
    """
    p = as_argument(p, "polyder")
    for _ in range(m):
        p = p[:-1] * arange(length(p, 0) - 1, 0, -1)
    return p


def polyint(p: Any, m: int = 1, k: Any = 0) -> Any:
    """Return the coefficients of the `m`-th integral of a polynomial, with constants `k`.

    Parameters
    ----------
    p
        The coefficients, the highest first.
    m
        How often it is integrated.
    k
        The constants, one for all or for each time.

    >>> polyint([2.0, 3.0]).eval()
    array([1., 3., 0.])
    """
    p = as_argument(p, "polyint")
    constants = [k] * m if np.ndim(k) == 0 else list(k)
    for constant in constants:
        shares = inexact(p) / arange(length(p, 0), 0, -1)
        p = join(0, shares, stack([cast(as_argument(constant, "polyint"), shares.type.dtype)]))
    return p


__all__ = ["polyadd", "polyder", "polyint", "polysub", "polyval"]
