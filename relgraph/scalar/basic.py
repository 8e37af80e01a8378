"""The arithmetic ops: add, mul, sub, division, powers, signs, extremes; and conversions: to another
dtype, to integers by rounding, and to the parts of complex numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from relgraph.graph.utils import LogicTerm, MethodNotDefined
from relgraph.scalar.op import (
    EVERYWHERE,
    INF,
    Facts,
    FloatOp,
    FoldOp,
    ScalarOp,
    StepOp,
    in_dtype_of,
    ops_of,
    zero_like,
)
from relgraph.scalar.type import (
    ScalarConstant,
    as_scalar,
    check_dtype,
    constant,
    is_complex,
    is_discrete,
)


class Add(FoldOp):
    """The sum of all inputs; of booleans, whether any is true."""

    reduction, accumulation = "sum", "cumsum"

    def pullback(self, inputs: Sequence[Any], output: Any, g: Any) -> Sequence[Any]:
        return [g] * len(inputs)


class Mul(FoldOp):
    """The product of all inputs; of booleans, whether all are true."""

    reduction, accumulation = "prod", "cumprod"
    ufunc = np.multiply
    # The imaginary part is a fused product and sum, of which only one product is rounded.
    rounds_by_order = frozenset(["complex64", "complex128"])

    def pullback(self, inputs: Sequence[Any], output: Any, g: Any) -> Sequence[Any]:
        if len(inputs) > 3:
            return self._pullback_of_many(inputs, output, g)
        return [
            self(g, *inputs[:i], *inputs[i + 1 :]) if len(inputs) > 1 else g
            for i in range(len(inputs))
        ]

    def _pullback_of_many(self, inputs: Sequence[Any], output: Any, g: Any) -> Sequence[Any]:
        """Return for each input the product of `g` and all other inputs, by 3 products an input.

        The products of the factors before each input, and of those after it, are shared. Division
        by the input would be shorter, but it may be 0.
        """
        factors = in_dtype_of(output, inputs)
        before = [g]
        for x in factors[:-1]:
            before.append(self(before[-1], x))
        after = [factors[-1]]
        for x in factors[-2:0:-1]:
            after.append(self(x, after[-1]))
        return [*[self(b, a) for b, a in zip(before, reversed(after), strict=False)], before[-1]]


class Sub(ScalarOp):
    """The difference ``x - y``; it is not defined for booleans."""

    cost = 1.0
    ufunc = np.subtract

    def pullback(self, inputs: Sequence[Any], output: Any, g: Any) -> Sequence[Any]:
        return [g, -g]


class TrueDiv(ScalarOp):
    """The quotient ``x / y``; for integers too the result is a float."""

    cost = 4.0
    ufunc = np.true_divide

    def pullback(self, inputs: Sequence[Any], output: Any, g: Any) -> Sequence[Any]:
        share = g / inputs[1]
        return [share, -(share * output)]


class IntDiv(StepOp):
    """The quotient ``x // y``, rounded towards minus infinity."""

    ufunc = np.floor_divide

    def formula(self, of: Any, x: Any, y: Any) -> Any:
        return of.floor(of.true_div(x, y))


