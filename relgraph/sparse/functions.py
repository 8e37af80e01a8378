"""The functions of `relgraph.sparse`, and what the operators of its variables mean."""

from __future__ import annotations

from typing import Any

from relgraph.graph.notation import OpNamespace
from relgraph.sparse import elementwise
from relgraph.sparse.elementwise import FUNCTIONS, add, mul, refused, sub, true_div
from relgraph.sparse.op import as_sparse_argument, as_sparse_variable, is_sparse_variable
from relgraph.sparse.ops.dense import DenseFromSparse, SparseFromDense, SparseSum
from relgraph.sparse.ops.joining import JoinSparse, take
from relgraph.sparse.ops.places import Compressed, _elements
from relgraph.sparse.ops.products import DotDense, DotSparse, _sampled_product
from relgraph.sparse.ops.structure import (
    _indices,
    _indptr,
    _stored,
    _transposed,
    _with_stored,
    _without_zeros,
    as_format,
)
from relgraph.sparse.variable import SparseVariable
from relgraph.tensor.assembly.creation import arange, ones_like, zeros_like
from relgraph.tensor.axes import normalize_axis
from relgraph.tensor.basic import as_argument, as_tensor_variable
from relgraph.tensor.math import identity, lt, minimum, switch
from relgraph.tensor.shapes.reshaping import transpose as dense_transpose
from relgraph.tensor.shapes.shape import lengths, product, shape_i
from relgraph.tensor.shapes.shape import shape as shape_of

CSR = Compressed("csr")
"""``CSR(data, indices, indptr, shape)`` is the CSR matrix of these parts."""
CSC = Compressed("csc")
"""``CSC(data, indices, indptr, shape)`` is the CSC matrix of these parts."""


# -- parts and conversions -------------------------------------------------------------------------


def csm_data(x: Any) -> Any:
    """Return the stored elements of a sparse matrix, a vector."""
    return _stored(x)


def csm_indices(x: Any) -> Any:
    """Return the column of each stored element of a CSR matrix, the row of each of a CSC matrix."""
    return _indices(x)


def csm_indptr(x: Any) -> Any:
    """Return where the stored elements of each row (in CSC: column) begin and end."""
    return _indptr(x)


def csm_shape(x: Any) -> Any:
    """Return the shape of a sparse matrix, a vector."""
    return shape_of(as_sparse_argument(x, "csm_shape"))


def csm_properties(x: Any) -> list[Any]:
    """Return the stored elements, the indices, the index pointers and the shape of a matrix."""
    x = as_sparse_argument(x, "csm_properties")
    return [_stored(x), _indices(x), _indptr(x), shape_of(x)]


def with_data(x: Any, data: Any) -> Any:
    """Return a sparse matrix that stores the elements of a vector at the places of `x`."""
    return _with_stored(x, data)


def dense_from_sparse(x: Any, structured_grad: bool = True) -> Any:
    """Return a sparse matrix as a dense tensor.

    Parameters
    ----------
    structured_grad
        Whether the gradient by `x` is that by its stored elements alone, and zero elsewhere.
    """
    return DenseFromSparse(structured_grad)(x)


def csr_from_dense(x: Any) -> Any:
    """Return a dense matrix as a CSR matrix, which stores what is not zero."""
    return SparseFromDense("csr")(x)


def csc_from_dense(x: Any) -> Any:
    """Return a dense matrix as a CSC matrix, which stores what is not zero."""
    return SparseFromDense("csc")(x)


def transpose(x: Any) -> Any:
    """Return the transpose of a sparse matrix, in the other format."""
    return _transposed(x)


def sp_ones_like(x: Any) -> Any:
    """Return a sparse matrix with ones where `x` stores elements."""
    x = as_sparse_argument(x, "sp_ones_like")
    return _with_stored(x, ones_like(_stored(x)))


