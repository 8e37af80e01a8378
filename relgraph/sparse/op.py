"""`SparseOp`, the base class of ops on sparse matrices, and conversions to variables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp

from relgraph.graph.basic import Apply, Variable
from relgraph.graph.op import TypedOp
from relgraph.graph.utils import LogicTerm
from relgraph.scalar.dtypes import check_dtype
from relgraph.sparse.type import SparseTensorType
from relgraph.tensor.basic import as_argument
from relgraph.tensor.type import TensorType


def is_sparse_variable(x: Any) -> bool:
    """Return whether `x` is a variable of a `SparseTensorType`."""
    return isinstance(x, Variable) and isinstance(x.type, SparseTensorType)


def as_sparse_variable(x: Any, name: str | None = None) -> Any:
    """Return `x` as a sparse variable; a logic variable or term is returned as it is.

    Parameters
    ----------
    x
        A sparse variable, or a matrix or array of `scipy.sparse`, which becomes a constant: of
        the format csc if that is its format, else csr.
    name
        The name, if the result is a constant.

    Raises
    ------
    TypeError
        If `x` is neither; `csr_from_dense` converts dense tensors.
    """
    if isinstance(x, Apply):
        x = x.default_output()
    if is_sparse_variable(x) or isinstance(x, LogicTerm):
        return x
    if sp.issparse(x) and x.ndim == 2:
        return sparse_type_of(x, x.shape).make_constant(x, name)
    kind = x.type if isinstance(x, Variable) else type(x).__name__
    raise TypeError(f"{x} is a {kind}, not a sparse matrix; csr_from_dense(x) converts tensors")


def sparse_type_of(value: Any, shape: Sequence[int | None] = (None, None)) -> SparseTensorType:
    """Return the type of a matrix of SciPy: csr, unless its format is csc."""
    fmt = "csc" if value.format == "csc" else "csr"
    return SparseTensorType(fmt, check_dtype(value.dtype), shape)


class SparseOp(TypedOp):
    """Base class of ops on sparse matrices.

    Attributes
    ----------
    name
        What the op is called in errors and in print, unless it says so by ``__str__``.
    kinds
        For each input ``sparse`` or ``tensor``.
    """

    name: ClassVar[str] = ""
    kinds: ClassVar[tuple[str, ...]] = ("sparse",)

    def __str__(self) -> str:
        props = ", ".join(f"{p}={getattr(self, p)}" for p in self.__props__ or ())
        return f"{self.name}{{{props}}}" if props else self.name

    def as_inputs(self, *inputs: Any) -> list[Any]:
        if len(inputs) != len(self.kinds):
            raise TypeError(f"{self} takes {len(self.kinds)} inputs, not {len(inputs)}")
        return [
            as_sparse_argument(v, str(self), i) if kind == "sparse" else as_argument(v, self, i)
            for i, (v, kind) in enumerate(zip(inputs, self.kinds, strict=True))
        ]

    def compute(self, node: Apply, *values: Any) -> Any:
        """Return the value of the output."""
        raise NotImplementedError(f"{self} has no compute")

    def perform(
        self, node: Apply, inputs: Sequence[Any], output_storage: Sequence[list[Any]]
    ) -> None:
        with np.errstate(all="ignore"):
            output_storage[0][0] = self.compute(node, *inputs)


def as_sparse_argument(x: Any, what: str, position: int = 0) -> Any:
    """Return an argument as a sparse variable; errors name the function and the position."""
    try:
        return as_sparse_variable(x)
    except TypeError as error:
        raise TypeError(f"{what}: input {position}: {error}") from None


def check_same(what: str, x: Any, y: Any) -> None:
    """Raise an error if two sparse types differ in their format, or in a length that is known.

    Raises
    ------
    TypeError
        If the formats differ.
    ValueError
        If the static shapes do.
    """
    if x.format != y.format:
        raise TypeError(f"{what}: the first input is {x.format}, the second {y.format}")
    check_shapes(what, x.shape, y.shape)


def check_shapes(what: str, x: Sequence[Any], y: Sequence[Any]) -> None:
    """Raise a ValueError if two shapes differ in a length that is known in both."""
    if any(n is not None and m is not None and n != m for n, m in zip(x, y, strict=True)):
        raise ValueError(f"{what}: the inputs have the shapes {tuple(x)} and {tuple(y)}")


def common_shape(x: Any, y: Any) -> tuple[int | None, ...]:
    """Return what is known of the shape of two types, of which both have the same one."""
    return tuple(m if n is None else n for n, m in zip(x.shape, y.shape, strict=True))


def vector_of(dtype: str) -> TensorType:
    """Return the type of vectors of a dtype, of any length."""
    return TensorType(dtype, (None,))
