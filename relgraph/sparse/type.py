"""`SparseVariable`, with methods and operators, and `SparseConstant`.

The methods call the functions in ``_ops``, a namespace that ``relgraph.sparse.functions`` fills. So
this module does not import the ops.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from hashlib import blake2b
from typing import Any, ClassVar, NoReturn

import numpy as np
import scipy.sparse as sp

from relgraph.graph.basic import Constant, Variable, attributes
from relgraph.graph.notation import LeadingOperators
from relgraph.graph.type import Type
from relgraph.graph.utils import describe_value
from relgraph.scalar.type import check_dtype, is_complex, value_bits
from relgraph.sparse.matrices import FORMATS, aligned, canonical, frozen, share_storage
from relgraph.tensor.type import ArrayVariable, Method, TensorType, attribute


class SparseVariable(LeadingOperators, ArrayVariable):
    """A variable whose values are sparse matrices.

    ``*``, ``/`` and comparisons are elementwise, as of SciPy's sparse arrays; ``@`` is the
    product of matrices.
    """

    __slots__ = ()

    @property
    def format(self) -> str:
        """``csr`` or ``csc``."""
        return str(self.type.format)

    ndim = 2

    @property
    def nnz(self) -> Any:
        """The number of stored elements."""
        return self._ops.stored(self).size

    T = attribute("transpose", "The transpose, in the other format.")
    data = attribute("stored", "The stored elements, a vector.")
    indices = attribute(
        "indices",
        "The column of each stored element of a CSR matrix, the row of each of a CSC matrix.",
    )
    indptr = attribute(
        "indptr", "Where the stored elements of each row (of a CSC matrix: column) begin and end."
    )
    transpose = Method()
    toarray = todense = Method("dense_from_sparse")
    asformat = Method("as_format")
    sum = Method()
    diagonal = Method("diag")
    zeros_like = Method()

    def tocsr(self) -> Any:
        return self._ops.as_format(self, "csr")

    def tocsc(self) -> Any:
        return self._ops.as_format(self, "csc")

    def dot(self, other: Any) -> Any:
        return self._ops.matmul(self, other)

    def multiply(self, other: Any) -> Any:
        return self._ops.mul(self, other)

    def copy(self, name: str | None = None) -> Any:
        """Return this matrix with a copy of its stored elements."""
        copied = self._ops.copy(self)
        copied.name = name
        return copied

    def as_tensor_variable(self) -> NoReturn:
        raise TypeError(f"{self} is sparse; {self}.toarray() makes a dense tensor of it")

    def __len__(self) -> NoReturn:
        raise TypeError(f"{self} is symbolic and has no len(); its `shape[0]` is a variable")

    def __iter__(self) -> NoReturn:
        raise TypeError(f"{self} is sparse and can't be iterated over; {self}[i : i + 1] is a row")

    def __array__(self, *args: Any, **kwargs: Any) -> NoReturn:
        raise TypeError(f"{self} ({self.type}) is symbolic, no array; a `function` computes it")


class SparseConstant(SparseVariable, Constant):
    """A constant sparse matrix: its `data` is the matrix, whose parts are read-only.

    Two are equal if their types are, and if they store the same bits at the same places.
    """

    __slots__ = ("_signature",)

    # the value, as of every constant, not its stored elements
    data: Any = Constant.data  # type: ignore[misc]

    _signature: Hashable

    def __init__(self, type: Type, data: Any, name: str | None = None) -> None:
        super().__init__(type, data, name)
        self.data = frozen(self.data)
        self._signature = None

    def __getstate__(self) -> dict[str, Any]:
        return {**attributes(self), "_signature": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        for name, value in state.items():
            setattr(self, name, value)
        self.data = frozen(self.data)

    def signature(self) -> Hashable:
        if self._signature is None:
            value = self.data
            digest = blake2b(value_bits(value.data), digest_size=20)
            for part in (value.indices, value.indptr):
                digest.update(part.tobytes())
            self._signature = (self.type, value.shape, value.nnz, digest.digest())
        return self._signature

    def unique_value(self) -> None:
        """Return None: a number in a law matches no sparse matrix."""

    def __str__(self) -> str:
        if self.name is not None:
            return self.name
        rows, columns = self.data.shape
        return f"{self.type.format}({rows}x{columns}, {self.data.nnz} stored)"


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
