"""What the arguments of a function that is traced are called, and what specifies them."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from inspect import Parameter
from typing import Any

import numpy as np

from relgraph.bridges.pytrees import Structure, paths
from relgraph.graph.type import Type
from relgraph.tensor.type import TensorType


def function_name(fn: Any) -> str:
    """Return what a function is called."""
    return getattr(fn, "__name__", type(fn).__name__)


def argument_names(fn: Callable[..., Any], arguments: Structure) -> list[str]:
    """Return a name for each leaf of the arguments of a function, from the names of parameters."""
    by_place, by_name = arguments.parts
    known = names_of_arguments(fn, len(by_place.parts))
    pairs = [
        *zip(known, by_place.parts, strict=True),
        *zip(by_name.keys, by_name.parts, strict=True),
    ]
    return [name for root, part in pairs for name in paths(part, root)]


def parameter_names(fn: Callable[..., Any]) -> list[str]:
    """Return the names of the parameters of a function that arguments by place may be given for."""
    try:
        parameters = inspect.signature(fn).parameters.values()
    except (TypeError, ValueError):  # it does not say
        return []
    by_place = (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD)
    return [p.name for p in parameters if p.kind in by_place]


def names_of_arguments(fn: Callable[..., Any], count: int) -> Sequence[str]:
    """Return the names of the first parameters of a function."""
    try:
        bound = inspect.signature(fn).bind_partial(*range(count))
    except (TypeError, ValueError):  # it does not say, or will say itself what is wrong
        return [f"x{i}" for i in range(count)]
    names = {}
    for name, value in bound.arguments.items():
        places = value if isinstance(value, tuple) else (value,)
        several = len(places) > 1
        names.update({place: f"{name}.{k}" if several else name for k, place in enumerate(places)})
    return [names[i] for i in range(count)]


def is_pair(spec: Any) -> bool:
    """Return whether a specification is a pair of a dtype and a shape."""
    if type(spec) is not tuple or len(spec) != 2 or not _is_dtype(spec[0]):
        return False
    lengths = spec[1] if isinstance(spec[1], tuple | list) else (spec[1],)
    return all(n is None or isinstance(n, int) for n in lengths)


def _is_dtype(given: Any) -> bool:
    if not isinstance(given, str | np.dtype | type):
        return False
    try:
        return np.dtype(given).kind in "biufc"
    except TypeError:
        return False


def as_type(spec: Any, name: str) -> Type:
    """Return the type that a specification of an argument stands for.

    Raises
    ------
    TypeError
        If it is none.
    """
    if isinstance(spec, Type):
        return spec
    if is_pair(spec):
        dtype, shape = spec
        return TensorType(dtype, shape if isinstance(shape, tuple | list) else (shape,))
    if not hasattr(spec, "dtype") or not hasattr(spec, "shape"):
        if not isinstance(spec, bool | int | float | complex):
            raise TypeError(
                f"argument {name} is specified by {spec!r}; wanted is an array, a pair (dtype, "
                "shape), a TensorType or a variable"
            )
        spec = np.asarray(spec)
    return TensorType(str(np.dtype(spec.dtype)), spec.shape)
