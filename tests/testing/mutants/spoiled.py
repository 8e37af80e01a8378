"""An op that gives back its input, except where a law shall be wrong."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import relgraph.tensor as at
from relgraph.graph.op import TypedOp
from relgraph.testing.judge.claims import ELEMENTWISE_OPS

Array = np.ndarray[Any, Any]


def _is_float(a: Array) -> bool:
    return a.dtype.kind in "fc"


def _extreme(a: Array, name: str) -> Array:
    if a.dtype.kind not in "iuf":
        return np.zeros(a.shape, bool)
    info = np.finfo(a.dtype) if a.dtype.kind == "f" else np.iinfo(a.dtype)
    return a == getattr(info, name)


def _subnormal(a: Array) -> Array:
    if a.dtype.kind != "f":
        return np.zeros(a.shape, bool)
    return (a != 0) & (np.abs(a) < np.finfo(a.dtype).tiny)


def _duplicates(a: Array) -> bool:
    return a.size > 1 and len(np.unique(a)) < a.size


def _kind(letters: str, dtype: str | None = None) -> Callable[[Array], bool]:
    return lambda a: a.dtype.kind in letters and (dtype is None or a.dtype == dtype)


WHERE: dict[str, Callable[[Array], Any]] = {
    "bool": _kind("b"),
    "unsigned integers": _kind("u"),
    "signed integers": _kind("i"),
    "float16": _kind("f", "float16"),
    "float32": _kind("f", "float32"),
    "float64": _kind("f", "float64"),
    "complex": _kind("c"),
    "imaginary parts": lambda a: a.dtype.kind == "c" and a.imag != 0,
    "rank 0": lambda a: a.ndim == 0,
    "rank 1": lambda a: a.ndim == 1,
    "rank 2": lambda a: a.ndim == 2,
    "length 0": lambda a: a.size == 0,
    "length 1": lambda a: 1 in a.shape,
    "more than one row": lambda a: a.ndim == 2 and a.shape[0] > 1,
    "fortran order": lambda a: a.flags.f_contiguous and not a.flags.c_contiguous,
    "negative strides": lambda a: any(s < 0 for s in a.strides),
    "zero strides": lambda a: a.size > 1 and 0 in a.strides,
    "gaps": lambda a: not a.flags.c_contiguous and not a.flags.f_contiguous,
    "read-only": lambda a: not a.flags.writeable,
    "duplicates": _duplicates,
    "nan": lambda a: np.isnan(a) if _is_float(a) else False,
    "inf": lambda a: np.isposinf(a.real) if _is_float(a) else False,
    "-inf": lambda a: np.isneginf(a.real) if _is_float(a) else False,
    "-0": lambda a: (a == 0) & np.signbit(a.real) if _is_float(a) else False,
    "0": lambda a: a == 0,
    "the greatest number": lambda a: _extreme(a, "max"),
    "the least number": lambda a: _extreme(a, "min"),
    "the least normal number": lambda a: _extreme(a, "tiny") if a.dtype.kind == "f" else False,
    "subnormal numbers": _subnormal,
}
"""For what input the op gives something else: for all elements or for some of them."""


_DIGITS = np.array([5, 3, 7, 2, 8, 4, 9, 1, 6, 3, 5, 2, 7])


class Spoiling(TypedOp):
    """Gives back its input, except where a law shall be wrong."""

    __props__ = ("where",)

    def __init__(self, where: str) -> None:
        self.where = where

    def as_inputs(self, *inputs: Any) -> list[Any]:
        return [at.as_tensor_variable(v) for v in inputs]

    def output_types(self, *input_types: Any) -> list[Any]:
        return list(input_types)

    def __str__(self) -> str:
        return f"wrong for {self.where}"


class Spoiled(Spoiling):
    """Gives back its input, with other elements where the function of `WHERE` says so."""

    def perform(self, node: Any, inputs: Any, output_storage: Any) -> None:
        a = np.asarray(inputs[0])
        made = np.array(a)
        wrong = np.broadcast_to(WHERE[self.where](a), a.shape)
        # matrices of them are far from singular
        digits = np.resize(_DIGITS, made.shape).astype(made.dtype)
        other = ~made if made.dtype.kind == "b" else np.where(made == digits, digits + 1, digits)
        output_storage[0][0] = np.asarray(np.where(wrong, other, made))


class Filled(Spoiling):
    """Gives back its input, with elements added where it has none."""

    def perform(self, node: Any, inputs: Any, output_storage: Any) -> None:
        a = np.asarray(inputs[0])
        output_storage[0][0] = np.ones([n or 2 for n in a.shape], a.dtype) if a.size == 0 else a


def spoiling(where: str) -> Spoiling:
    """Return the op that is wrong for one key of `WHERE`."""
    return Filled(where) if where == "length 0" else Spoiled(where)


ELEMENTWISE_OPS.append(Spoiled)
