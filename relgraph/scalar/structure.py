"""What chooses, repeats, converts, rounds and takes apart numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from relgraph.graph.utils import LogicTerm
from relgraph.scalar.dtypes import check_dtype, is_complex, is_discrete, result_dtype
from relgraph.scalar.op import FloatOp, ScalarOp, StepOp, zero
from relgraph.scalar.type import as_scalar


class Identity(FloatOp):
    """The number itself: of an array, a copy."""

    name = "identity"

    @staticmethod
    def ufunc(x: Any) -> Any:
        return np.array(x)

    def _ask_dtype(self, *dtypes: str) -> str:
        return dtypes[0]

    def times_derivative(self, g: Any, x: Any, out: Any) -> Any:
        return g


class Second(ScalarOp):
    """The second of two numbers: of two arrays, the second filled into the shape of both."""

    name = "second"
    nin = 2
    holomorphic = False
    unread = (0,)
    repeats = 1

    @staticmethod
    def ufunc(x: Any, y: Any) -> Any:
        # the order that other ufuncs give: sums of what is laid out otherwise round otherwise
        return np.array(np.broadcast_arrays(x, y)[1], order="C")

    def _ask_dtype(self, *dtypes: str) -> str:
        return dtypes[1]

    def pullback(self, inputs: Sequence[Any], output: Any, g: Any) -> Sequence[Any]:
        return [None, g]


class Switch(ScalarOp):
    """The second number where the first is true (not zero), else the third."""

    name = "switch"
    nin = 3
    ufunc = staticmethod(np.where)
    holomorphic = False
    weak_beside = (1, 2)

    def number_dtypes(self, inputs: Sequence[Any]) -> list[str | None]:
        if isinstance(inputs[0], bool):
            raise TypeError(
                f"{self.name}: the condition is {inputs[0]}, a plain bool, so nothing is chosen; "
                "if it was written x == y or x != y, write eq(x, y) or neq(x, y)"
            )
        return super().number_dtypes(inputs)

    def _ask_dtype(self, *dtypes: str) -> str:
        return result_dtype(*dtypes[1:])

    def pullback(self, inputs: Sequence[Any], output: Any, g: Any) -> Sequence[Any]:
        condition = inputs[0]
        return [zero(condition), self(condition, g, 0), self(condition, 0, g)]


class Clip(ScalarOp):
    """``clip(x, low, high)`` is ``minimum(maximum(x, low), high)``."""

    name = "clip"
    nin = 3
    holomorphic = False

    @staticmethod
    def ufunc(x: Any, low: Any, high: Any) -> Any:
        # Which of two zeros `numpy.clip` gives depends on whether its limits are arrays.
        dtype = np.result_type(x, low, high)
        return np.minimum(np.maximum(x, low, dtype=dtype), high, dtype=dtype)

    def _ask_dtype(self, *dtypes: str) -> str:
        return result_dtype(*dtypes)

    def pullback(self, inputs: Sequence[Any], output: Any, g: Any) -> Sequence[Any]:
        x, low, high = inputs
        switch, lt, gt, maximum = (getattr(x._ops, n) for n in ("switch", "lt", "gt", "maximum"))
        too_high = gt(maximum(x, low), high)
        too_low = lt(x, low)
        return [
            switch(too_high, 0, switch(too_low, 0, g)),
            switch(too_high, 0, switch(too_low, g, 0)),
            switch(too_high, g, 0),
        ]


class Cast(ScalarOp):
    """A number as one of another dtype.

    Parameters
    ----------
    dtype
        The dtype of the output.
    """

    __props__ = ("dtype",)
    converts = True
    holomorphic = False

    def __init__(self, dtype: Any) -> None:
        self.dtype = check_dtype(dtype)

    def __str__(self) -> str:
        return f"cast{{{self.dtype}}}"

    @property
    def name(self) -> str:  # type: ignore[override]
        return str(self)

    def ufunc(self, x: Any) -> Any:
        return np.asarray(x).astype(self.dtype)

    def _ask_dtype(self, *dtypes: str) -> str:
        if is_complex(dtypes[0]) and not is_complex(self.dtype):
            raise TypeError
        return self.dtype

    def _misfit(self, dtypes: Sequence[str]) -> str:
        return f"{self} of a {dtypes[0]} would drop the imaginary part; take `real` of it instead"

    def pullback(self, inputs: Sequence[Any], output: Any, g: Any) -> Sequence[Any]:
        return [g]


def cast(x: Any, dtype: Any) -> Any:
    """Return `x` as a number of dtype `dtype`: `x` itself if it is one.

    Raises
    ------
    TypeError
        If a complex number is to be a real one.
    """
    x = as_scalar(x)
    op = Cast(dtype)
    if isinstance(x, LogicTerm) or isinstance(op, LogicTerm):
        return op(x)
    return x if x.type.dtype == op.dtype else op(x)


class Ceil(StepOp):
    name = "ceil"
    ufunc = np.ceil


class Floor(StepOp):
    name = "floor"
    ufunc = np.floor


class Trunc(StepOp):
    """Rounding towards zero."""

    name = "trunc"
    ufunc = np.trunc


class Round(StepOp):
    """Rounding to the nearest integer, half to even."""

    name = "round"
    ufunc = staticmethod(np.round)


class Conj(FloatOp):
    name = "conj"
    ufunc = np.conjugate
    holomorphic = False

    def times_derivative(self, g: Any, x: Any, out: Any) -> Any:
        return conj(g) if is_complex(g.type.dtype) else g


class Real(FloatOp):
    name = "real"
    holomorphic = False

    @staticmethod
    def ufunc(x: Any) -> Any:
        return np.array(np.real(x))

    def times_derivative(self, g: Any, x: Any, out: Any) -> Any:
        return g


class Imag(FloatOp):
    name = "imag"
    holomorphic = False

    @staticmethod
    def ufunc(x: Any) -> Any:
        return np.array(np.imag(x))

    def times_derivative(self, g: Any, x: Any, out: Any) -> Any:
        return g * 1j


class Angle(FloatOp):
    """The angle of a complex number to the positive real axis, in radians."""

    name = "angle"
    ufunc = staticmethod(np.angle)
    holomorphic = False

    def times_derivative(self, g: Any, x: Any, out: Any) -> Any:
        if is_discrete(x.type.dtype) or not is_complex(x.type.dtype):
            return x._ops.second(x, g * 0)
        return g * (x * 1j) / (real(x) ** 2 + imag(x) ** 2)


identity = Identity()
second = Second()
switch = Switch()
clip = Clip()
ceil = Ceil()
floor = Floor()
trunc = Trunc()
round = Round()
conj = Conj()
real = Real()
imag = Imag()
angle = Angle()
