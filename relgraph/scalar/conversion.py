"""Conversions: to another dtype, to integers by rounding, and to the parts of complex numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from relgraph.graph.utils import LogicTerm
from relgraph.scalar.facts import EVERYWHERE, Facts
from relgraph.scalar.op import FloatOp, ScalarOp, StepOp, ops_of
from relgraph.scalar.type import as_scalar, check_dtype, is_complex, is_discrete


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
