"""Scalars: types, variables, constants, and the ops on them.

A type makes variables, ``float64("x")``. An op is called on variables and numbers,
``add(x, mul(y, 2))``.
"""

from typing import Any, NoReturn

from relgraph.graph.notation import OpNamespace
from relgraph.on_first_use import loaded
from relgraph.scalar import basic, cancellation, logic, special
from relgraph.scalar.basic import *  # noqa: F403
from relgraph.scalar.basic import cast
from relgraph.scalar.cancellation import *  # noqa: F403
from relgraph.scalar.composite import Composite
from relgraph.scalar.logic import *  # noqa: F403
from relgraph.scalar.op import FoldOp, ScalarOp
from relgraph.scalar.special import *  # noqa: F403
from relgraph.scalar.type import (
    COMPLEXES,
    FLOATS,
    INTS,
    UINTS,
    ScalarConstant,
    ScalarType,
    ScalarVariable,
    as_scalar,
    constant,
    get_scalar_type,
)

bool = get_scalar_type("bool")
int8, int16, int32, int64 = map(get_scalar_type, INTS)
uint8, uint16, uint32, uint64 = map(get_scalar_type, UINTS)
float16, float32, float64 = map(get_scalar_type, FLOATS)
complex64, complex128 = map(get_scalar_type, COMPLEXES)


def _no_array(*arguments: Any) -> NoReturn:
    number = next(x for x in arguments if isinstance(x, ScalarVariable))
    raise TypeError(f"{number} is a number: it has no elements and no matrix product")


def _named_op(name: str) -> Any:
    return getattr(loaded("relgraph.scalar.named", "f"), name)


# The ops behind Python's operators on scalar variables, which gradients use too.
ScalarVariable._ops = OpNamespace(
    ScalarVariable,
    **{name: op for name, op in list(globals().items()) if isinstance(op, ScalarOp)},
    cast=cast,
    getitem=_no_array,
    iterate=_no_array,
    matmul=_no_array,
    dot=_no_array,
    find=_named_op,
)

__all__ = [
    "Composite", "FoldOp", "ScalarConstant", "ScalarOp", "ScalarType", "ScalarVariable",
    "as_scalar", "bool", "complex64", "complex128", "constant", "float16", "float32", "float64",
    "get_scalar_type", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
]  # fmt: skip
for _room in (basic, cancellation, logic, special):
    __all__ += vars(_room)["__all__"]
