"""Tensors: their types and variables, their ops, and functions with NumPy's names.

``import relgraph.tensor as at``; ``at.dvector("x")`` makes a variable, ``at.exp(x + 1)`` a graph.
What is in `__all__` is there at once; the modules `fft`, `linalg`, `random` and `special`, and the
functions of `relgraph.tensor.functions`, are loaded when they are first used. The functions of
`special` have their names here too, and so have NumPy's other names: `amax`, `permute_dims`.
"""

from functools import partial
from importlib import import_module
from operator import attrgetter
from sys import modules
from typing import Any

from relgraph.graph.notation import OpNamespace
from relgraph.graph.utils import in_laws, lifted
from relgraph.on_first_use import loaded as _loaded
from relgraph.tensor import constructors, math
from relgraph.tensor.along_axes import (
    argsort,
    cumprod,
    cumsum,
    flip,
    repeat,
    roll,
    sort,
    tile,
)
from relgraph.tensor.assembly import (
    alloc,
    arange,
    broadcast_to,
    concatenate,
    eye,
    full,
    full_like,
    hstack,
    join,
    ones,
    ones_like,
    split,
    stack,
    tri,
    tril,
    triu,
    vstack,
    zeros,
    zeros_like,
)
from relgraph.tensor.basic import (
    Assert,
    CheckAndRaise,
    NotScalarConstantError,
    as_tensor_variable,
    assert_,
    constant,
    get_scalar_constant_value,
    get_vector_length,
    infer_broadcastable,
)
from relgraph.tensor.constructors import *  # noqa: F403
from relgraph.tensor.elemwise import (
    DimShuffle,
    Elemwise,
)
from relgraph.tensor.indexing import (
    getitem,
    inc_subtensor,
    set_subtensor,
    take,
)
from relgraph.tensor.linalg.diagonals import diag, diagonal, trace
from relgraph.tensor.linalg.products import (
    batched_dot,
    dot,
    einsum,
    kron,
    matmul,
    outer,
    tensordot,
)
from relgraph.tensor.math import *  # noqa: F403
from relgraph.tensor.reductions import (
    CAReduce,
    all,
    any,
    argmax,
    argmin,
    max,
    mean,
    min,
    prod,
    ptp,
    std,
    sum,
    var,
)
from relgraph.tensor.shapes import (
    Shape,
    Shape_i,
    expand_dims,
    flatten,
    inferred_shape,
    moveaxis,
    ravel,
    reshape,
    shape,
    shape_i,
    size,
    specify_shape,
    squeeze,
    swapaxes,
    transpose,
)
from relgraph.tensor.softmaxes import (
    log_softmax,
    logsumexp,
    softmax,
)
from relgraph.tensor.type import (
    TensorConstant,
    TensorType,
    TensorVariable,
)


def _dimshuffle(x: Any, order: Any) -> Any:
    return DimShuffle(x.type.ndim, tuple(order))(x)


def _stand_in(rank: int) -> Any:
    """Return a variable of a rank, in whose place a law may have any."""
    return TensorType("float64", (None,) * rank)()


def _asks_shape(op: Any) -> bool:
    """Return whether an op is about the shape of its input alone."""
    return isinstance(op, Shape | Shape_i)


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


__all__ = [
    "Assert",
    "CAReduce",
    "CheckAndRaise",
    "DimShuffle",
    "Elemwise",
    "TensorConstant",
    "TensorType",
    "TensorVariable",
    "all",
    "alloc",
    "any",
    "arange",
    "argmax",
    "argmin",
    "argsort",
    "as_tensor_variable",
    "assert_",
    "batched_dot",
    "broadcast_to",
    "concatenate",
    "constant",
    "cumprod",
    "cumsum",
    "diag",
    "diagonal",
    "dot",
    "einsum",
    "expand_dims",
    "eye",
    "flatten",
    "flip",
    "full",
    "full_like",
    "getitem",
    "hstack",
    "inc_subtensor",
    "join",
    "kron",
    "log_softmax",
    "logsumexp",
    "matmul",
    "max",
    "mean",
    "min",
    "moveaxis",
    "ones",
    "ones_like",
    "outer",
    "prod",
    "ptp",
    "ravel",
    "repeat",
    "reshape",
    "roll",
    "set_subtensor",
    "shape",
    "shape_i",
    "size",
    "softmax",
    "sort",
    "specify_shape",
    "split",
    "squeeze",
    "stack",
    "std",
    "sum",
    "swapaxes",
    "take",
    "tensordot",
    "tile",
    "trace",
    "transpose",
    "tri",
    "tril",
    "triu",
    "var",
    "vstack",
    "zeros",
    "zeros_like",
]
__all__ += vars(math)["__all__"]

# Laws are written with all of them.
_FUNCTIONS = {name: lifted(globals()[name], __name__) for name in __all__}
globals().update(_FUNCTIONS)
__all__ += vars(constructors)["__all__"]
__all__ += [
    "NotScalarConstantError",
    "get_scalar_constant_value",
    "get_vector_length",
    "infer_broadcastable",
]

# The functions behind the operators and methods of tensor variables, and the operators in laws.
TensorVariable._ops = OpNamespace(
    TensorVariable,
    **_FUNCTIONS,
    dimshuffle=in_laws(_dimshuffle, __name__),
    inferred_shape=inferred_shape,
    iterate=_iterate,
    stand_in=_stand_in,
    asks_shape=_asks_shape,
)


def _call_numpy(kind: str, *call: Any) -> Any:
    return getattr(import_module("relgraph.tensor.numpy_protocol"), kind)(*call)


TensorVariable._ops.call_ufunc = partial(_call_numpy, "call_ufunc")
TensorVariable._ops.call_function = partial(_call_numpy, "call_function")

_MODULES = frozenset(("fft", "linalg", "random", "special"))


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return _loaded(f"relgraph.tensor.{name}")
    if name in math.ELEMENTWISE:
        return math.ELEMENTWISE[name]
    if name in ("mgrid", "ogrid"):
        return _loaded("relgraph.tensor.functions.calculus", "GRIDS")[name]
    if not name.startswith("_"):
        functions = _loaded("relgraph.tensor.functions", "FUNCTIONS")
        if name in functions:
            return globals().setdefault(name, lifted(functions[name], __name__))
        special = _loaded("relgraph.tensor.special", "FUNCTIONS")
        if name in special:
            return special[name]
        renamed = _loaded("relgraph.tensor.functions", "RENAMED")
        if name in renamed:
            return attrgetter(renamed[name])(modules[__name__])
    raise AttributeError(f"module 'relgraph.tensor' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(
        {
            *globals(),
            *math.ELEMENTWISE,
            *_MODULES,
            *import_module("relgraph.tensor.functions").FUNCTIONS,
        }
    )


TensorVariable._ops.find = __getattr__