def sp_zeros_like(x: Any) -> Any:
    """Return a sparse matrix that stores zeros where `x` stores elements."""
    x = as_sparse_argument(x, "sp_zeros_like")
    return _with_stored(x, zeros_like(_stored(x)))


def remove0(x: Any) -> Any:
    """Return a sparse matrix without the zeros that are stored."""
    return _without_zeros(x)


def ensure_sorted_indices(x: Any) -> Any:
    """Return a sparse matrix with sorted indices: itself, as those of variables always are."""
    return as_sparse_argument(x, "ensure_sorted_indices")


clean = remove0


def _copy(x: Any) -> Any:
    return _with_stored(x, identity(_stored(x)))


# -- products --------------------------------------------------------------------------------------


def _product(x: Any, y: Any, name: str, is_structured: bool) -> Any:
    dense, sparse = DotDense(is_structured), DotSparse(is_structured)
    x, y = (elementwise.operand(v, name, i) for i, v in enumerate((x, y)))
    if is_sparse_variable(x) and is_sparse_variable(y):
        return sparse(x, as_format(y, x.type.format))
    if is_sparse_variable(x):
        return dense(x, y)
    if is_sparse_variable(y):
        return dense_transpose(dense(_transposed(y), dense_transpose(x)))
    raise TypeError(f"sparse.{name}: neither {x} nor {y} is sparse")


def structured_dot(x: Any, y: Any) -> Any:
    """Return the product of two matrices, of which one at least is sparse.

    It is sparse if both are. A dense factor may be a vector. No dense matrix is made of a sparse
    one. The gradient by a sparse factor is that by its stored elements alone.
    """
    return _product(x, y, "structured_dot", True)


def dot(x: Any, y: Any) -> Any:
    """Return the product of two matrices, of which one at least is sparse, as `structured_dot`
    does; but the gradient by a sparse factor is that by all elements, stored or not."""
    return _product(x, y, "dot", False)


true_dot = dot


def sampling_dot(x: Any, y: Any, p: Any) -> Any:
    """Return ``p * (x @ y.T)``, computed only where the sparse matrix `p` stores elements.

    Parameters
    ----------
    x, y
        Dense matrices with as many columns.
    """
    p = as_sparse_argument(p, "sampling_dot", 2)
    return _with_stored(p, _stored(p) * _sampled_product(p, x, y))


# -- sums, diagonals and scales --------------------------------------------------------------------


def sp_sum(x: Any, axis: int | None = None, sparse_grad: bool = False) -> Any:
    """Return the sum of the elements of a sparse matrix, or their sums along an axis: dense.

    Parameters
    ----------
    axis
        An axis, or None for all elements.
    sparse_grad
        Whether the gradient is that by the stored elements alone, not by all.
    """
    which = None if axis is None else normalize_axis(axis, 2, "sp_sum")
    return SparseSum(which, sparse_grad)(x)


def diag(x: Any) -> Any:
    """Return the main diagonal of a sparse matrix, a vector."""
    x = as_sparse_argument(x, "diag")
    n, m = lengths(x)
    least = min(n, m) if isinstance(n, int) and isinstance(m, int) else minimum(n, m)
    along = arange(least)
    return _elements(x, along, along)


def square_diagonal(v: Any) -> Any:
    """Return the square CSC matrix with a vector on its diagonal."""
    v = as_argument(v, "square_diagonal")
    n = shape_i(v, 0)
    return CSC(v, arange(n), arange(n + 1), (n, n))


def row_scale(x: Any, s: Any) -> Any:
    """Return a sparse matrix with each row multiplied by an element of a vector."""
    return mul(as_sparse_argument(x, "row_scale"), as_tensor_variable(s).dimshuffle(0, "x"))


def col_scale(x: Any, s: Any) -> Any:
    """Return a sparse matrix with each column multiplied by an element of a vector."""
    return mul(as_sparse_argument(x, "col_scale"), as_tensor_variable(s).dimshuffle("x", 0))


