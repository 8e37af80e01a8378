"""`SparseTensorType`, the type of sparse matrices."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp

from relgraph.graph.basic import Constant, Variable
from relgraph.graph.type import Type
from relgraph.graph.utils import describe_value
from relgraph.scalar.dtypes import check_dtype, is_complex
from relgraph.sparse.matrices import FORMATS, aligned, canonical, share_storage
from relgraph.sparse.variable import SparseConstant, SparseVariable
from relgraph.tensor.type import TensorType


class SparseTensorType(Type):
    """The type of sparse matrices of one format and dtype, whose lengths may be known.

    Its values are SciPy's `csr_array` and `csc_array`. A `csr_matrix` or `csc_matrix` is taken too:
    what a graph has then is the array of the same storage, and results are arrays.

    Values are in canonical form: a matrix with unsorted or repeated indices is copied and brought
    into it. Zeros that are stored remain stored.

    Parameters
    ----------
    format
        ``csr`` or ``csc``.
    dtype
        A dtype that `scipy.sparse` has, or its name: any but float16.
    shape
        The static shape: two lengths, None for one that is not known.

    Raises
    ------
    ValueError
        If the format is another one.
    TypeError
        If sparse matrices can't have the dtype, or `shape` has not two lengths.
    """

    __props__ = ("format", "dtype", "shape")
    variable_type: ClassVar[type[Variable]] = SparseVariable
    constant_type: ClassVar[type[Constant]] = SparseConstant
    ndim = 2

    def __init__(
        self, format: str, dtype: Any = "floatX", shape: Sequence[int | None] = (None, None)
    ) -> None:
        if format not in FORMATS:
            raise ValueError(f"the formats of sparse matrices are csr and csc, not {format!r}")
        dense = TensorType(dtype, shape)
        if dense.ndim != 2:
            raise TypeError(f"a sparse matrix has two lengths, not {dense.ndim}: {shape}")
        if dense.dtype == "float16":
            raise TypeError("scipy.sparse has no matrices of float16; cast to float32")
        self.format = format
        self.dtype = dense.dtype
        self.shape = dense.shape
        self.numpy_dtype = dense.numpy_dtype
        self.broadcastable = dense.broadcastable

    def __str__(self) -> str:
        lengths = ", ".join("?" if n is None else str(n) for n in self.shape)
        return f"SparseTensorType({self.format}, {self.dtype}, ({lengths}))"

    def filter(self, data: Any, strict: bool = False, allow_downcast: bool | None = None) -> Any:
        """Return a matrix as an array of this type, with the storage of `data` where that fits.

        Parameters
        ----------
        data
            A matrix or two-dimensional array of `scipy.sparse`, of any format.
        strict
            Whether to refuse another format or dtype.
        allow_downcast
            Whether to convert values of any dtype but complex ones to real ones; else only values
            are converted whose dtype this one can hold.

        Raises
        ------
        TypeError
            If `data` is not sparse, or has another dtype or shape.
        """
        if not sp.issparse(data) or data.ndim != 2:
            raise TypeError(
                f"expected {self}, not {describe_value(data)}; scipy.sparse.{self.format}_array(x) "
                "makes a sparse matrix of an array"
            )
        fits = data.format == self.format and data.dtype == self.numpy_dtype
        if strict and not fits:
            raise TypeError(f"expected strictly {self}, not {describe_value(data)}")
        if data.dtype != self.numpy_dtype:
            self._check_cast(data, allow_downcast)
        if any(n is not None and n != m for n, m in zip(self.shape, data.shape, strict=True)):
            raise TypeError(f"expected {self}, not {describe_value(data)}")
        return canonical(data if fits else data.asformat(self.format).astype(self.numpy_dtype))

    def _check_cast(self, data: Any, allow_downcast: bool | None) -> None:
        name = check_dtype(data.dtype)
        loses = is_complex(name) and not is_complex(self.dtype)
        if loses or not (allow_downcast or np.can_cast(name, self.dtype, "safe")):
            raise TypeError(
                f"expected {self}, not {describe_value(data)}: converting it could lose precision; "
                "convert it yourself, or set allow_downcast"
            )

    def in_same_class(self, otype: Type) -> bool:
        return (
            isinstance(otype, SparseTensorType)
            and otype.format == self.format
            and otype.dtype == self.dtype
        )

    def is_super(self, otype: Type) -> bool:
        return self.in_same_class(otype) and all(
            n is None or n == m
            for n, m in zip(self.shape, otype.shape, strict=True)  # type: ignore[attr-defined]
        )

    def may_share_memory(self, a: Any, b: Any) -> bool:
        return share_storage(a, b)

    def all_finite(self, value: Any) -> bool:
        return bool(np.isfinite(value.data).all())

    def values_eq(self, a: Any, b: Any) -> bool:
        """Return whether two matrices have equal elements; one that is not stored is zero."""
        return self._agree(a, b, TensorType(self.dtype, (None,)).values_eq)

    def values_eq_approx(self, a: Any, b: Any) -> bool:
        """Return whether two matrices have equal elements but for rounding."""
        return self._agree(a, b, TensorType(self.dtype, (None,)).values_eq_approx)

    def _agree(self, a: Any, b: Any, equal: Any) -> bool:
        alike = a.format == b.format and a.dtype == b.dtype and a.shape == b.shape
        return alike and bool(equal(*aligned(canonical(a), canonical(b))))
