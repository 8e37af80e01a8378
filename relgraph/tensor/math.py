"""The elementwise ops, by the names of Aesara and by those of NumPy, and `Dot`."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from inspect import getattr_static
from typing import TYPE_CHECKING, Any

import numpy as np

from relgraph import scalar
from relgraph.graph.basic import Apply, Variable
from relgraph.graph.utils import LogicTerm
from relgraph.scalar import error_free
from relgraph.scalar.type import is_complex, is_discrete, number_kind, weak_dtype
from relgraph.tensor.basic import TensorOp, as_argument, as_tensor_variable, number
from relgraph.tensor.elemwise import Elemwise
from relgraph.tensor.fortran import product
from relgraph.tensor.memory import laid_out
from relgraph.tensor.type import TensorType

BLAS_DTYPES = ("float32", "float64", "complex64", "complex128")
"""The dtypes of which the BLAS has matrix products."""


def check_blas(op: Any, types: Sequence[TensorType], ranks: Sequence[int]) -> None:
    """Raise a TypeError unless the inputs of an op have some ranks, and one dtype of the BLAS."""
    for i, (t, ndim) in enumerate(zip(types, ranks, strict=True)):
        if t.ndim != ndim or t.dtype != types[0].dtype or t.dtype not in BLAS_DTYPES:
            raise TypeError(
                f"{op}: input {i} is a {t}; wanted is rank {ndim} and the dtype of all inputs, one "
                f"of {', '.join(BLAS_DTYPES)}"
            )


def check_one_shape(op: Any, x: Any, y: Any) -> None:
    """Raise a ValueError if two arrays have different shapes; it names the op."""
    if x.shape != y.shape:
        raise ValueError(f"{op}: the inputs have the shapes {x.shape} and {y.shape}")


class MatrixProduct(TensorOp):
    """Base class of products of two tensors that sum over one axis of each."""

    signature = "(m?,k),(k,n?)->(m?,n?)"

    def compute(self, node: Apply, *values: Any) -> Any:
        self.check(node, *values)
        return np.asarray(self.product(*values))

    def product(self, x: Any, y: Any) -> Any:
        """Return the product of two arrays, by the same way for each layout."""
        return product(laid_out(x), laid_out(y))

    def input_gradients(self, g: Any, out: Any, *inputs: Any) -> list[Any]:
        x, y = (conjugated(v) for v in inputs)
        ranks = (x.type.ndim, y.type.ndim)
        if ranks == (1, 1):
            # filled, since no other part of the gradient would see that the lengths differ
            return [_second(x, g) * y, _second(y, g) * x]
        if ranks == (2, 1):
            return [_outer(g, y), _dot(x.T, g)]
        if ranks == (1, 2):
            return [_dot(y, g), _outer(x, g)]
        return [_dot(g, y.T), _dot(x.T, g)]


class Dot(MatrixProduct):
    """The product of two inputs, each a vector or a matrix.

    It sums over the last axis of the first input and the first axis of the second one. The dtype is
    that of NumPy's promotion.
    """

    ranks = (1, 2)


def conjugated(x: Any) -> Any:
    """Return the complex conjugate of `x`; `x` itself if it is real."""
    return x.conj() if is_complex(x.type.dtype) else x


def _outer(x: Any, y: Any) -> Any:
    return x.dimshuffle(0, "x") * y.dimshuffle("x", 0)


_dot = Dot()
_second = Elemwise(scalar.second)


ELEMENTWISE: dict[str, Elemwise] = {
    name: Elemwise(op) for name, op in vars(scalar).items() if isinstance(op, scalar.ScalarOp)
}
"""Each scalar op on the elements of tensors, by its name."""


def _numpy_name(op: Elemwise) -> str | None:
    """Return the name of NumPy's ufunc that `op` is; None if that is no attribute of its class:
    SciPy is loaded when its functions are used."""
    ufunc = getattr_static(op.scalar_op, "ufunc", None)
    return ufunc.__name__ if isinstance(ufunc, np.ufunc) else None


NAMES: dict[str, Elemwise] = {
    **{name: op for op in ELEMENTWISE.values() if (name := _numpy_name(op)) is not None},
    **ELEMENTWISE,
    "bitwise_not": ELEMENTWISE["invert"],
    "fill": ELEMENTWISE["second"],
    "power": ELEMENTWISE["pow"],
    "round_half_to_even": ELEMENTWISE["round"],
    "true_divide": ELEMENTWISE["true_div"],
    "add_error": Elemwise(error_free.add_error),
    "fma": Elemwise(error_free.fma),
    "mul_error": Elemwise(error_free.mul_error),
}
"""The elementwise ops that this module has as attributes, also by the names of NumPy's ufuncs."""


