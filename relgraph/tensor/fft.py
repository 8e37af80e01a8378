"""Fourier transforms, with the names of `numpy.fft`.

One op does the complex ones along one axis; all others are made of it.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import relgraph.tensor as at
from relgraph.graph.basic import Apply
from relgraph.graph.utils import lifted
from relgraph.introspection import public_functions
from relgraph.scalar.type import is_complex
from relgraph.tensor.along_axes import OneAxis, along, length, of_rank, part
from relgraph.tensor.basic import as_argument, normalize_axis
from relgraph.tensor.linalg.matrix_op import COMPLEX_OF, REAL_OF
from relgraph.tensor.memory import in_order
from relgraph.tensor.shapes import lengths


def _complex_dtype(dtype: str) -> str:
    if is_complex(dtype):
        return dtype
    return COMPLEX_OF["float32" if dtype in ("float16", "float32") else "float64"]


class DFT(OneAxis):
    """The discrete Fourier transform along an axis, or its inverse.

    Parameters
    ----------
    axis
        The axis, counted from the front.
    inverse
        Whether it is the inverse.
    norm
        Which of the two is divided by the number of points: that is the inverse for ``backward``,
        the other for ``forward``, and both by the root of it for ``ortho``.
    """

    __props__ = ("axis", "inverse", "norm")

    def __init__(self, axis: int, inverse: bool = False, norm: str = "backward") -> None:
        super().__init__(axis)
        self.inverse = inverse
        self.name = "idft" if inverse else "dft"
        self.norm = _known(norm)

    def __str__(self) -> str:
        return f"{self.name}{{axis={self.axis}, norm={self.norm}}}"

    def output_dtypes(self, *dtypes: str) -> list[str]:
        return [_complex_dtype(dtypes[0])]

    def check(self, node: Apply, *values: Any) -> None:
        if values[0].shape[self.axis] == 0:
            raise ValueError(f"{self}: {node.inputs[0]} has no elements along axis {self.axis}")

    def compute(self, node: Apply, x: Any) -> Any:
        # of real numbers NumPy computes half
        self.check(node, x)
        found = self.array_formula(np, in_order(x))
        return found.astype(node.outputs[0].type.dtype, copy=False)

    def array_formula(self, xp: Any, x: Any) -> Any:
        function = xp.fft.ifft if self.inverse else xp.fft.fft
        return function(x, axis=self.axis, norm=self.norm)

    def factor(self, count: int) -> float:
        """Return what the sums over `count` points are multiplied by."""
        if self.norm == "ortho":
            return 1 / math.sqrt(count)
        return 1 / count if self.inverse == (self.norm == "backward") else 1.0

    def input_gradients(self, g: Any, out: Any, x: Any) -> list[Any]:
        """Return the gradient: the conjugate transform, with the same factor."""
        return [DFT(self.axis, not self.inverse, _OPPOSITE[self.norm])(g)]


_OPPOSITE = {"backward": "forward", "forward": "backward", "ortho": "ortho"}


def _known(norm: str | None) -> str:
    kind = "backward" if norm is None else norm
    if kind not in _OPPOSITE:
        raise ValueError(f"fft: the norm is one of {', '.join(_OPPOSITE)}, not {norm!r}")
    return kind


def _transform(a: Any, n: Any, axis: int, norm: str | None, inverse: bool, what: str) -> Any:
    a, axis = along(a, axis, what)
    return DFT(axis, inverse, _known(norm))(_of_length(a, n, axis))


def _of_length(a: Any, n: Any, axis: int) -> Any:
    """Return `a` cut, or continued by zeros, to a length along an axis."""
    if n is None:
        return a
    if n < 1:
        raise ValueError(f"fft: {n} is no number of points")
    own = length(a, axis)
    if not isinstance(own, int) or own < n:
        shape = list(lengths(a))
        shape[axis] = n
        a = at.join(axis, a, at.zeros(tuple(shape), dtype=a.type.dtype))
    return a if isinstance(own, int) and own == n else part(a, axis, slice(None, n))


def fft(a: Any, n: int | None = None, axis: int = -1, norm: str | None = None) -> Any:
    """Return the discrete Fourier transform of `a` along an axis.

    Parameters
    ----------
    n
        The number of points: `a` is cut or continued by zeros.
    norm
        ``backward``, ``ortho`` or ``forward``: which transform is divided by the number of points.
    """
    return _transform(a, n, axis, norm, False, "fft")


def ifft(a: Any, n: int | None = None, axis: int = -1, norm: str | None = None) -> Any:
    """Return the inverse of `fft`.

    Parameters
    ----------
    a, n, axis, norm
        As those of `fft`.
    """
    return _transform(a, n, axis, norm, True, "ifft")


def rfft(a: Any, n: int | None = None, axis: int = -1, norm: str | None = None) -> Any:
    """Return the first half of the transform of real numbers, the rest of which mirrors it.

    Parameters
    ----------
    a, n, axis, norm
        As those of `fft`; `a` is real.
    """
    a, axis = along(a, axis, "rfft")
    if is_complex(a.type.dtype):
        raise TypeError(f"rfft: the input is a {a.type}, not real")
    found = fft(a, n, axis, norm)
    return part(found, axis, slice(None, length(found, axis) // 2 + 1))


def irfft(a: Any, n: Any = None, axis: int = -1, norm: str | None = None) -> Any:
    """Return the real numbers whose `rfft` is `a`; of an odd number of points `n` must be given.

    Parameters
    ----------
    a, n, axis, norm
        As those of `fft`; `n` is the number of points of the result.
    """
    a, axis = along(a, axis, "irfft")
    a = at.cast(a, _complex_dtype(a.type.dtype))
    points = 2 * (length(a, axis) - 1) if n is None else n
    half = points // 2 + 1
    a = part(a, axis, slice(None, half)) if n is None else _of_length(a, half, axis)
    place = of_rank(at.arange(half), a.type.ndim, axis)
    # the numbers at 0 and in the middle occur once, the others twice
    single = at.switch(place * (place * 2 - points), 2, 1)
    dtype = REAL_OF[a.type.dtype]
    weighted = a * at.cast(single, dtype)
    spread = _of_length(weighted, n, axis) if n is not None else _to(weighted, points, axis)
    return at.real(DFT(axis, True, _known(norm))(spread))


def _to(a: Any, n: Any, axis: int) -> Any:
    shape = list(lengths(a))
    shape[axis] = n - shape[axis]
    return at.join(axis, a, at.zeros(tuple(shape), dtype=a.type.dtype))


def hfft(a: Any, n: Any = None, axis: int = -1, norm: str | None = None) -> Any:
    """Return the transform, which is real, of a signal whose second half mirrors the first.

    Parameters
    ----------
    a, n, axis, norm
        As those of `fft`; by default `n` is even.
    """
    return irfft(at.conj(as_argument(a, "hfft")), n, axis, _OPPOSITE[_known(norm)])


def ihfft(a: Any, n: int | None = None, axis: int = -1, norm: str | None = None) -> Any:
    """Return the inverse of `hfft`.

    Parameters
    ----------
    a, n, axis, norm
        As those of `fft`; `a` is real.
    """
    return at.conj(rfft(a, n, axis, _OPPOSITE[_known(norm)]))


def _with_axes(a: Any, s: Any, axes: Any, what: str) -> tuple[Any, list[int]]:
    """Return a signal as a tensor, and the axes along which it is transformed."""
    a = as_argument(a, what)
    if axes is None:
        axes = range(a.type.ndim) if s is None else range(-len(s), 0)
    return a, list(axes)


def _along_each(one: Any, a: Any, s: Any, axes: Any, norm: str | None) -> Any:
    a, axes = _with_axes(a, s, axes, "fftn")
    points = [None] * len(axes) if s is None else list(s)
    for axis, n in reversed(list(zip(axes, points, strict=True))):
        a = one(a, n, axis, norm)
    return a


def fftn(a: Any, s: Any = None, axes: Any = None, norm: str | None = None) -> Any:
    """Return the transform along several axes, by default all; `s` has their numbers of points.

    Parameters
    ----------
    a
        The signal.
    s
        The number of points for each axis; by default the lengths of `a`.
    axes
        The axes.
    norm
        As in `fft`.
    """
    return _along_each(fft, a, s, axes, norm)


def ifftn(a: Any, s: Any = None, axes: Any = None, norm: str | None = None) -> Any:
    """Return the inverse of `fftn`.

    Parameters
    ----------
    a, s, axes, norm
        As those of `fftn`.
    """
    return _along_each(ifft, a, s, axes, norm)


def fft2(a: Any, s: Any = None, axes: Any = (-2, -1), norm: str | None = None) -> Any:
    """Return the transform along two axes.

    Parameters
    ----------
    a, s, axes, norm
        As those of `fftn`.
    """
    return fftn(a, s, axes, norm)


def ifft2(a: Any, s: Any = None, axes: Any = (-2, -1), norm: str | None = None) -> Any:
    """Return the inverse of `fft2`.

    Parameters
    ----------
    a, s, axes, norm
        As those of `fftn`.
    """
    return ifftn(a, s, axes, norm)


def rfftn(a: Any, s: Any = None, axes: Any = None, norm: str | None = None) -> Any:
    """Return the transform of real numbers along several axes, the last one halved as in `rfft`.

    Parameters
    ----------
    a, s, axes, norm
        As those of `fftn`; `a` is real.
    """
    a, (*others, last) = _with_axes(a, s, axes, "rfftn")
    a = rfft(a, None if s is None else s[-1], last, norm)
    return fftn(a, None if s is None else s[:-1], others, norm)


def irfftn(a: Any, s: Any = None, axes: Any = None, norm: str | None = None) -> Any:
    """Return the inverse of `rfftn`.

    Parameters
    ----------
    a, s, axes, norm
        As those of `fftn`; `s` has the lengths of the result.
    """
    a, (*others, last) = _with_axes(a, s, axes, "irfftn")
    a = ifftn(a, None if s is None else s[:-1], others, norm)
    return irfft(a, None if s is None else s[-1], last, norm)


def rfft2(a: Any, s: Any = None, axes: Any = (-2, -1), norm: str | None = None) -> Any:
    """Return the transform of real numbers along two axes, the last one halved.

    Parameters
    ----------
    a, s, axes, norm
        As those of `rfftn`.
    """
    return rfftn(a, s, axes, norm)


def irfft2(a: Any, s: Any = None, axes: Any = (-2, -1), norm: str | None = None) -> Any:
    """Return the inverse of `rfft2`.

    Parameters
    ----------
    a, s, axes, norm
        As those of `irfftn`.
    """
    return irfftn(a, s, axes, norm)


def fftshift(x: Any, axes: Any = None) -> Any:
    """Return a spectrum with the frequency zero moved to the middle.

    Parameters
    ----------
    x
        The spectrum.
    axes
        One axis or several; None for all.

    Examples
    --------
    >>> fftshift([0, 1, -1]).eval()
    array([-1,  0,  1])
    """
    return _shifted(x, axes, 1)


def ifftshift(x: Any, axes: Any = None) -> Any:
    """Return what `fftshift` moved moved back.

    Parameters
    ----------
    x
        The spectrum.
    axes
        One axis or several; None for all.

    Examples
    --------
    >>> ifftshift([-1, 0, 1]).eval()
    array([ 0,  1, -1])
    """
    return _shifted(x, axes, -1)


def _shifted(x: Any, axes: Any, sign: int) -> Any:
    x = as_argument(x, "fftshift")
    axes = (
        range(x.type.ndim) if axes is None else axes if isinstance(axes, tuple | list) else [axes]
    )
    for axis in axes:
        axis = normalize_axis(axis, x.type.ndim, "fftshift")
        half = length(x, axis) // 2
        x = at.roll(x, half if sign > 0 else -half, axis)
    return x


__all__ = public_functions(globals())

# Laws are written with all of them.
globals().update({name: lifted(globals()[name], __name__) for name in __all__})


def __dir__() -> list[str]:
    return list(__all__)
