"""Values of a graph as JAX has them, and back: arrays, generators of random numbers, sparse
matrices."""

from __future__ import annotations

import copy
from typing import Any

import jax
import numpy as np

from relgraph.engines.jax.sparse_value import SparseValue, from_scipy, to_scipy
from relgraph.graph.type import Type
from relgraph.tensor.random.type import RandomGeneratorType
from relgraph.tensor.type import TensorType

COPIED_BYTES = 1 << 14
"""Up to this size a result is copied to a NumPy array; a larger one shares JAX's storage."""


def key_of(generator: Any) -> np.ndarray[Any, Any]:
    """Return the key that stands for a generator: numbers that a copy of it draws."""
    drawn = copy.deepcopy(generator).integers(0, 2**32, size=2, dtype="uint32")
    return np.asarray(drawn, "uint32")


def generator_of(key: Any) -> np.random.Generator:
    """Return a generator whose seed is a key."""
    return np.random.default_rng(np.asarray(key).tolist())


def to_engine(value: Any, kind: Type) -> Any:
    """Return a value of a type as lowerings take it."""
    if isinstance(kind, TensorType):
        return value if isinstance(value, jax.Array) else np.asarray(value)
    if isinstance(kind, RandomGeneratorType):
        return key_of(value) if isinstance(value, np.random.Generator) else value
    return value if isinstance(value, SparseValue) else from_scipy(value)


def from_engine(value: Any, kind: Type) -> Any:
    """Return a result as the type of its variable has it: NumPy's, and nobody else's."""
    return to_numpy(value) if isinstance(kind, TensorType) else seen_by_numpy(value, kind)


def seen_by_numpy(value: Any, kind: Type) -> Any:
    """Return a value as the type of its variable has it; it is not to be written to."""
    if isinstance(kind, TensorType):
        return np.asarray(value)
    if isinstance(kind, RandomGeneratorType):
        return generator_of(value)
    return to_scipy(value)


class _Owned:
    """The storage of an array of JAX that nobody else has, as NumPy may see it."""

    def __init__(self, array: Any) -> None:
        self.array = array
        self.__array_interface__ = {
            "data": (array.unsafe_buffer_pointer(), False),
            "shape": array.shape,
            "typestr": array.dtype.str,
            "version": 3,
        }


def to_numpy(array: Any) -> np.ndarray[Any, Any]:
    """Return a result of JAX that nobody else has as an array of NumPy that may be written to.

    A large one that lies in the memory of the host is not copied.
    """
    try:
        seen = memoryview(array)
    except (BufferError, TypeError, ValueError, RuntimeError):
        # it lies on another device
        return np.array(array)
    return np.array(seen) if seen.nbytes <= COPIED_BYTES else np.asarray(_Owned(array))