class Mod(ScalarOp):
    """The remainder ``x - x // y * y`` of the division by `y`; it has the sign of `y`."""

    cost = 4.0
    holomorphic = False

    def formula(self, of: Any, x: Any, y: Any) -> Any:
        return x - y * of.int_div(x, y)

    def pullback(self, inputs: Sequence[Any], output: Any, g: Any) -> Sequence[Any]:
        x, y = inputs
        return [g, -(g * (x // y))]


# Of an exponent that is 1, NumPy's vector loops round what needs no rounding.
_SPECIAL_POWERS = ((1, np.positive), (2, np.square), (0.5, np.sqrt), (-1, np.reciprocal))


def base_beside(power: Any, x: Any) -> Any:
    """Return a base as the gradient reads it beside the power: in its dtype, since the logarithm of
    an int8 is a float16. A complex power is conjugated, and so is a real base: the conjugate of a
    negative number is on the other side of the cut."""
    (base,) = in_dtype_of(power, [x])
    crosses = is_complex(base.type.dtype) and not is_complex(x.type.dtype)
    return base._ops.conj(base) if crosses else base


class Pow(ScalarOp):
    """`x` to the power `y`; nan for a negative float and a `y` that is no integer.

    Of float32 and float64 numbers to 1, 2, 0.5 and -1 it is the number itself, the square, the root
    and the reciprocal.
    """

    cost = 40.0
    nin = 2
    constants_read_by_gradient = (1,)

    @staticmethod
    def ufunc(x: Any, y: Any) -> Any:
        # NumPy does so for an exponent that it repeats, but not for one that stands in an array.
        dtype = np.result_type(x, y)
        if dtype.kind != "f" or dtype == np.float16:
            return np.power(x, y)
        power = None
        for exponent, function in _SPECIAL_POWERS:
            chosen = np.equal(y, exponent)
            if chosen.size == 1 and chosen.all() and np.ndim(x) >= np.ndim(y):
                return function(x, dtype=dtype)
            if chosen.any():
                power = np.power(x, y) if power is None else power
                power = np.where(chosen, function(x, dtype=dtype), power)
        return np.power(x, y) if power is None else power

    def _resolve_dtype(self, *dtypes: str) -> str:
        return np.power.resolve_dtypes((*map(np.dtype, dtypes), None))[2].name

    def pullback(self, inputs: Sequence[Any], output: Any, g: Any) -> Sequence[Any]:
        x, y = base_beside(output, inputs[0]), inputs[1]
        switch, eq, log = x._ops.switch, x._ops.eq, x._ops.log
        # For y > 0 the derivative of 0**y with respect to y is 0, but 0 * log(0) is nan.
        by_y = g * switch(eq(x, 0), 0, output * log(x))
        if isinstance(y, ScalarConstant):
            return [self._gradient_of_base(x, y, g, output), by_y]
        # The derivative of x**0 with respect to x is 0, but 0 * 0**-1 is nan.
        return [g * switch(eq(y, 0), 0, y * x ** (y - 1)), by_y]

    def _gradient_of_base(self, x: Any, y: ScalarConstant, g: Any, output: Any) -> Any:
        """Return the gradient with respect to the base for a constant exponent."""
        power = y.data.item()
        if power == 0:
            return zero_like(x)
        if power == 1:
            return g
        if power == 2:
            return g * (2 * x)
        if power < 0:
            return g * (y * (output / x))
        return g * (y * x ** constant(power - 1, dtype=y.dtype))


class Neg(FloatOp):
    """The negative of `x`; it is not defined for booleans."""

    cost = 1.0
    facts = Facts(odd=True, decreasing=EVERYWHERE, zeros=(0,))
    ufunc = np.negative

    def times_derivative(self, g: Any, x: Any, out: Any) -> Any:
        return -g


class Abs(FloatOp):
    """The absolute value, which is real for complex numbers. Its gradient at 0 is 0."""

    cost = 1.0
    facts = Facts(even=True, increasing=(0, INF), range=(0, INF), zeros=(0,))
    holomorphic = False

    def times_derivative(self, g: Any, x: Any, out: Any) -> Any:
        return g * x._ops.sign(x)


class Sign(StepOp):
    """The sign: -1, 0 or 1; for a complex number, the number divided by its absolute value."""

    cost = 1.0
    c_name = "sgn"
    facts = Facts(odd=True, increasing=EVERYWHERE, range=(-1, 1), zeros=(0,))

    def pullback(self, inputs: Sequence[Any], output: Any, g: Any) -> Sequence[Any]:
        if is_complex(output.type.dtype):
            raise MethodNotDefined("sign has no gradient for complex numbers")
        return super().pullback(inputs, output, g)


class Sqr(FloatOp):
    """The square, ``x * x``."""

    cost = 1.0
    facts = Facts(
        even=True,
        increasing=(0, INF),
        range=(0, INF),
        zeros=(0,),
        inverse="sqrt",
        has_log_and_m1=True,
    )
    ufunc = np.square

    def formula(self, of: Any, x: Any) -> Any:
        return x * x

    def times_derivative(self, g: Any, x: Any, out: Any) -> Any:
        return g * (2 * x)


class Sqrt(FloatOp):
    """The square root that is not negative; nan for a negative real number."""

    cost = 4.0
    facts = Facts(increasing=(0, INF), domain=(0, INF), range=(0, INF), zeros=(0,))

    def times_derivative(self, g: Any, x: Any, out: Any) -> Any:
        return g * 0.5 / out


class Reciprocal(FloatOp):
    """One divided by `x`; for an integer the result is an integer, as in NumPy."""

    cost = 4.0
    facts = Facts(odd=True, zeros=(), inverse="reciprocal")

    def formula(self, of: Any, x: Any) -> Any:
        return of.true_div(1, x)

    def times_derivative(self, g: Any, x: Any, out: Any) -> Any:
        return -(g * out * out)


class _BaseExtreme(FoldOp):
    """Base class of `Maximum` and `Minimum`.

    Equal extreme inputs share the gradient in equal parts, so that it does not depend on their
    order. If the result is nan, all gradients are 0.
    """

    holomorphic = False

    def pullback(self, inputs: Sequence[Any], output: Any, g: Any) -> Sequence[Any]:
        ops = output._ops
        is_extreme = [ops.eq(x, output) for x in inputs]
        share = g / ops.add(*[flag.astype(g.type.dtype) for flag in is_extreme])
        return [ops.switch(flag, share, 0) for flag in is_extreme]


class Maximum(_BaseExtreme):
    """The largest input; nan if any input is nan."""

    reduction, accumulation = "max", "cummax"


class Minimum(_BaseExtreme):
    """The smallest input; nan if any input is nan."""

    reduction, accumulation = "min", "cummin"


add = Add()
mul = Mul()
sub = Sub()
true_div = TrueDiv()
int_div = IntDiv()
mod = Mod()
pow = Pow()
neg = Neg()
abs = Abs()
sign = Sign()
sqr = Sqr()
sqrt = Sqrt()
reciprocal = Reciprocal()
maximum = Maximum()
minimum = Minimum()


class Cast(ScalarOp):
    """Converts a number to another dtype.

    Parameters
    ----------
    dtype
        The dtype of the output.
    """

    cost = 1.0
    __props__ = ("dtype",)
    converts = True
    holomorphic = False

    def __init__(self, dtype: Any) -> None:
        self.dtype = check_dtype(dtype)

    @property
    def name(self) -> str:  # type: ignore[override]
        return f"cast{{{self.dtype}}}"

    def ufunc(self, x: Any) -> Any:
        return np.asarray(x).astype(self.dtype)

    def _resolve_dtype(self, *dtypes: str) -> str:
        if is_complex(dtypes[0]) and not is_complex(self.dtype):
            raise TypeError
        return self.dtype

    def _undefined_message(self, dtypes: Sequence[str]) -> str:
        return f"{self} of a {dtypes[0]} would drop the imaginary part; take `real` of it instead"

    def pullback(self, inputs: Sequence[Any], output: Any, g: Any) -> Sequence[Any]:
        return [g]


def cast(x: Any, dtype: Any) -> Any:
    """Return `x` converted to a dtype; `x` itself if it has that dtype.

    Raises
    ------
    TypeError
        If `x` is complex and `dtype` is real.
    """
    x = as_scalar(x)
    op = Cast(dtype)
    if isinstance(x, LogicTerm) or isinstance(op, LogicTerm):
        return op(x)
    return x if x.type.dtype == op.dtype else op(x)


class Ceil(StepOp):
    """The least integer that is not below `x`, in the dtype of `x`."""

    facts = Facts(increasing=EVERYWHERE, integral=True)


class Floor(StepOp):
    """The greatest integer that is not above `x`, in the dtype of `x`."""

    facts = Facts(increasing=EVERYWHERE, integral=True)


class Trunc(StepOp):
    """The integer nearest to `x` between 0 and `x`, in the dtype of `x`."""

    facts = Facts(odd=True, increasing=EVERYWHERE, integral=True)


class Round(StepOp):
    """The integer nearest to `x`, in the dtype of `x`; of two the even one."""

    facts = Facts(odd=True, increasing=EVERYWHERE, integral=True)
    ufunc = staticmethod(np.round)


class Conj(FloatOp):
    """The complex conjugate of `x`, which is `x` itself for a real number."""

    cost = 1.0
    holomorphic = False

    def times_derivative(self, g: Any, x: Any, out: Any) -> Any:
        return conj(g) if is_complex(g.type.dtype) else g


class Real(FloatOp):
    """The real part of `x`."""

    cost = 0.0
    holomorphic = False

    @staticmethod
    def ufunc(x: Any) -> Any:
        return np.array(np.real(x))

    def times_derivative(self, g: Any, x: Any, out: Any) -> Any:
        return g


class Imag(FloatOp):
    """The imaginary part of `x`, which is 0 for a real number."""

    cost = 0.0
    holomorphic = False

    @staticmethod
    def ufunc(x: Any) -> Any:
        return np.array(np.imag(x))

    def times_derivative(self, g: Any, x: Any, out: Any) -> Any:
        return g * 1j


class Angle(FloatOp):
    """The angle between a complex number and the positive real axis, in radians."""

    ufunc = staticmethod(np.angle)
    holomorphic = False

    def times_derivative(self, g: Any, x: Any, out: Any) -> Any:
        if is_discrete(x.type.dtype) or not is_complex(x.type.dtype):
            return x._ops.second(x, g * 0)
        return g * (x * 1j) / (real(x) ** 2 + imag(x) ** 2)


ceil = Ceil()
floor = Floor()
trunc = Trunc()
round = Round()
conj = Conj()
real = Real()
imag = Imag()
angle = Angle()

if not TYPE_CHECKING:
    # A type checker takes all names that are defined here.
    __all__ = ["Cast", "cast", *ops_of(globals())]
