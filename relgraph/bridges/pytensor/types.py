"""Types of PyTensor's variables as types of this library, and back.

Tensors and generators of random numbers have a counterpart; a scalar is a tensor of rank 0. Any
other type of PyTensor's is held as it is, by a `HeldType`.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import numpy as np
from pytensor.scalar.basic import ScalarType
from pytensor.tensor.random.type import RandomGeneratorType as PyTensorGeneratorType
from pytensor.tensor.type import TensorType as PyTensorTensorType

from relgraph.bridges.pytensor.unify_rules import order_rules
from relgraph.graph.basic import Constant
from relgraph.graph.type import Type
from relgraph.scalar.dtypes import is_discrete
from relgraph.tensor.random.type import RandomGeneratorType, random_generator_type
from relgraph.tensor.type import TensorType

# Whoever reads or writes graphs of PyTensor's has the rules of both libraries.
order_rules()


class HeldConstant(Constant):
    """A constant of a held type; it equals itself alone, since its value may have no hash."""

    __slots__ = ()

    def signature(self) -> Hashable:
        return (self.type, id(self.data))


class HeldType(Type):
    """A type of PyTensor's that has no counterpart: None, a slice, a list of tensors, a sparse
    matrix.

    Parameters
    ----------
    held
        PyTensor's type, which says what its values are.
    """

    __props__ = ("held",)
    constant_type = HeldConstant

    def __init__(self, held: Any) -> None:
        self.held = held

    def filter(self, data: Any, strict: bool = False, allow_downcast: bool | None = None) -> Any:
        return self.held.filter(data, strict=strict, allow_downcast=allow_downcast)

    def __str__(self) -> str:
        return str(self.held)


def type_from_pytensor(given: Any) -> Type:
    """Return the type of this library whose values are those of a type of PyTensor's."""
    if type(given) is PyTensorTensorType:
        return TensorType(given.dtype, given.shape)
    if isinstance(given, ScalarType):
        return TensorType(given.dtype, ())
    if type(given) is PyTensorGeneratorType:
        return random_generator_type
    return HeldType(given)


def type_to_pytensor(given: Any) -> Any:
    """Return the type of PyTensor's whose values are those of a type of this library.

    Raises
    ------
    TypeError
        If PyTensor has none.
    """
    if isinstance(given, TensorType):
        return PyTensorTensorType(given.dtype, given.shape)
    if isinstance(given, RandomGeneratorType):
        return PyTensorGeneratorType()
    if isinstance(given, HeldType):
        return given.held
    raise TypeError(f"to_pytensor: PyTensor has no type like {given}")


def value_to_pytensor(given: Any, value: Any) -> Any:
    """Return a value as one of a type of PyTensor's: a scalar where it is a `ScalarType`."""
    return value[()] if isinstance(given, ScalarType) else value


def value_from_pytensor(given: Any, value: Any) -> Any:
    """Return a value of a type of PyTensor's as one of the counterpart."""
    return np.asarray(value) if isinstance(given, ScalarType | PyTensorTensorType) else value


def fits(dtype: str, wider: str) -> bool:
    """Return whether numbers of a dtype may be computed with as floats of another one: integers,
    and narrower floats."""
    return is_discrete(dtype) or np.can_cast(dtype, wider, "safe")
