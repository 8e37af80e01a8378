"""NumPy's elementwise functions that are seldom used."""

from __future__ import annotations

from typing import Any

import numpy as np

import relgraph.tensor as at
from relgraph.scalar.named import NumpyOp, PartOp
from relgraph.scalar.type import is_complex, is_discrete
from relgraph.tensor.basic import Tensor
from relgraph.tensor.elemwise import Elemwise
from relgraph.tensor.math import as_floats
from relgraph.tensor.special import FUNCTIONS as SPECIAL

UFUNCS = {name: Elemwise(NumpyOp(name)) for name in NumpyOp.slopes}
globals().update(UFUNCS)

_BESSEL = SPECIAL["i0"]
_FRACTION, _EXPONENT = Elemwise(PartOp("frexp.0")), Elemwise(PartOp("frexp.1"))


def divmod(x1: Any, x2: Any) -> tuple[Any, Any]:
    """Return quotients rounded downwards, and remainders.

    Parameters
    ----------
    x1, x2
        Tensors whose shapes broadcast; the second is the divisor.
    """
    return at.int_div(x1, x2), at.mod(x1, x2)


def modf(x: Any) -> tuple[Any, Any]:
    """Return the parts behind the point and before it, both with the sign of `x`.

    Parameters
    ----------
    x
        A tensor of floats or integers.
    """
    x = as_floats(x, np.modf)
    whole = at.trunc(x)
    copysign = UFUNCS["copysign"]
    return copysign(at.switch(at.isinf(x), np.zeros((), x.type.dtype), x - whole), x), whole


def rint(x: Any) -> Any:
    """Return the nearest whole numbers, as floats; halves are rounded to even ones.

    Parameters
    ----------
    x
        A tensor.
    """
    return at.round_half_to_even(as_floats(x, np.rint))


def frexp(x: Any) -> tuple[Any, Any]:
    """Return a fraction from 0.5 to 1, with the sign of `x`, and the power of 2 it is times.

    Parameters
    ----------
    x
        A tensor of floats or integers.
    """
    return _FRACTION(x), _EXPONENT(x)


def i0(x: Tensor) -> Any:
    """Return the modified Bessel function of the first kind and order 0.

    Of integers and booleans it is a float64, whatever loops SciPy has for them.

    Parameters
    ----------
    x
        A tensor.

    Examples
    --------
    >>> i0([0.0, 1.0]).eval()
    array([1.        , 1.26606588])
    """
    return _BESSEL(at.cast(x, "float64") if is_discrete(x.type.dtype) else x)


def iscomplex(x: Tensor) -> Any:
    """Return where the imaginary part is not zero.

    Parameters
    ----------
    x
        A tensor.

    Examples
    --------
    >>> iscomplex([1 + 2j, 3]).eval()
    array([ True, False])
    """
    return ~isreal(x)


def isreal(x: Tensor) -> Any:
    """Return where the imaginary part is zero.

    Parameters
    ----------
    x
        A tensor.

    Examples
    --------
    >>> isreal([1 + 2j, 3]).eval()
    array([False,  True])
    """
    return at.eq(at.imag(x), 0) if is_complex(x.type.dtype) else at.fill(x, np.asarray(True))


def iscomplexobj(x: Tensor) -> bool:
    """Return whether the dtype is complex.

    Parameters
    ----------
    x
        A tensor.
    """
    return is_complex(x.type.dtype)


def isrealobj(x: Tensor) -> bool:
    """Return whether the dtype is not complex.

    Parameters
    ----------
    x
        A tensor.
    """
    return not iscomplexobj(x)


def isposinf(x: Tensor) -> Any:
    """Return where `x` is plus infinity.

    Parameters
    ----------
    x
        A tensor.

    Examples
    --------
    >>> isposinf([1.0, float('inf')]).eval()
    array([False,  True])
    """
    return at.eq(x, np.inf)


def isneginf(x: Tensor) -> Any:
    """Return where `x` is minus infinity.

    Parameters
    ----------
    x
        A tensor.

    Examples
    --------
    >>> isneginf([1.0, -float('inf')]).eval()
    array([False,  True])
    """
    return at.eq(x, -np.inf)


def allclose(
    a: Any, b: Any, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False
) -> Any:
    """Return whether all elements are close; see `isclose`.

    Parameters
    ----------
    a, b
        Tensors whose shapes broadcast.
    rtol, atol, equal_nan
        As in `isclose`.

    Examples
    --------
    >>> allclose([1.0, 2.0], [1.0, 2.0 + 1e-9]).eval()
    array(True)
    """
    return at.all(at.isclose(a, b, rtol, atol, equal_nan))


def array_equal(a1: Tensor, a2: Tensor, equal_nan: bool = False) -> Any:
    """Return whether two tensors of one shape are equal; False if their ranks differ.

    Parameters
    ----------
    a1, a2
        Tensors.
    equal_nan
        Whether two nan are equal.

    Examples
    --------
    >>> array_equal([1, 2], [1, 3]).eval()
    array(False)
    """
    if a1.type.ndim != a2.type.ndim or any(
        None not in (n, m) and n != m for n, m in zip(a1.type.shape, a2.type.shape, strict=True)
    ):
        return at.constant(np.asarray(False))
    same = at.eq(a1, a2)
    return at.all(same | (at.isnan(a1) & at.isnan(a2)) if equal_nan else same)


def array_equiv(a1: Any, a2: Any) -> Any:
    """Return whether two tensors that broadcast together are equal.

    Parameters
    ----------
    a1, a2
        Tensors.

    Examples
    --------
    >>> array_equiv([1, 1], 1).eval()
    array(True)
    """
    return at.all(at.eq(a1, a2))


def astype(x: Any, dtype: Any) -> Any:
    """Return `x` in another dtype.

    Parameters
    ----------
    x
        A tensor.
    dtype
        The dtype of the result.

    Examples
    --------
    >>> astype([1, 2], 'float32').eval()
    array([1., 2.], dtype=float32)
    """
    return at.cast(x, dtype)


def fix(x: Any) -> Any:
    """Return `x` rounded towards zero.

    Parameters
    ----------
    x
        A tensor.

    Examples
    --------
    >>> fix([-1.5, 2.5]).eval()
    array([-1.,  2.])
    """
    return at.trunc(x)