def _op(name: str) -> Elemwise:
    if name not in NAMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return NAMES[name]


# a variable, as type checkers don't know what a function returns while modules import each other
__getattr__: Callable[[str], Elemwise] = _op


def cast(x: Any, dtype: Any) -> Any:
    """Return `x` as a tensor of `dtype`; `x` itself if it has that dtype.

    Raises
    ------
    TypeError
        If `x` is complex and `dtype` is real.
    """
    x = as_tensor_variable(x)
    op = scalar.Cast(dtype)
    if isinstance(x, Variable) and isinstance(op, scalar.Cast) and x.type.dtype == op.dtype:
        return x
    return Elemwise(op)(x)


def round(x: Any, decimals: int = 0) -> Any:
    """Return `x` rounded to some decimals; halves are rounded to even digits.

    Parameters
    ----------
    x
        A tensor.
    decimals
        How many digits stay behind the point; of a negative number, so many before it become 0.

    Examples
    --------
    >>> round([1.25, 2.36], 1).eval()
    array([1.2, 2.4])
    """
    x, to_even = as_tensor_variable(x), Elemwise(scalar.round)
    if decimals == 0:
        return to_even(x)
    if decimals < 0:
        scale = 10**-decimals
        return cast(to_even(x / scale) * scale, x.type.dtype)
    scale = 10**decimals
    return x if is_discrete(x.type.dtype) else to_even(x * scale) / scale


around = round


def where(condition: Any, x: Any, y: Any) -> Any:
    """Return the elements of `x` where `condition` is not zero, and those of `y` elsewhere.

    Parameters
    ----------
    condition, x, y
        Tensors whose shapes broadcast.

    Examples
    --------
    >>> where([True, False], [1, 2], [3, 4]).eval()
    array([1, 4])
    """
    return Elemwise(scalar.switch)(condition, x, y)


def as_bool(x: Any) -> Any:
    """Return where `x` is not zero, or `x` if it is of dtype bool."""
    x = as_tensor_variable(x)
    is_bool = not isinstance(x, LogicTerm) and x.type.dtype == "bool"
    return x if is_bool else Elemwise(scalar.neq)(x, 0)


def logical_and(x: Any, y: Any) -> Any:
    """Return where both `x` and `y` are not zero, as bool.

    Parameters
    ----------
    x, y
        Tensors whose shapes broadcast.

    Examples
    --------
    >>> logical_and([0, 2], [1, 1]).eval()
    array([False,  True])
    """
    return as_bool(x) & as_bool(y)


def logical_or(x: Any, y: Any) -> Any:
    """Return where `x` or `y` is not zero, as bool.

    Parameters
    ----------
    x, y
        Tensors whose shapes broadcast.

    Examples
    --------
    >>> logical_or([0, 2], [0, 1]).eval()
    array([False,  True])
    """
    return as_bool(x) | as_bool(y)


def logical_xor(x: Any, y: Any) -> Any:
    """Return where exactly one of `x` and `y` is not zero, as bool.

    Parameters
    ----------
    x, y
        Tensors whose shapes broadcast.

    Examples
    --------
    >>> logical_xor([0, 2], [1, 1]).eval()
    array([ True, False])
    """
    return as_bool(x) ^ as_bool(y)


