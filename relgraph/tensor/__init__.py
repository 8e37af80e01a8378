"""Tensors: their types and variables, their ops, and functions with NumPy's names.

``import relgraph.tensor as at``; ``at.dvector("x")`` makes a variable, ``at.exp(x + 1)`` a graph.
What is in `__all__` is there at once; the modules `fft`, `linalg`, `random` and `special`, and the
functions of `relgraph.tensor.functions`, are loaded when they are first used. The functions of
`special` have their names here too, and so have NumPy's other names: `amax`, `permute_dims`.
"""

import functools
import importlib
import operator
import sys
from collections.abc import Callable
from typing import Any

from relgraph import on_first_use
from relgraph.graph import notation, utils
from relgraph.tensor import shapes
from relgraph.tensor.along_axes import argsort as argsort
from relgraph.tensor.along_axes import cumprod as cumprod
from relgraph.tensor.along_axes import cumsum as cumsum
from relgraph.tensor.along_axes import flip as flip
from relgraph.tensor.along_axes import repeat as repeat
from relgraph.tensor.along_axes import roll as roll
from relgraph.tensor.along_axes import sort as sort
from relgraph.tensor.along_axes import tile as tile
from relgraph.tensor.assembly import *  # noqa: F403
from relgraph.tensor.basic import Assert as Assert
from relgraph.tensor.basic import CheckAndRaise as CheckAndRaise
from relgraph.tensor.basic import NotScalarConstantError as NotScalarConstantError
from relgraph.tensor.basic import as_tensor_variable as as_tensor_variable
from relgraph.tensor.basic import assert_ as assert_
from relgraph.tensor.basic import constant as constant
from relgraph.tensor.basic import get_scalar_constant_value as get_scalar_constant_value
from relgraph.tensor.basic import get_vector_length as get_vector_length
from relgraph.tensor.basic import infer_broadcastable as infer_broadcastable
from relgraph.tensor.constructors import *  # noqa: F403
from relgraph.tensor.elemwise import DimShuffle as DimShuffle
from relgraph.tensor.elemwise import Elemwise as Elemwise
from relgraph.tensor.indexing import getitem as getitem
from relgraph.tensor.indexing import inc_subtensor as inc_subtensor
from relgraph.tensor.indexing import set_subtensor as set_subtensor
from relgraph.tensor.indexing import take as take
from relgraph.tensor.linalg.diagonals import *  # noqa: F403
from relgraph.tensor.linalg.products import batched_dot as batched_dot
from relgraph.tensor.linalg.products import dot as dot
from relgraph.tensor.linalg.products import einsum as einsum
from relgraph.tensor.linalg.products import kron as kron
from relgraph.tensor.linalg.products import matmul as matmul
from relgraph.tensor.linalg.products import outer as outer
from relgraph.tensor.linalg.products import tensordot as tensordot
from relgraph.tensor.math import *  # noqa: F403
from relgraph.tensor.reductions import CAReduce as CAReduce
from relgraph.tensor.reductions import all as all
from relgraph.tensor.reductions import any as any
from relgraph.tensor.reductions import argmax as argmax
from relgraph.tensor.reductions import argmin as argmin
from relgraph.tensor.reductions import max as max
from relgraph.tensor.reductions import mean as mean
from relgraph.tensor.reductions import min as min
from relgraph.tensor.reductions import prod as prod
from relgraph.tensor.reductions import ptp as ptp
from relgraph.tensor.reductions import std as std
from relgraph.tensor.reductions import sum as sum
from relgraph.tensor.reductions import var as var
from relgraph.tensor.shapes import expand_dims as expand_dims
from relgraph.tensor.shapes import flatten as flatten
from relgraph.tensor.shapes import moveaxis as moveaxis
from relgraph.tensor.shapes import ravel as ravel
from relgraph.tensor.shapes import reshape as reshape
from relgraph.tensor.shapes import shape as shape
from relgraph.tensor.shapes import shape_i as shape_i
from relgraph.tensor.shapes import size as size
from relgraph.tensor.shapes import specify_shape as specify_shape
from relgraph.tensor.shapes import squeeze as squeeze
from relgraph.tensor.shapes import swapaxes as swapaxes
from relgraph.tensor.shapes import transpose as transpose
from relgraph.tensor.softmaxes import *  # noqa: F403
from relgraph.tensor.type import TensorConstant as TensorConstant
from relgraph.tensor.type import TensorType as TensorType
from relgraph.tensor.type import TensorVariable as TensorVariable


def _dimshuffle(x: Any, order: Any) -> Any:
    return DimShuffle(x.type.ndim, tuple(order))(x)


def _stand_in(rank: int) -> Any:
    """Return a variable of a rank, in whose place a law may have any."""
    return TensorType("float64", (None,) * rank)()


def _asks_shape(op: Any) -> bool:
    """Return whether an op is about the shape of its input alone."""
    return isinstance(op, shapes.Shape | shapes.Shape_i)


def _iterate(x: Any) -> Any:
    """Return an iterator over the first axis of `x`, whose static length must be known."""
    if x.type.ndim == 0:
        raise TypeError(f"{x} is of rank 0 and can't be iterated over")
    length = x.type.shape[0]
    if length is None:
        raise TypeError(
            f"{x} can't be iterated over: the static length of its first axis is not known"
        )
    return (x[i] for i in range(length))


__all__ = [name for name in on_first_use.public_names(globals()) if name not in ("Any", "Callable")]
_OF_NO_LAW = ("get_scalar_constant_value", "get_vector_length", "infer_broadcastable", "tensor")

# Laws are written with all others.
_FUNCTIONS = {
    name: utils.lifted(globals()[name], __name__) for name in __all__ if name not in _OF_NO_LAW
}
globals().update(_FUNCTIONS)

# The functions behind the operators and methods of tensor variables, and the operators in laws.
TensorVariable._ops = notation.OpNamespace(
    TensorVariable,
    **_FUNCTIONS,
    dimshuffle=utils.in_laws(_dimshuffle, __name__),
    inferred_shape=shapes.inferred_shape,
    iterate=_iterate,
    stand_in=_stand_in,
    asks_shape=_asks_shape,
)


def _call_numpy(kind: str, *call: Any) -> Any:
    return getattr(importlib.import_module("relgraph.tensor.numpy_protocol"), kind)(*call)


TensorVariable._ops.call_ufunc = functools.partial(_call_numpy, "call_ufunc")
TensorVariable._ops.call_function = functools.partial(_call_numpy, "call_function")

_MODULES = frozenset(("fft", "linalg", "random", "special"))


def _find(name: str) -> Any:
    if name in _MODULES:
        return on_first_use.loaded(f"relgraph.tensor.{name}")
    if name in ("mgrid", "ogrid"):
        return on_first_use.loaded("relgraph.tensor.functions.calculus", "GRIDS")[name]
    if not name.startswith("_"):
        functions = on_first_use.loaded("relgraph.tensor.functions", "FUNCTIONS")
        if name in functions:
            return globals().setdefault(name, utils.lifted(functions[name], __name__))
        special = on_first_use.loaded("relgraph.tensor.special", "FUNCTIONS")
        if name in special:
            return special[name]
        renamed = on_first_use.loaded("relgraph.tensor.functions", "RENAMED")
        if name in renamed:
            return operator.attrgetter(renamed[name])(sys.modules[__name__])
    raise AttributeError(f"module 'relgraph.tensor' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(
        {
            *globals(),
            *_MODULES,
            *importlib.import_module("relgraph.tensor.functions").FUNCTIONS,
        }
    )


__getattr__: Callable[[str], Any] = _find
TensorVariable._ops.find = _find
