"""The parts of complex numbers: conj, real, imag, angle."""

from __future__ import annotations

from typing import Any

import numpy as np

from relgraph.scalar.dtypes import is_complex, is_discrete
from relgraph.scalar.op import FloatOp


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
    """The angle between a complex number and the positive real axis, in radians."""

    name = "angle"
    ufunc = staticmethod(np.angle)
    holomorphic = False

    def times_derivative(self, g: Any, x: Any, out: Any) -> Any:
        if is_discrete(x.type.dtype) or not is_complex(x.type.dtype):
            return x._ops.second(x, g * 0)
        return g * (x * 1j) / (real(x) ** 2 + imag(x) ** 2)


conj = Conj()
real = Real()
imag = Imag()
angle = Angle()
