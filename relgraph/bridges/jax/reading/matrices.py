"""Primitives of linear algebra and of Fourier transforms."""

from __future__ import annotations

from typing import Any

from relgraph.bridges.jax.reading.equation import Equation, Reader, insist
from relgraph.tensor import linalg
from relgraph.tensor.fft import fft, ifft
from relgraph.tensor.linalg import cholesky, eigh, qr, solve_triangular, svd, svdvals


def _triangular_solve(equation: Equation) -> Any:
    a, b = equation.inputs
    left, lower, transpose = (equation[k] for k in ("left_side", "lower", "transpose_a"))
    conjugate = equation["conjugate_a"] and transpose
    insist(bool(conjugate) is bool(equation["conjugate_a"]) and (left or not conjugate))
    unit = bool(equation["unit_diagonal"])
    if left:
        how = "C" if conjugate else "T" if transpose else "N"
        return solve_triangular(a, b, how, bool(lower), unit)
    # x op(a) = b is op(a)' x' = b'
    turned = solve_triangular(a, b.mT, "N" if transpose else "T", bool(lower), unit)
    return turned.mT


def _qr(equation: Equation) -> Any:
    insist(not equation.parameters.get("pivoting"))
    return list(qr(equation.inputs[0], "complete" if equation["full_matrices"] else "reduced"))


def _eigh(equation: Equation) -> Any:
    insist(equation["sort_eigenvalues"] and equation["subset_by_index"] is None)
    values, vectors = eigh(equation.inputs[0], "L" if equation["lower"] else "U")
    return [vectors, values]


def _svd(equation: Equation) -> Any:
    insist(equation["subset_by_index"] is None)
    (a,) = equation.inputs
    if not equation["compute_uv"]:
        return [svdvals(a)]
    u, s, vh = svd(a, bool(equation["full_matrices"]))
    return [s, u, vh]


def _fft(equation: Equation) -> Any:
    (x,) = equation.inputs
    kind = str(getattr(equation["fft_type"], "name", equation["fft_type"])).upper()
    kind = kind.rpartition(".")[2]
    insist(kind in ("FFT", "IFFT") and len(equation["fft_lengths"]) == 1)
    insist(equation["fft_lengths"][0] == x.type.shape[-1])
    found = (fft if kind == "FFT" else ifft)(x)
    insist(found.type.dtype == x.type.dtype)
    return found


def det(equation: Equation) -> Any:
    """Return the determinants of matrices."""
    return [linalg.det(equation.inputs[0])]


def slogdet(equation: Equation) -> Any:
    """Return the signs of determinants, and the logarithms of their sizes."""
    return list(linalg.slogdet(equation.inputs[0]))


def inv(equation: Equation) -> Any:
    """Return the inverses of matrices."""
    return [linalg.inv(equation.inputs[0])]


def solve(equation: Equation) -> Any:
    """Return solutions of linear equations."""
    a, b = equation.inputs
    insist(a.type.dtype == b.type.dtype and (b.type.ndim == 1 or b.type.ndim == a.type.ndim))
    insist(b.type.ndim > 1 or a.type.ndim == 2)
    return [linalg.solve(a, b)]


READERS: dict[str, Reader] = {
    "cholesky": lambda eq: cholesky(eq.inputs[0]),
    "eigh": _eigh,
    "fft": _fft,
    "qr": _qr,
    "svd": _svd,
    "triangular_solve": _triangular_solve,
}
