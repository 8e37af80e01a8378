"""Functions that are computed faster than NumPy has them, where bits may differ by rounding.

Each is a function of arrays, which `tracing` takes apart. Some functions of float64 are loops of
NumPy that compute one number after another; written as arithmetic they are computed eight at a
time. Sine and cosine: after a reduction to [-pi/4, pi/4] by pi/2 in three parts (Cody and Waite
1980), with the polynomials of fdlibm (Ng 1993).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from relgraph.vm.tier.numpy_loops import Loop
from relgraph.vm.tier.scalar_code import Code

LARGEST = 1e4
"""Beyond it the reduction is not exact."""
# pi/2: the first two parts have 33 bits, so that their products with a number up to 2**20 are exact
_HALF_PI = (1.57079632673412561417, 6.07710050630396597660e-11, 2.02226624879595063154e-21)
_SINE = (
    *(1.58969099521155010221e-10, -2.50507602534068634195e-08, 2.75573137070700676789e-06),
    *(-1.98412698298579493134e-04, 8.33333333332248946124e-03, -1.66666666666666324348e-01),
)
_COSINE = (
    *(-1.13596475577881948265e-11, 2.08757232129817482790e-09, -2.75573143513906633035e-07),
    *(2.48015872894767294178e-05, -1.38888888888741095749e-03, 4.16666666666666019037e-02),
)


def _polynomial(coefficients: Sequence[float], z: Any) -> Any:
    total: Any = coefficients[0]
    for c in coefficients[1:]:
        total = total * z + c
    return total


def _reduced(x: Any) -> tuple[Any, Any, Any, Any]:
    """Return the sine and cosine of what is left of `x`, and two bits of its quadrant."""
    k = np.floor(x * (2 / np.pi) + 0.5)
    r = x
    for part in _HALF_PI:
        r = r - k * part
    z = r * r
    sine = np.where(r == 0.0, r, r + z * r * _polynomial(_SINE, z))
    half = z * 0.5
    rest = 1.0 - half
    cosine = rest + (((1.0 - rest) - half) + z * z * _polynomial(_COSINE, z))
    pairs = np.floor(k * 0.5)
    odd = k * 0.5 != pairs
    upper = pairs * 0.5 != np.floor(pairs * 0.5)
    return sine, cosine, odd, upper


def _sin(x: Any) -> Any:
    sine, cosine, odd, upper = _reduced(x)
    found = np.where(odd, cosine, sine)
    return np.where(upper, -found, found)


def _cos(x: Any) -> Any:
    sine, cosine, odd, upper = _reduced(x)
    found = np.where(odd, sine, cosine)
    return np.where(odd ^ upper, -found, found)


def _is_large(x: Any) -> Any:
    return np.abs(x) > LARGEST


def _hypot(x: Any, y: Any) -> Any:
    return np.sqrt(x * x + y * y)


def _may_overflow(x: Any, y: Any) -> Any:
    square = x * x + y * y
    usual = (square > 1e-280) & (square < 1e280)
    return ~(usual | ((x == 0.0) & (y == 0.0)))


def power(exponent: int) -> Callable[..., Any]:
    """Return a positive power of a number as products: a function of it and the exponent."""

    def formula(x: Any, _: Any) -> Any:
        found, square, left = None, x, exponent
        while left:
            if left % 2:
                found = square if found is None else found * square
            left //= 2
            square = square * square if left else square
        return found

    return formula


MOST_FACTORS = 8
"""Up to this exponent a power is computed as products: each rounds."""


def _sigmoid(x: Any) -> Any:
    e = np.exp(-np.abs(x))
    return np.where(x >= 0.0, 1.0, e) / (1.0 + e)


def _length(*inputs: Any) -> Any:
    found, is_nan = inputs[0], np.isnan(inputs[0])
    for x in inputs[1:]:
        found, is_nan = np.hypot(found, x), is_nan | np.isnan(x)
    return np.where(is_nan, np.nan, np.abs(found))


def _logaddexp(*inputs: Any) -> Any:
    """The largest one, and the logarithm of 1 and what the others are beside it."""
    largest: Any = inputs[0]
    others: Any = 0.0
    for x in inputs[1:]:
        difference = np.where(x == largest, 0.0, x - largest)  # of infinities it is nan
        share = np.exp(-np.abs(difference))
        others = np.where(difference <= 0.0, others + share, (others + 1.0) * share)
        largest = np.maximum(largest, x)
    return largest + np.log1p(others)


FORMULAS: dict[str, Callable[..., Any]] = {
    "sigmoid": _sigmoid,
    "length": _length,
    "logaddexp": _logaddexp,
}
"""Formulas by other functions, by the names of ops."""

LOOPS: dict[Any, tuple[Callable[..., Any], Callable[..., Any]]] = {
    np.sin: (_sin, _is_large),
    np.cos: (_cos, _is_large),
    np.hypot: (_hypot, _may_overflow),
}
"""Formulas of functions of float64 by their ufuncs, and for which arguments they do not hold."""


def faster_name(loop: Loop) -> str | None:
    """Return the name of the function that stands for a loop of NumPy; None if there is none."""
    if loop.ufunc not in LOOPS or set(loop.dtypes) != {"float64"}:
        return None
    return f"@faster_{loop.ufunc.__name__}"


Compute = Callable[[Code, Sequence[str], Any], str]


def faster_text(loop: Loop, compute: Compute, declared: set[str]) -> str:
    """Return the text of what stands for a loop of NumPy, and calls it for what it can't do.

    Parameters
    ----------
    loop
        The loop.
    compute
        Adds the instructions for a formula of numbers to some code; returns the result.
    declared
        The functions of LLVM that are declared; what is used is added.
    """
    code, access = Code(), f"align 1, !llvm.access.group {_ACCESS}"
    count = len(loop.dtypes) - 1
    places = [code.make(f"getelementptr double, ptr %source{k}, i64 %i") for k in range(count)]
    values = [code.make(f"load double, ptr {place}, {access}") for place in places]
    formula, doubtful = LOOPS[loop.ufunc]
    found = compute(code, values, formula)
    code.add(f"store double {found}, ptr %to, {access}")
    doubt = compute(code, values, doubtful)
    declared |= code.declared
    sources = "\n".join(
        f"""  %place{k} = getelementptr ptr, ptr %args, i64 {k}
  %source{k} = load ptr, ptr %place{k}
  %stride{k} = getelementptr i64, ptr %steps, i64 {k}
  %step{k} = load i64, ptr %stride{k}
  %plain{k} = icmp eq i64 %step{k}, 8"""
        for k in range(count)
    )
    plain = "and i1 %plain0, " + ("%plain1" if count > 1 else "true")
    body = "\n".join(code.lines)
    address, data = (f"inttoptr (i64 {n} to ptr)" for n in (loop.address, loop.data))
    return f"""
