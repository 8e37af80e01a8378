"""Gradients of the right type: constant ones, sums, and conversions to the type of a variable."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from functools import reduce
from typing import Any

from relgraph.graph.basic import Apply, Variable
from relgraph.graph.op import TypedOp
from relgraph.graph.type import Type, disconnected
from relgraph.scalar.type import ScalarType, is_complex, is_discrete
from relgraph.scalar.type import constant as scalar_constant
from relgraph.tensor.assembly import full_like
from relgraph.tensor.shapes import specify_shape
from relgraph.tensor.type import TensorType


def has_no_gradient(v: Variable) -> bool:
    """Return whether a variable is discrete: of integers or booleans."""
    dtype = getattr(v.type, "dtype", None)
    return dtype is not None and is_discrete(dtype)


def filled_like(v: Any, number: int) -> Any:
    """Return a variable of the shape of `v`, filled with a number, of the dtype of its gradient.

    Raises
    ------
    TypeError
        If `v` is no tensor or scalar, and has no method ``zeros_like``.
    """
    dtype = "floatX" if has_no_gradient(v) else None
    if isinstance(v.type, TensorType):
        return full_like(v, number, v.type.dtype if dtype is None else dtype)
    if isinstance(v.type, ScalarType):
        return scalar_constant(number, dtype=v.type.dtype if dtype is None else dtype)
    if number == 0 and hasattr(v, "zeros_like"):
        zeros = v.zeros_like()
        return zeros if dtype is None else zeros._ops.cast(zeros, dtype)
    raise TypeError(f"{v} is of type {v.type}, of which gradients can't be made")


def sum_of_gradients(terms: Sequence[Any]) -> Any:
    """Return the sum of gradients of one variable, as one node."""
    if len(terms) == 1:
        return terms[0]
    if all(isinstance(t.type, TensorType | ScalarType) for t in terms):
        return terms[0]._ops.add(*terms)
    return reduce(operator.add, terms)


def converted_gradient(g: Any, v: Any) -> Any:
    """Return a gradient with respect to `v`, cast to its dtype, with its static shape."""
    if g.type == v.type:
        return g
    dtype = getattr(v.type, "dtype", None)
    if dtype is not None and g.type.dtype != dtype and not is_discrete(dtype):
        if is_complex(g.type.dtype) and not is_complex(dtype):
            g = g._ops.real(g)
        g = g._ops.cast(g, dtype)
    if isinstance(v.type, TensorType) and isinstance(g.type, TensorType):
        pairs = list(zip(v.type.shape, g.type.shape, strict=True))
        if any(n is not None and m is None for n, m in pairs):
            g = specify_shape(g, tuple(n if m is None else None for n, m in pairs))
    return g


class GradientGate(TypedOp):
    """Base class of ops that are the identity, and change the gradient that passes through."""

    view_map = {0: [0]}
    is_identity = True
    keeps_shape = True

    def output_types(self, x: Type) -> list[Type]:
        return [x]

    def compute(self, node: Apply, x: Any) -> Any:
        return x


class GradientBarrier(GradientGate):
    """The identity; no gradient passes through it.

    Parameters
    ----------
    connected
        Whether the gradient of the input is zero; if not, the input is disconnected.
    """

    __props__ = ("connected",)

    def __init__(self, connected: bool) -> None:
        self.connected = connected

    def __str__(self) -> str:
        return "zero_grad" if self.connected else "disconnected_grad"

    def connection_pattern(self, node: Apply) -> list[list[bool]]:
        return [[self.connected]]

    def input_gradients(self, g: Any, out: Any, x: Any) -> list[Any]:
        return [filled_like(x, 0) if self.connected else disconnected()]


class GradientClip(GradientGate):
    """The identity; the elements of the gradient are brought between two numbers."""

    __props__ = ("lower", "upper")

    def __init__(self, lower: float, upper: float) -> None:
        if not lower <= upper:
            raise ValueError(f"grad_clip: {upper} is less than {lower}")
        self.lower, self.upper = float(lower), float(upper)

    def __str__(self) -> str:
        return f"grad_clip{{{self.lower}, {self.upper}}}"

    def input_gradients(self, g: Any, out: Any, x: Any) -> list[Any]:
        return [g.clip(self.lower, self.upper)]


class GradientScale(GradientGate):
    """The identity; the gradient is multiplied by a number."""

    __props__ = ("factor",)

    def __init__(self, factor: float) -> None:
        self.factor = float(factor)

    def __str__(self) -> str:
        return f"grad_scale{{{self.factor}}}"

    def input_gradients(self, g: Any, out: Any, x: Any) -> list[Any]:
        return [g * self.factor]


def grad_clip(x: Any, lower_bound: float, upper_bound: float) -> Any:
    """Return `x`, whose gradient is brought between two numbers, element by element."""
    return GradientClip(lower_bound, upper_bound)(x)


def grad_scale(x: Any, multiplier: float) -> Any:
    """Return `x`, whose gradient is multiplied by a number: -1 turns it around."""
    return GradientScale(multiplier)(x)


def disconnected_grad(x: Any) -> Any:
    """Return `x`, disconnected for `grad` from all variables that it depends on."""
    return GradientBarrier(connected=False)(x)


def zero_grad(x: Any) -> Any:
    """Return `x` with a gradient of zero with respect to all variables that it depends on."""
    return GradientBarrier(connected=True)(x)


def consider_constant(x: Any) -> Any:
    """Return `x`, treated as a constant by `grad`: the same as `zero_grad`."""
    return zero_grad(x)