# -- parts and joins -------------------------------------------------------------------------------


def getitem(x: Any, key: Any) -> Any:
    """Return ``x[key]`` of a sparse matrix.

    Parameters
    ----------
    key
        For the rows, or the rows and the columns: a slice, or a vector of integers, which picks
        them. Two integers give one element, of rank 0; two vectors of integers, as in NumPy, the
        elements at pairs of them, a dense vector.

    Raises
    ------
    TypeError
        If a single integer picks a row or a column: that is no matrix.
    """
    parts = key if isinstance(key, tuple) else (key,)
    if len(parts) > 2:
        raise IndexError(f"{x} has two axes, and the index {key} is for {len(parts)}")
    if len(parts) == 2 and not any(isinstance(part, slice) for part in parts):
        i, j = (_from_front(part, x, axis) for axis, part in enumerate(parts))
        if i.type.ndim == j.type.ndim == 0:
            return _elements(x, i.dimshuffle("x"), j.dimshuffle("x")).dimshuffle()
        if i.type.ndim == j.type.ndim == 1:
            return _elements(x, i, j)
    for axis, part in enumerate(parts):
        if isinstance(part, slice) and part == slice(None):
            continue
        if _is_integer(part):
            raise TypeError(
                f"{x}[{key}]: an integer picks no matrix of a sparse one; a slice from it to the "
                "next one does"
            )
        index = arange(shape_i(x, axis))[part] if isinstance(part, slice) else part
        x = take(x, as_argument(index, "sparse.getitem"), axis)
    return x


def _is_integer(part: Any) -> bool:
    return not isinstance(part, slice | list) and as_tensor_variable(part).type.ndim == 0


def _from_front(part: Any, x: Any, axis: int) -> Any:
    """Return an index, or a vector of them, counted from the front."""
    index = as_argument(part, "sparse.getitem")
    return switch(lt(index, 0), index + shape_i(x, axis), index)


def _joined(axis: int, blocks: Any, format: str | None, dtype: Any) -> Any:
    made = [as_sparse_variable(block) for block in blocks]
    if not made:
        raise ValueError("there are no sparse matrices to join")
    kind = made[0].type.format if format is None else format
    joined = JoinSparse(axis)(*[as_format(block, kind) for block in made])
    return joined if dtype is None else elementwise.cast(joined, dtype)


def hstack(blocks: Any, format: str | None = None, dtype: Any = None) -> Any:
    """Return sparse matrices side by side.

    Parameters
    ----------
    blocks
        A sequence of sparse matrices with as many rows.
    format
        The format of the result; by default that of the first matrix.
    dtype
        Its dtype; by default the one that the matrices have in common.
    """
    return _joined(1, blocks, format, dtype)


def vstack(blocks: Any, format: str | None = None, dtype: Any = None) -> Any:
    """Return sparse matrices below each other; for the parameters see `hstack`."""
    return _joined(0, blocks, format, dtype)


def _size(x: Any) -> Any:
    return as_tensor_variable(product(lengths(x)))


SparseVariable._ops = OpNamespace(
    SparseVariable,
    **FUNCTIONS,
    **{name: getattr(elementwise, name) for name in ("lt", "le", "gt", "ge", "cast")},
    add=add,
    as_format=as_format,
    copy=_copy,
    dense_from_sparse=dense_from_sparse,
    diag=diag,
    getitem=getitem,
    indices=csm_indices,
    indptr=csm_indptr,
    matmul=structured_dot,
    mul=mul,
    pow=FUNCTIONS["structured_pow"],
    shape=shape_of,
    size=_size,
    stored=csm_data,
    sub=sub,
    sum=sp_sum,
    transpose=transpose,
    true_div=true_div,
    zeros_like=sp_zeros_like,
    int_div=refused("//"),
    mod=refused("%"),
    invert=refused("~"),
    and_=refused("&"),
    or_=refused("|"),
    xor=refused("^"),
)
