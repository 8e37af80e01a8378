"""Variables of PyTensor's of the dtype and with the axes of length 1 that this library says."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytensor.tensor as pt
from pytensor.tensor.type import TensorType as PyTensorTensorType

from relgraph.bridges.pytensor.types import fits
from relgraph.scalar.dtypes import is_discrete


def fitted(v: Any, wanted: Any) -> Any:
    """Return `v` cast to the dtype of a type of PyTensor's, with its static lengths of 1."""
    if type(wanted) is not PyTensorTensorType:
        return v
    v = pt.as_tensor_variable(v)
    if v.type.dtype != wanted.dtype:
        v = pt.cast(v, wanted.dtype)
    ones = [
        i for i, (n, m) in enumerate(zip(wanted.shape, v.type.shape, strict=True)) if n == 1 != m
    ]
    return pt.specify_broadcastable(v, *ones) if ones else v


def typed(function: Callable[..., Any], dtype: str, *inputs: Any) -> Any:
    """Return ``function(*inputs)`` of a dtype, computed in it where it is a wider one."""
    made = function(*inputs)
    if made.type.dtype == dtype:
        return made
    if not is_discrete(dtype):
        made = function(*[pt.cast(x, dtype) if fits(x.type.dtype, dtype) else x for x in inputs])
    return made if made.type.dtype == dtype else pt.cast(made, dtype)
