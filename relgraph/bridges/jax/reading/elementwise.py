"""Primitives that work element by element."""

from __future__ import annotations

from typing import Any

import numpy as np

import relgraph.tensor as at
from relgraph.bridges.jax.reading.equation import Equation, Reader, insist
from relgraph.gradient import zero_grad
from relgraph.scalar.dtypes import is_complex, is_discrete
from relgraph.tensor import special
from relgraph.tensor.math import ELEMENTWISE

_SAME = {
    # by C's names, as those of JAX's primitives are
    **{op.scalar_op.c_name or op.scalar_op.name: op for op in ELEMENTWISE.values()},
    **{"add_any": at.add, "square": at.sqr, "logistic": at.sigmoid, "rem": at.fmod},
    **{"erf_inv": at.erfinv, "lgamma": at.gammaln, "nextafter": at.nextafter, "ne": at.neq},
    **{"and": at.and_, "or": at.or_, "not": at.invert, "is_finite": at.isfinite},
    **{"shift_left": at.left_shift, "shift_right_arithmetic": at.right_shift},
    **{"igamma": special.gammainc, "igammac": special.gammaincc, "zeta": special.zeta},
    **{"bessel_i0e": special.i0e, "bessel_i1e": special.i1e},
    **{"regularized_incomplete_beta": special.betainc},
    **{"copy": at.identity, "name": at.identity},
    **{"stop_gradient": zero_grad},
}
# These order complex numbers, or round them, as NumPy does not.
_REAL = {"max": at.maximum, "min": at.minimum, "sign": at.sign}

_TO_NEAREST_EVEN = 1


def _same(equation: Equation) -> Any:
    return _SAME[equation.primitive](*equation.inputs)


def _real(equation: Equation) -> Any:
    insist(not is_complex(equation.inputs[0].type.dtype))
    return _REAL[equation.primitive](*equation.inputs)


def _div(equation: Equation) -> Any:
    x, y = equation.inputs
    if not is_discrete(x.type.dtype):
        return at.true_div(x, y)
    # integers are divided towards zero
    return at.int_div(at.sub(x, at.fmod(x, y)), y)


def _pow(equation: Equation) -> Any:
    x, y = equation.inputs
    insist(not is_discrete(x.type.dtype))
    return at.pow(x, at.cast(y, x.type.dtype))


def _integer_pow(equation: Equation) -> Any:
    (x,) = equation.inputs
    y = equation["y"]
    insist(y >= 0 or not is_discrete(x.type.dtype))
    return at.pow(x, np.asarray(y, x.type.dtype))


def _polynomial(equation: Equation) -> Any:
    """Read a polynomial by its coefficients, the constant first: by Horner's rule, as JAX does."""
    x, *coefficients = equation.inputs
    found = at.second(x, coefficients[-1])
    for coefficient in reversed(coefficients[:-1]):
        found = found * x + coefficient
    return found


def _round(equation: Equation) -> Any:
    insist(int(equation["rounding_method"]) == _TO_NEAREST_EVEN)
    return at.round(equation.inputs[0])


def _shift_right_logical(equation: Equation) -> Any:
    x, y = equation.inputs
    insist(x.type.dtype.startswith("u"))
    return at.right_shift(x, y)


def _population_count(equation: Equation) -> Any:
    (x,) = equation.inputs
    insist(x.type.dtype.startswith("u"))  # of others NumPy counts the bits of the absolute value
    return at.cast(at.bitwise_count(x), x.type.dtype)


def _select_n(equation: Equation) -> Any:
    which, *cases = equation.inputs
    if which.type.dtype == "bool":
        return at.where(which, cases[1], cases[0])
    found = cases[-1]
    for i, case in reversed(list(enumerate(cases[:-1]))):
        found = at.where(at.eq(which, np.asarray(i, which.type.dtype)), case, found)
    return found


READERS: dict[str, Reader] = {
    **dict.fromkeys(_SAME, _same),
    **dict.fromkeys(_REAL, _real),
    "clamp": lambda eq: at.clip(eq.inputs[1], eq.inputs[0], eq.inputs[2]),
    "convert_element_type": lambda eq: at.cast(eq.inputs[0], str(eq["new_dtype"])),
    "div": _div,
    "integer_pow": _integer_pow,
    "polynomial": _polynomial,
    "population_count": _population_count,
    "pow": _pow,
    "round": _round,
    "rsqrt": lambda eq: at.reciprocal(at.sqrt(eq.inputs[0])),
    "select_n": _select_n,
    "shift_right_logical": _shift_right_logical,
}
