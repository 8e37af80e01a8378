"""Conversions of numbers, arrays and sequences to tensor variables and constants."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np

from relgraph.graph.basic import Apply, Variable
from relgraph.graph.type import Type
from relgraph.graph.utils import LogicTerm
from relgraph.scalar.dtypes import check_dtype, number_kind, weak_dtype
from relgraph.tensor.type import TensorType
from relgraph.tensor.variable import TensorConstant, TensorVariable


def constant(
    x: Any, name: str | None = None, ndim: int | None = None, dtype: Any = None
) -> TensorConstant:
    """Return a constant tensor.

    Parameters
    ----------
    x
        A number, or anything that NumPy converts to an array.
    name
        The name of the constant.
    ndim
        The rank of the constant: axes of length 1 are added in front.
    dtype
        Its dtype; by default that of `x`, int64 for a Python int, ``config.floatX`` for a float.

    Raises
    ------
    TypeError
        If `x` is no array of numbers, or `dtype` can't hold its values.
    ValueError
        If it has more than `ndim` axes.
    """
    if isinstance(x, TensorConstant):
        x = x.data
    elif isinstance(x, Variable | LogicTerm):
        raise TypeError(f"{x} is a variable, and a constant needs a value")
    kind = number_kind(x)
    array = np.asarray(x)
    if array.dtype.kind not in "biufc":
        raise TypeError(f"{x!r} is not an array of numbers{_advice(x)}")
    if dtype is not None:
        dtype = check_dtype(dtype)
    elif kind is not None:
        dtype = weak_dtype(kind, ())
    else:
        dtype = check_dtype(array.dtype)
    if ndim is not None and ndim != array.ndim:
        if ndim < array.ndim:
            raise ValueError(f"{x!r} has {array.ndim} axes where {ndim} are wanted")
        array = array.reshape((1,) * (ndim - array.ndim) + array.shape)
    value = array.tolist() if kind is not None else array
    return TensorType(dtype, array.shape).make_constant(value, name)


@cache
def _one_element(dtype: str, ndim: int) -> TensorType:
    return TensorType(dtype, (1,) * ndim)


def number(x: bool | int | float | complex, dtype: str, ndim: int) -> TensorConstant:
    """Return a Python number as a constant of a rank and dtype; all its axes have length 1.

    It is rounded if `dtype` is a float or complex one. The caller checks that an integer is in the
    range of `dtype`.
    """
    data = np.full((1,) * ndim, x, dtype)
    data.flags.writeable = False
    return _one_element(dtype, ndim).make_constant(data)


def as_tensor_variable(x: Any, name: str | None = None, ndim: int | None = None) -> Any:
    """Return `x` as a tensor variable; a logic variable or term is returned as it is.

    Parameters
    ----------
    x
        A tensor variable, a node (its default output), a number, an array, or a sequence of these.
    name
        The name, if the result is a constant.
    ndim
        The rank of the result: axes of length 1 are added in front or dropped there.

    Raises
    ------
    TypeError
        If `x` can't be converted.
    ValueError
        If an axis would be dropped whose static length is not 1.
    """
    if isinstance(x, Apply):
        x = x.default_output()
    if isinstance(x, TensorVariable):
        return x if ndim is None or x.type.ndim == ndim else _of_rank(x, ndim)
    if isinstance(x, LogicTerm):
        return x
    if isinstance(x, Variable):
        convert = getattr(x, "as_tensor_variable", None)
        if convert is None:
            raise TypeError(f"{x} is of type {x.type}, not a tensor")
        return as_tensor_variable(convert(), name, ndim)
    if isinstance(x, Sequence) and not isinstance(x, str) and _holds_variables(x):
        return _of_rank(TensorVariable._ops.stack(list(x)), ndim)
    return constant(x, name, ndim)


def as_argument(x: Any, what: Any, position: int = 0) -> Any:
    """Return an argument as a tensor variable; errors name the function and the position.

    Parameters
    ----------
    x
        As for `as_tensor_variable`.
    what
        The op or the function that takes the argument.
    position
        The position of the argument, from 0 on.
    """
    try:
        return as_tensor_variable(x)
    except (TypeError, ValueError) as error:
        raise type(error)(f"{what}: input {position}: {error}") from None


def _advice(x: Any) -> str:
    if isinstance(x, Type):
        return f"; it is a type: call it to make a variable, {x}('x')"
    return "; was it meant to be called?" if callable(x) else ""


def _holds_variables(items: Any) -> bool:
    """Return whether a sequence holds a variable or a logic term, at any depth."""
    stack = [items]
    while stack:
        for item in stack.pop():
            if isinstance(item, Variable | LogicTerm):
                return True
            if isinstance(item, list | tuple):
                stack.append(item)
    return False


def _of_rank(x: Any, ndim: int | None) -> Any:
    if ndim is None or isinstance(x, LogicTerm) or x.type.ndim == ndim:
        return x
    extra = ndim - x.type.ndim
    if extra > 0:
        return x.dimshuffle(*["x"] * extra, *range(x.type.ndim))
    for axis, length in enumerate(x.type.shape[:-extra]):
        if length != 1:
            raise ValueError(
                f"{x} has {x.type.ndim} axes where {ndim} are wanted, and axis {axis} can't go: "
                f"its length is {'not known' if length is None else length}, not 1"
            )
    return x.dimshuffle(*range(-extra, x.type.ndim))
