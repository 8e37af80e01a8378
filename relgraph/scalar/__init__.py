"""Scalars: types, variables, constants, and the ops on them.

A type makes variables, ``float64("x")``. An op is called on variables and numbers,
``add(x, mul(y, 2))``.
"""

from typing import Any, NoReturn

from relgraph.graph.notation.operators import OpNamespace
from relgraph.scalar.basic import (
    abs,
    add,
    int_div,
    maximum,
    minimum,
    mod,
    mul,
    neg,
    pow,
    reciprocal,
    sign,
    sqr,
    sqrt,
    sub,
    true_div,
)
from relgraph.scalar.cancellation import (
    cbrt,
    cosm1,
    hypot,
    hypot1m1,
    length,
    log1p_sqr,
    log1pmx,
    tan_less_x,
    x_less_sin,
)
from relgraph.scalar.composite import Composite
from relgraph.scalar.conversion import (
    Cast,
    angle,
    cast,
    ceil,
    conj,
    floor,
    imag,
    real,
    round,
    trunc,
)
from relgraph.scalar.logic import (
    and_,
    eq,
    ge,
    gt,
    invert,
    isinf,
    isnan,
    le,
    lt,
    neq,
    or_,
    xor,
)
from relgraph.scalar.op import FoldOp, ScalarOp
from relgraph.scalar.selection import clip, identity, second, switch
from relgraph.scalar.special import (
    digamma,
    erf,
    erfc,
    erfinv,
    gammaln,
    log1mexp,
    log_determinant,
    log_product,
    logaddexp,
    polygamma,
    sigmoid,
    softplus,
)
from relgraph.scalar.transcendental import (
    arccos,
    arccosh,
    arcsin,
    arcsinh,
    arctan,
    arctan2,
    arctanh,
    cos,
    cosh,
    exp,
    exp2,
    expm1,
    log,
    log1p,
    log2,
    log10,
    sin,
    sinh,
    tan,
    tanh,
)
from relgraph.scalar.type import (
    ScalarConstant,
    ScalarType,
    ScalarVariable,
    as_scalar,
    constant,
    get_scalar_type,
)

bool = get_scalar_type("bool")
int8 = get_scalar_type("int8")
int16 = get_scalar_type("int16")
int32 = get_scalar_type("int32")
int64 = get_scalar_type("int64")
uint8 = get_scalar_type("uint8")
uint16 = get_scalar_type("uint16")
uint32 = get_scalar_type("uint32")
uint64 = get_scalar_type("uint64")
float16 = get_scalar_type("float16")
float32 = get_scalar_type("float32")
float64 = get_scalar_type("float64")
complex64 = get_scalar_type("complex64")
complex128 = get_scalar_type("complex128")


def _no_array(x: Any, *rest: Any) -> NoReturn:
    raise TypeError(f"{x} is a number: it has no elements and no matrix product")


# The ops behind Python's operators on scalar variables, which gradients use too.
ScalarVariable._ops = OpNamespace(
    ScalarVariable,
    **{name: op for name, op in list(globals().items()) if isinstance(op, ScalarOp)},
    cast=cast,
    getitem=_no_array,
    iterate=_no_array,
    matmul=_no_array,
    dot=_no_array,
)

__all__ = [
    "Cast",
    "Composite",
    "FoldOp",
    "ScalarConstant",
    "ScalarOp",
    "ScalarType",
    "ScalarVariable",
    "abs",
    "add",
    "and_",
    "angle",
    "arccos",
    "arccosh",
    "arcsin",
    "arcsinh",
    "arctan",
    "arctan2",
    "arctanh",
    "as_scalar",
    "bool",
    "cast",
    "cbrt",
    "ceil",
    "clip",
    "complex64",
    "complex128",
    "conj",
    "constant",
    "cos",
    "cosh",
    "cosm1",
    "digamma",
    "eq",
    "erf",
    "erfc",
    "erfinv",
    "exp",
    "exp2",
    "expm1",
    "float16",
    "float32",
    "float64",
    "floor",
    "gammaln",
    "ge",
    "get_scalar_type",
    "gt",
    "hypot",
    "hypot1m1",
    "identity",
    "imag",
    "int8",
    "int16",
    "int32",
    "int64",
    "int_div",
    "invert",
    "isinf",
    "isnan",
    "le",
    "length",
    "log",
    "log1mexp",
    "log1p",
    "log1p_sqr",
    "log1pmx",
    "log2",
    "log10",
    "log_determinant",
    "log_product",
    "logaddexp",
    "lt",
    "maximum",
    "minimum",
    "mod",
    "mul",
    "neg",
    "neq",
    "or_",
    "polygamma",
    "pow",
    "real",
    "reciprocal",
    "round",
    "second",
    "sigmoid",
    "sign",
    "sin",
    "sinh",
    "softplus",
    "sqr",
    "sqrt",
    "sub",
    "switch",
    "tan",
    "tan_less_x",
    "tanh",
    "true_div",
    "trunc",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "x_less_sin",
    "xor",
]