define internal void {faster_name(loop)}(ptr %args, ptr %dims, ptr %steps, ptr %data) {{
entry:
  %n = load i64, ptr %dims
{sources}
  %last = getelementptr ptr, ptr %args, i64 {count}
  %target = load ptr, ptr %last
  %plain = {plain}
  %some = icmp sgt i64 %n, 0
  %usual = and i1 %plain, %some
  br i1 %usual, label %loop, label %slow
loop:
  %i = phi i64 [0, %entry], [%next, %loop]
  %before = phi i1 [false, %entry], [%after, %loop]
  %to = getelementptr double, ptr %target, i64 %i
{body}
  %after = or i1 %before, {doubt}
  %next = add nsw i64 %i, 1
  %more = icmp slt i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop {_LOOP}
end:
  br i1 %after, label %slow, label %done
slow:
  call void {address}(ptr %args, ptr %dims, ptr %steps, ptr {data})
  br label %done
done:
  ret void
}}"""


_ACCESS, _LOOP = "!1000000", "!1000001"
METADATA = f"""{_ACCESS} = distinct !{{}}
{_LOOP} = distinct !{{{_LOOP}, !{{!"llvm.loop.parallel_accesses", {_ACCESS}}}}}"""
"""What says that the elements of a loop do not depend on each other."""
