"""The elementwise ops, by the names of Aesara and by those of NumPy, and `Dot`."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from relgraph import scalar
from relgraph.graph.basic import Apply, Variable
from relgraph.graph.utils import LogicTerm
from relgraph.scalar.error_free import ScaledProduct
from relgraph.scalar.error_free import add_error as add_error_of_scalars
from relgraph.scalar.error_free import fma as fma_of_scalars
from relgraph.scalar.error_free import mul_error as mul_error_of_scalars
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
            return [second(x, g) * y, second(y, g) * x]
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

    def output_types(self, *input_types: TensorType) -> list[TensorType]:
        for which, t in zip(("first", "second"), input_types, strict=True):
            if t.ndim not in (1, 2):
                raise TypeError(
                    f"{self}: the {which} input is a {t} of {t.ndim} dimensions; 1 or 2 are wanted"
                )
        return super().output_types(*input_types)


def conjugated(x: Any) -> Any:
    """Return the complex conjugate of `x`; `x` itself if it is real."""
    return x.conj() if is_complex(x.type.dtype) else x


def _outer(x: Any, y: Any) -> Any:
    return x.dimshuffle(0, "x") * y.dimshuffle("x", 0)


_dot = Dot()


add = Elemwise(scalar.add)
sub = Elemwise(scalar.sub)
mul = Elemwise(scalar.mul)
true_div = Elemwise(scalar.true_div)
int_div = Elemwise(scalar.int_div)
mod = Elemwise(scalar.mod)
pow = Elemwise(scalar.pow)
neg = Elemwise(scalar.neg)
abs = Elemwise(scalar.abs)
sign = Elemwise(scalar.sign)
sqr = Elemwise(scalar.sqr)
sqrt = Elemwise(scalar.sqrt)
reciprocal = Elemwise(scalar.reciprocal)
maximum = Elemwise(scalar.maximum)
minimum = Elemwise(scalar.minimum)

exp = Elemwise(scalar.exp)
exp2 = Elemwise(scalar.exp2)
expm1 = Elemwise(scalar.expm1)
log = Elemwise(scalar.log)
log2 = Elemwise(scalar.log2)
log10 = Elemwise(scalar.log10)
log1p = Elemwise(scalar.log1p)
sin = Elemwise(scalar.sin)
cos = Elemwise(scalar.cos)
tan = Elemwise(scalar.tan)
arcsin = Elemwise(scalar.arcsin)
arccos = Elemwise(scalar.arccos)
arctan = Elemwise(scalar.arctan)
arctan2 = Elemwise(scalar.arctan2)
sinh = Elemwise(scalar.sinh)
cosh = Elemwise(scalar.cosh)
tanh = Elemwise(scalar.tanh)
arcsinh = Elemwise(scalar.arcsinh)
arccosh = Elemwise(scalar.arccosh)
arctanh = Elemwise(scalar.arctanh)

erf = Elemwise(scalar.erf)
erfc = Elemwise(scalar.erfc)
erfinv = Elemwise(scalar.erfinv)
sigmoid = Elemwise(scalar.sigmoid)
softplus = Elemwise(scalar.softplus)
log1mexp = Elemwise(scalar.log1mexp)
hypot = Elemwise(scalar.hypot)
length = Elemwise(scalar.length)
sqr_less_sqr = Elemwise(scalar.sqr_less_sqr)
cbrt = Elemwise(scalar.cbrt)
cosm1 = Elemwise(scalar.cosm1)
log1pmx = Elemwise(scalar.log1pmx)
log_determinant = Elemwise(scalar.log_determinant)
log_product = Elemwise(scalar.log_product)
log1p_sqr = Elemwise(scalar.log1p_sqr)
hypot1m1 = Elemwise(scalar.hypot1m1)
x_less_sin = Elemwise(scalar.x_less_sin)
tan_less_x = Elemwise(scalar.tan_less_x)
logaddexp = Elemwise(scalar.logaddexp)
gammaln = Elemwise(scalar.gammaln)
digamma = Elemwise(scalar.digamma)
polygamma = Elemwise(scalar.polygamma)

ceil = Elemwise(scalar.ceil)
floor = Elemwise(scalar.floor)
trunc = Elemwise(scalar.trunc)
round_half_to_even = Elemwise(scalar.round)

eq = Elemwise(scalar.eq)
neq = Elemwise(scalar.neq)
lt = Elemwise(scalar.lt)
le = Elemwise(scalar.le)
gt = Elemwise(scalar.gt)
ge = Elemwise(scalar.ge)
isnan = Elemwise(scalar.isnan)
isinf = Elemwise(scalar.isinf)
and_ = Elemwise(scalar.and_)
or_ = Elemwise(scalar.or_)
xor = Elemwise(scalar.xor)
invert = Elemwise(scalar.invert)

identity = Elemwise(scalar.identity)
second = Elemwise(scalar.second)
switch = Elemwise(scalar.switch)
clip = Elemwise(scalar.clip)
conj = Elemwise(scalar.conj)
real = Elemwise(scalar.real)
imag = Elemwise(scalar.imag)
angle = Elemwise(scalar.angle)

ELEMENTWISE: dict[str, Elemwise] = {
    name: Elemwise(op) for name, op in vars(scalar).items() if isinstance(op, scalar.ScalarOp)
}
"""These, and what a new record adds, by the names of their scalar ops."""

# NumPy's names for ops that have another name above.
subtract = sub
multiply = mul
divide = true_divide = true_div
floor_divide = int_div
remainder = mod
power = pow
negative = neg
absolute = abs
square = sqr
equal = eq
not_equal = neq
less = lt
less_equal = le
greater = gt
greater_equal = ge
bitwise_and = and_
bitwise_or = or_
bitwise_xor = xor
bitwise_not = invert
conjugate = conj
fill = second


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
    x = as_tensor_variable(x)
    if decimals == 0:
        return round_half_to_even(x)
    if decimals < 0:
        scale = 10**-decimals
        return cast(round_half_to_even(x / scale) * scale, x.type.dtype)
    scale = 10**decimals
    return x if is_discrete(x.type.dtype) else round_half_to_even(x * scale) / scale


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
    return switch(condition, x, y)


def as_bool(x: Any) -> Any:
    """Return where `x` is not zero, or `x` if it is of dtype bool."""
    x = as_tensor_variable(x)
    return x if not isinstance(x, LogicTerm) and x.type.dtype == "bool" else neq(x, 0)


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
    return and_(as_bool(x), as_bool(y))


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
    return or_(as_bool(x), as_bool(y))


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
    return xor(as_bool(x), as_bool(y))


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
    return invert(as_bool(x))


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
    return invert(or_(isnan(x), isinf(x)))


def isclose(a: Any, b: Any, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False) -> Any:
    """Return where `a` is close to `b`, as `numpy.isclose` does.

    Finite elements are close if ``|a - b| <= atol + rtol * |b|``; equal infinities are close; two
    nan are close if `equal_nan`.
    """
    a, b = as_tensor_variable(a), _inexact(b, a)
    near = le(abs(sub(a, b)), add(atol, mul(rtol, abs(b))))
    close = or_(and_(near, isfinite(b)), eq(a, b))
    return or_(close, and_(isnan(a), isnan(b))) if equal_nan else close


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
    return mul(as_floats(x, np.deg2rad), math.pi / 180)


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
    return mul(as_floats(x, np.rad2deg), 180 / math.pi)


fma = Elemwise(fma_of_scalars)
add_error = Elemwise(add_error_of_scalars)
mul_error = Elemwise(mul_error_of_scalars)


def scaled_product(factors: Sequence[Any], divisors: Sequence[Any] = ()) -> Any:
    """Return the product of some tensors divided by others, elementwise.

    Neither over- nor underflows on the way, other than the result itself.

    Parameters
    ----------
    factors, divisors
        Tensors of real numbers; one of them at least.
    """
    return Elemwise(ScaledProduct(len(factors), len(divisors)))(*factors, *divisors)


if not TYPE_CHECKING:
    # A type checker takes all names that are defined here.
    __all__ = sorted(
        [
            *[name for name, op in globals().items() if isinstance(op, Elemwise)],
            *("around", "cast", "deg2rad", "isclose", "isfinite", "logical_and", "logical_not"),
            *("logical_or", "logical_xor", "rad2deg", "round", "where"),
        ]
    )
