"""Sums, differences and comparisons of two sparse matrices of one format."""

from __future__ import annotations

import operator
import warnings
from collections.abc import Sequence
from typing import Any, ClassVar

import scipy.sparse as sp

from relgraph.graph.basic import Apply, Variable
from relgraph.scalar.dtypes import result_dtype
from relgraph.sparse.matrices import canonical
from relgraph.sparse.op import SparseOp, check_same, check_shapes, common_shape
from relgraph.sparse.ops.structure import _stored, _with_stored
from relgraph.sparse.type import SparseTensorType

COMPARISONS = ("eq", "neq", "lt", "le", "gt", "ge")
"""The comparisons of two sparse matrices, whose results are sparse too."""


class SparsePair(SparseOp):
    """Base class of ops that combine two sparse matrices of one shape, element by element."""

    __props__: ClassVar[tuple[str, ...]] = ()
    kinds: ClassVar[tuple[str, ...]] = ("sparse", "sparse")

    def dtype_of(self, x: str, y: str) -> str:
        """Return the dtype of the output, given those of the inputs."""
        return result_dtype(x, y)

    def output_types(self, *input_types: Any) -> list[Any]:
        x, y = input_types
        check_same(str(self), x, y)
        dtype = self.dtype_of(x.dtype, y.dtype)
        return [SparseTensorType(x.format, dtype, common_shape(x, y))]

    def combined(self, x: Any, y: Any) -> Any:
        """Return what two matrices of the dtype in which they are combined make."""
        raise NotImplementedError(f"{self} combines nothing")

    def compute(self, node: Apply, *values: Any) -> Any:
        x, y = values
        check_shapes(str(self), x.shape, y.shape)
        dtype = result_dtype(x.dtype.name, y.dtype.name)
        made = self.combined(x.astype(dtype, copy=False), y.astype(dtype, copy=False))
        return canonical(made)

    def infer_shape(self, fgraph: Any, node: Apply, shapes: Sequence[Any]) -> list[Any]:
        return [shapes[0]]


class AddSparse(SparsePair):
    """The sum of two sparse matrices; where it is zero nothing is stored."""

    __props__ = ()
    name = "add"

    def combined(self, x: Any, y: Any) -> Any:
        return x + y

    def grad(self, inputs: Sequence[Variable], output_gradients: Sequence[Variable]) -> list[Any]:
        return [output_gradients[0], output_gradients[0]]


class SubSparse(SparsePair):
    """The difference of two sparse matrices; where it is zero nothing is stored."""

    __props__ = ()
    name = "sub"

    def dtype_of(self, x: str, y: str) -> str:
        dtype = result_dtype(x, y)
        if dtype == "bool":
            raise TypeError("sub: booleans have no difference; compare them by neq")
        return dtype

    def combined(self, x: Any, y: Any) -> Any:
        return x - y

    def grad(self, inputs: Sequence[Variable], output_gradients: Sequence[Variable]) -> list[Any]:
        g = output_gradients[0]
        return [g, _with_stored(g, -_stored(g))]


class CompareSparse(SparsePair):
    """A comparison of two sparse matrices.

    One that is true of two zeros stores nearly all elements, as SciPy's does.

    Parameters
    ----------
    comparison
        One of `COMPARISONS`.
    """

    __props__ = ("comparison",)
    converts = True

    def __init__(self, comparison: str) -> None:
        self.comparison = comparison
        self.function = getattr(operator, {"neq": "ne"}.get(comparison, comparison))

    def __str__(self) -> str:
        return self.comparison

    def dtype_of(self, x: str, y: str) -> str:
        return "bool"

    def combined(self, x: Any, y: Any) -> Any:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", sp.SparseEfficiencyWarning)
            return self.function(x, y).asformat(x.format)

    def connection_pattern(self, node: Apply) -> list[list[bool]]:
        return [[False], [False]]


_add_sparse = AddSparse()
_sub_sparse = SubSparse()
