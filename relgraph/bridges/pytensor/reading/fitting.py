"""Variables that were read, of the dtype and with the axes of length 1 that PyTensor says."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import relgraph.tensor as at
from relgraph.bridges.pytensor.types import fits
from relgraph.graph.basic import Variable
from relgraph.graph.type import Type
from relgraph.scalar.dtypes import is_discrete
from relgraph.tensor.type import TensorType


def fitted(v: Any, wanted: Type) -> Variable:
    """Return `v` cast to the dtype of a type, with the static lengths of 1 that it has.

    Other lengths are left as `v` has them: a declaration would stand between it and the laws.
    """
    if not isinstance(wanted, TensorType):
        return _variable(v)
    if v.type.dtype != wanted.dtype:
        v = at.cast(v, wanted.dtype)
    ones = [
        1 if n == 1 and m is None else None for n, m in zip(wanted.shape, v.type.shape, strict=True)
    ]
    return _variable(at.specify_shape(v, ones) if any(ones) else v)


def typed(function: Callable[..., Any], dtype: str, *inputs: Any) -> Any:
    """Return ``function(*inputs)`` of a dtype, computed in it where it is a wider one."""
    made = function(*inputs)
    if made.type.dtype == dtype:
        return made
    if not is_discrete(dtype):
        made = function(*[at.cast(x, dtype) if fits(x.type.dtype, dtype) else x for x in inputs])
    return at.cast(made, dtype)


def _variable(v: Any) -> Variable:
    assert isinstance(v, Variable)
    return v
