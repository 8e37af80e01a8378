"""Products of sparse matrices with dense and with sparse ones."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from relgraph.graph.basic import Apply, Variable
from relgraph.graph.type import disconnected
from relgraph.scalar.dtypes import is_complex, result_dtype
from relgraph.sparse.matrices import canonical, places
from relgraph.sparse.op import SparseOp, vector_of
from relgraph.sparse.ops.dense import SparseFromDense
from relgraph.sparse.ops.structure import (
    _sampled,
    _stored,
    _transposed,
    _with_stored,
    as_format,
)
from relgraph.sparse.type import SparseTensorType
from relgraph.tensor.contraction import _dot, check_inner, conjugate
from relgraph.tensor.type import TensorType

BLOCK_ELEMENTS = 1 << 18
"""How many numbers `SampledProduct` gathers at a time."""


class SparseProduct(SparseOp):
    """Base class of products that sum over the columns of a sparse matrix.

    Parameters
    ----------
    structured
        Whether the gradient by a sparse factor is that by its stored elements alone.
    """

    __props__ = ("structured",)

    def __init__(self, structured: bool = True) -> None:
        self.structured = bool(structured)

    def __str__(self) -> str:
        return self.name


class DotDense(SparseProduct):
    """The product of a sparse matrix and a dense matrix or vector, which is dense."""

    name = "structured_dot"
    kinds: ClassVar[tuple[str, ...]] = ("sparse", "tensor")

    def output_types(self, *input_types: Any) -> list[TensorType]:
        x, y = input_types
        if y.ndim not in (1, 2):
            raise TypeError(f"{self}: the second input is a {y}, neither a vector nor a matrix")
        check_inner(self, x, y, 1, 0)
        return [TensorType(result_dtype(x.dtype, y.dtype), (x.shape[0], *y.shape[1:]))]

    def compute(self, node: Apply, *values: Any) -> Any:
        x, y = values
        check_inner(self, x, y, 1, 0)
        dtype = node.outputs[0].type.dtype
        wide = "float32" if dtype == "float16" else dtype  # SciPy has no sparse float16
        product = x.astype(wide, copy=False) @ y.astype(wide, copy=False)
        with np.errstate(over="ignore"):
            return np.asarray(product, dtype)

    def infer_shape(self, fgraph: Any, node: Apply, shapes: Sequence[Any]) -> list[Any]:
        return [(shapes[0][0], *shapes[1][1:])]

    def grad(self, inputs: Sequence[Variable], output_gradients: Sequence[Variable]) -> list[Any]:
        x, y = inputs
        g: Any = output_gradients[0]
        turned = self(adjoint(x), g)
        y = conjugate(y)
        if y.type.ndim == 1:
            g, y = g.dimshuffle(0, "x"), y.dimshuffle(0, "x")
        if self.structured:
            return [_with_stored(x, _sampled_product(x, g, y)), turned]
        return [SparseFromDense(x.type.format)(_dot(g, y.T)), turned]


class DotSparse(SparseProduct):
    """The product of two sparse matrices of one format, which is sparse."""

    name = "true_dot"
    kinds: ClassVar[tuple[str, ...]] = ("sparse", "sparse")

    def output_types(self, *input_types: Any) -> list[Any]:
        x, y = input_types
        if x.format != y.format:
            raise TypeError(f"{self}: the first input is {x.format}, the second {y.format}")
        check_inner(self, x, y, 1, 0)
        shape = (x.shape[0], y.shape[1])
        return [SparseTensorType(x.format, result_dtype(x.dtype, y.dtype), shape)]

    def compute(self, node: Apply, *values: Any) -> Any:
        x, y = values
        check_inner(self, x, y, 1, 0)
        dtype = node.outputs[0].type.dtype
        return canonical(x.astype(dtype, copy=False) @ y.astype(dtype, copy=False))

    def infer_shape(self, fgraph: Any, node: Apply, shapes: Sequence[Any]) -> list[Any]:
        return [(shapes[0][0], shapes[1][1])]

    def grad(self, inputs: Sequence[Variable], output_gradients: Sequence[Variable]) -> list[Any]:
        """Return gradients in the format of the product; structured ones at the places of the
        inputs."""
        g = output_gradients[0]
        fmt = g.type.format
        x, y = inputs
        found = [self(g, as_format(adjoint(y), fmt)), self(as_format(adjoint(x), fmt), g)]
        if not self.structured:
            return found
        return [
            _with_stored(v, _sampled(v, gradient))
            for v, gradient in zip(inputs, found, strict=True)
        ]


class SampledProduct(SparseOp):
    """The elements of ``x @ y.T`` at the places that a sparse matrix stores, as a vector.

    Its inputs are the sparse matrix and `x` and `y`, dense matrices of as many columns.
    """

    __props__ = ()
    name = "sampled_product"
    kinds: ClassVar[tuple[str, ...]] = ("sparse", "tensor", "tensor")

    def output_types(self, *input_types: Any) -> list[TensorType]:
        pattern, x, y = input_types
        for t, n in ((x, pattern.shape[0]), (y, pattern.shape[1])):
            if t.ndim != 2:
                raise TypeError(f"{self.name}: a {t} in place of a matrix")
            if None not in (n, t.shape[0]) and n != t.shape[0]:
                raise ValueError(f"{self.name}: {t.shape[0]} rows for {n} places")
        check_inner(self, x, y, 1, 1)
        return [vector_of(result_dtype(x.dtype, y.dtype))]

    def compute(self, node: Apply, *values: Any) -> Any:
        pattern, x, y = values
        check_inner(self, x, y, 1, 1)
        if pattern.shape != (len(x), len(y)):
            raise ValueError(
                f"{self.name}: places in a matrix of shape {pattern.shape}, of a product of shape "
                f"{(len(x), len(y))}"
            )
        rows, columns = places(pattern)
        found = np.empty(len(rows), node.outputs[0].type.dtype)
        step = max(BLOCK_ELEMENTS // max(x.shape[1], 1), 1)
        for start in range(0, len(rows), step):
            part = slice(start, start + step)
            found[part] = np.einsum("ij,ij->i", x[rows[part]], y[columns[part]])
        return found

    def connection_pattern(self, node: Apply) -> list[list[bool]]:
        return [[False], [True], [True]]

    def grad(self, inputs: Sequence[Variable], output_gradients: Sequence[Variable]) -> list[Any]:
        pattern, x, y = inputs
        g = _with_stored(pattern, output_gradients[0])
        return [
            disconnected(),
            _dot_dense(g, conjugate(y)),
            _dot_dense(_transposed(g), conjugate(x)),
        ]


def adjoint(x: Any) -> Any:
    """Return the conjugate transpose of a sparse variable."""
    turned = _transposed(x)
    return _with_stored(turned, _stored(turned).conj()) if is_complex(x.type.dtype) else turned


_dot_dense = DotDense()
_dot_sparse = DotSparse()
_sampled_product = SampledProduct()
