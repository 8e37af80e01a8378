"""The numbers that stand in a graph."""

from __future__ import annotations

import math
import struct
from collections.abc import Hashable
from functools import lru_cache
from typing import Any

from relgraph.graph.basic import Constant, Variable


def number_of(var: Variable) -> Any:
    """Return the Python number that every element of `var` is known to be, or None.

    Broadcasting is seen through: an op that only repeats the elements of one input says so by
    `Op.repeats`.
    """
    while var.owner is not None:
        through = var.owner.op.repeats
        if through is None:
            return None
        var = var.owner.inputs[through]
    return var.unique_value() if isinstance(var, Constant) else None


def same_number(a: Any, b: Any) -> bool:
    """Return whether two numbers, of which `b` may be None, are of one value and kind.

    True is not 1, 1 is 1.0 and 1+0j, nan is nan, 0.0 is not -0.0, nor is 1+0j 1-0j.
    """
    if b is None or isinstance(a, bool) is not isinstance(b, bool):
        return False
    if a != b:
        return bool(a != a and b != b)
    if type(a) is complex or type(b) is complex:
        return _sign(a.real) == _sign(b.real) and _sign(a.imag) == _sign(b.imag)
    return bool(a) or _sign(a) == _sign(b)


def _sign(number: Any) -> float:
    return math.copysign(1.0, number) if isinstance(number, float) else 1.0 if number >= 0 else -1.0


_INEXACT = (float, complex)


def is_written(number: Any, var: Variable) -> bool:
    """Return whether every element of `var` is known to be a number, as its dtype holds it.

    So 0.1 is 0.1 in a graph of float32 too, where it is another number.
    """
    found = number_of(var)
    if found is None:
        return False
    if same_number(number, found):
        return True
    if type(number) not in _INEXACT or type(found) not in _INEXACT:
        return False
    held = roundings(number).get(getattr(var.type, "dtype", None))
    return held is not None and same_number(held, found)


@lru_cache(maxsize=4096, typed=True)
def roundings(number: float | complex) -> dict[Any, float | complex]:
    """Return what a number is in the dtypes that are narrower than Python's."""
    rounded: dict[Any, float | complex] = {}
    for dtype, code in (("float32", "<f"), ("float16", "<e"), ("complex64", "<f")):
        try:
            parts = [
                struct.unpack(code, struct.pack(code, part))[0]
                for part in (number.real, number.imag)
            ]
        except OverflowError:
            continue
        if dtype.startswith("complex"):
            rounded[dtype] = complex(*parts)
        elif isinstance(number, float):
            rounded[dtype] = parts[0]
    return rounded


def number_key(number: Any) -> Hashable:
    """Return what two numbers have in common if they are of one kind, value and sign."""
    if not number or number != number or number.__class__ is complex:
        return (number.__class__, str(number))
    return (number.__class__, number)
