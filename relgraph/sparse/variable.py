"""`SparseVariable`, with methods and operators, and `SparseConstant`.

The methods call the functions in ``_ops``, a namespace that ``relgraph.sparse.functions`` fills. So
this module does not import the ops.
"""

from __future__ import annotations

from collections.abc import Hashable
from hashlib import blake2b
from typing import Any, NoReturn

from relgraph.graph.basic import Constant, Variable, attributes
from relgraph.graph.notation import LeadingOperators
from relgraph.graph.type import Type
from relgraph.scalar.type import value_bits
from relgraph.sparse.matrices import frozen


class SparseVariable(LeadingOperators, Variable):
    """A variable whose values are sparse matrices.

    ``*``, ``/`` and comparisons are those of elements, as of SciPy's sparse arrays; ``@`` is the
    product of matrices.
    """

    __slots__ = ()

    @property
    def format(self) -> str:
        """``csr`` or ``csc``."""
        fmt: str = self.type.format
        return fmt

    @property
    def dtype(self) -> str:
        dtype: str = self.type.dtype
        return dtype

    @property
    def ndim(self) -> int:
        return 2

    @property
    def shape(self) -> Any:
        """The shape at run time, a vector of int64."""
        return self._ops.shape(self)

    @property
    def size(self) -> Any:
        """The number of elements, stored or not."""
        return self._ops.size(self)

    @property
    def nnz(self) -> Any:
        """The number of stored elements."""
        return self._ops.stored(self).size

    @property
    def T(self) -> Any:
        """The transpose, in the other format."""
        return self._ops.transpose(self)

    @property
    def data(self) -> Any:
        """The stored elements, a vector."""
        return self._ops.stored(self)

    @property
    def indices(self) -> Any:
        """The column of each stored element of a CSR matrix, the row of each of a CSC matrix."""
        return self._ops.indices(self)

    @property
    def indptr(self) -> Any:
        """Where the stored elements of each row (of a CSC matrix: column) begin and end."""
        return self._ops.indptr(self)

    def transpose(self) -> Any:
        return self._ops.transpose(self)

    def toarray(self) -> Any:
        """Return this matrix as a tensor; the gradient is structured."""
        return self._ops.dense_from_sparse(self)

    todense = toarray

    def asformat(self, format: str) -> Any:
        """Return this matrix in the format ``csr`` or ``csc``."""
        return self._ops.as_format(self, format)

    def tocsr(self) -> Any:
        return self._ops.as_format(self, "csr")

    def tocsc(self) -> Any:
        return self._ops.as_format(self, "csc")

    def astype(self, dtype: Any) -> Any:
        """Return this matrix with its stored elements cast to another dtype."""
        return self._ops.cast(self, dtype)

    def sum(self, axis: int | None = None, sparse_grad: bool = False) -> Any:
        """Return the sum of all elements, or the sums along an axis; see `sp_sum`."""
        return self._ops.sum(self, axis, sparse_grad)

    def dot(self, other: Any) -> Any:
        return self._ops.matmul(self, other)

    def multiply(self, other: Any) -> Any:
        return self._ops.mul(self, other)

    def diagonal(self) -> Any:
        return self._ops.diag(self)

    def conj(self) -> Any:
        return self._ops.conj(self)

    conjugate = conj

    def zeros_like(self) -> Any:
        """Return a matrix that stores zeros where this one stores elements."""
        return self._ops.zeros_like(self)

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

    immutable = ("data", "_signature")
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
        """Return None: a number in a law stands for no sparse matrix."""

    def __str__(self) -> str:
        if self.name is not None:
            return self.name
        rows, columns = self.data.shape
        return f"{self.type.format}({rows}x{columns}, {self.data.nnz} stored)"