def logical_not(x: Any) -> Any:
    """Return where `x` is zero, as bool.

    Parameters
    ----------
    x
        A tensor.

    Examples
    --------
    >>> logical_not([0, 2]).eval()
    array([ True, False])
    """
    return ~as_bool(x)


def isfinite(x: Any) -> Any:
    """Return where `x` is neither nan nor infinite, as bool.

    Parameters
    ----------
    x
        A tensor.

    Examples
    --------
    >>> isfinite([1.0, float('inf')]).eval()
    array([ True, False])
    """
    x = as_tensor_variable(x)
    return ~(Elemwise(scalar.isnan)(x) | Elemwise(scalar.isinf)(x))


def isclose(a: Any, b: Any, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False) -> Any:
    """Return where `a` is close to `b`, as `numpy.isclose` does.

    Finite elements are close if ``|a - b| <= atol + rtol * |b|``; equal infinities are close; two
    nan are close if `equal_nan`.
    """
    a, b = as_tensor_variable(a), _inexact(b, a)
    near = abs(a - b) <= atol + rtol * abs(b)
    close = near & isfinite(b) | Elemwise(scalar.eq)(a, b)
    isnan = Elemwise(scalar.isnan)
    return close | (isnan(a) & isnan(b)) if equal_nan else close


def _inexact(b: Any, a: Any) -> Any:
    """Return `b` as a tensor of floats (or complex numbers), whose differences do not wrap around.

    A Python number takes the dtype that it has beside `a`.
    """
    kind = number_kind(b)
    if kind is not None and not isinstance(a, LogicTerm):
        return number(b, weak_dtype(complex if kind is complex else float, (a.type.dtype,)), 0)
    b = as_tensor_variable(b)
    return b if isinstance(b, LogicTerm) else inexact(b)


def inexact(x: Any) -> Any:
    """Return `x`, integers and booleans as float64."""
    return cast(x, "float64") if is_discrete(x.type.dtype) else x


def as_floats(x: Any, ufunc: np.ufunc) -> Any:
    """Return the argument of a ufunc, integers and booleans in the dtype that it gives."""
    x = as_argument(x, ufunc.__name__)
    if isinstance(x, LogicTerm) or not is_discrete(x.type.dtype):
        return x
    outputs = [None] * ufunc.nout
    return cast(x, ufunc.resolve_dtypes((x.type.numpy_dtype, *outputs))[-1].name)


def deg2rad(x: Any) -> Any:
    """Convert degrees to radians.

    Parameters
    ----------
    x
        Angles in degrees.

    Examples
    --------
    >>> deg2rad([180.0]).eval()
    array([3.14159265])
    """
    return as_floats(x, np.deg2rad) * (math.pi / 180)


def rad2deg(x: Any) -> Any:
    """Convert radians to degrees.

    Parameters
    ----------
    x
        Angles in radians.

    Examples
    --------
    >>> rad2deg([3.141592653589793]).eval()
    array([180.])
    """
    return as_floats(x, np.rad2deg) * (180 / math.pi)


def scaled_product(factors: Sequence[Any], divisors: Sequence[Any] = ()) -> Any:
    """Return the product of some tensors divided by others, elementwise.

    Neither over- nor underflows on the way, other than the result itself.

    Parameters
    ----------
    factors, divisors
        Tensors of real numbers; one of them at least.
    """
    return Elemwise(error_free.ScaledProduct(len(factors), len(divisors)))(*factors, *divisors)


if not TYPE_CHECKING:
    # A type checker takes all names that are defined here.
    __all__ = sorted(
        [
            *(name for name in NAMES if name != "round"),
            *("around", "cast", "deg2rad", "isclose", "isfinite", "logical_and", "logical_not"),
            *("logical_or", "logical_xor", "rad2deg", "round", "where"),
        ]
    )
