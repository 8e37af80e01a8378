"""Functions that make sparse input variables: ``csr_matrix("x")``, ``csc_fmatrix("y")``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NoReturn

import scipy.sparse as sp

import relgraph.tensor.math as tm
from relgraph.graph.notation import OpNamespace
from relgraph.graph.shared_values import Container, SharedVariable
from relgraph.introspection import public_functions
from relgraph.scalar.type import number_kind
from relgraph.sparse.matrices import FORMATS
from relgraph.sparse.op import (
    COMPARISONS,
    CompareSparse,
    Compressed,
    SparsePair,
    _add_sparse,
    _elements,
    _indices,
    _indptr,
    _sampled,
    _stored,
    _sub_sparse,
    _transposed,
    _with_stored,
    _without_zeros,
    as_format,
    as_sparse_argument,
    as_sparse_variable,
    is_sparse_variable,
    sparse_type_of,
)
from relgraph.sparse.products import (
    DenseFromSparse,
    DotDense,
    DotSparse,
    JoinSparse,
    SparseFromDense,
    SparseSum,
    _dense,
    _sampled_dense,
    _sampled_product,
    take,
)
from relgraph.sparse.type import SparseConstant as SparseConstant
from relgraph.sparse.type import SparseTensorType, SparseVariable
from relgraph.tensor.along_axes import weak
from relgraph.tensor.assembly import arange, ones_like, zeros_like
from relgraph.tensor.basic import as_argument, as_tensor_variable, has_one_element, normalize_axis
from relgraph.tensor.constructors import PREFIXES, Constructor
from relgraph.tensor.math import identity, minimum, switch
from relgraph.tensor.math import lt as less
from relgraph.tensor.shapes import lengths, product, shape_i
from relgraph.tensor.shapes import shape as shape_of
from relgraph.tensor.shapes import transpose as dense_transpose

ZERO_AT_ZERO = (
    *("abs", "cbrt", "ceil", "conj", "floor", "imag", "neg", "real", "round", "sign", "trunc"),
    *("arcsin", "arcsinh", "arctan", "arctanh", "sin", "sinh", "tan", "tanh"),
    *("deg2rad", "erf", "expm1", "log1p", "rad2deg", "sqr", "sqrt"),
)
"""Functions that are 0 at 0: of the stored elements, they are what they are of the matrix."""

OF_STORED = ("exp", "log", "sigmoid", "pow", "minimum", "maximum", "add", "softplus", "reciprocal")
"""Functions that are not 0 at 0, of the stored elements alone: ``structured_exp``, say."""

ALIASES = {
    "as_sparse": "as_sparse_variable",
    "conjugate": "conj",
    "multiply": "mul",
    "subtract": "sub",
    "sgn": "sign",
    "rint": "round",
}
"""Other names of functions."""

CONSTRUCTORS = {
    name: Constructor(name, (None, None), dtype, partial(SparseTensorType, fmt))
    for fmt in FORMATS
    for name, dtype in {
        f"{fmt}_matrix": None,
        **{f"{fmt}_{prefix}matrix": dtype for prefix, dtype in PREFIXES.items()},
    }.items()
}
"""The constructors by name: of any dtype, and of one dtype, with its letter as in `dmatrix`."""


def matrix(
    format: str,
    name: str | None = None,
    dtype: Any = "floatX",
    shape: Sequence[int | None] = (None, None),
) -> SparseVariable:
    """Return a new variable of a format, ``csr`` or ``csc``."""
    made = SparseTensorType(format, dtype, shape)(name)
    assert isinstance(made, SparseVariable)
    return made


def _operand(x: Any, what: str, position: int) -> Any:
    """Return an argument as a sparse variable or as a tensor, but a Python number as it is."""
    if is_sparse_variable(x) or sp.issparse(x):
        return as_sparse_variable(x)
    return weak(x, what, position)


def _operands(x: Any, y: Any, what: str) -> tuple[Any, Any]:
    """Return two arguments, of which one at least is sparse; both in the format of the first.

    Raises
    ------
    TypeError
        If none is sparse.
    """
    x, y = _operand(x, what, 0), _operand(y, what, 1)
    if is_sparse_variable(x):
        return x, as_format(y, x.type.format) if is_sparse_variable(y) else y
    if not is_sparse_variable(y):
        raise TypeError(f"sparse.{what}: neither {x} nor {y} is sparse")
    return x, y


def _as_dense(x: Any) -> Any:
    return _dense(x) if is_sparse_variable(x) else x


def _stored_beside(x: Any, y: Any) -> Any:
    """Return the elements of `y` at the places where the sparse matrix `x` stores some.

    Parameters
    ----------
    y
        A sparse variable of the same format, or a tensor that broadcasts to the shape of `x`; of a
        tensor of one element this is that. Or a Python number.
    """
    if number_kind(y) is not None:
        return y
    if is_sparse_variable(y):
        return _sampled(x, y)
    if has_one_element(y):
        return y.dimshuffle()
    if y.type.ndim > 2:
        raise TypeError(f"{y} is a {y.type}, which does not broadcast to a matrix")
    return _sampled_dense(x, y if y.type.ndim == 2 else y.dimshuffle("x", 0))


def _elementwise(op: SparsePair, x: Any, y: Any) -> Any:
    """Return an op of two sparse matrices, or of dense ones if one of them is."""
    x, y = _operands(x, y, str(op))
    if is_sparse_variable(x) and is_sparse_variable(y):
        return op(x, y)
    return getattr(tm, str(op))(_as_dense(x), _as_dense(y))


def add(x: Any, y: Any) -> Any:
    """Return the sum of a sparse matrix and a sparse or dense one: sparse if both are."""
    return _elementwise(_add_sparse, x, y)


def sub(x: Any, y: Any) -> Any:
    """Return the difference of a sparse matrix and a sparse or dense one: sparse if both are."""
    return _elementwise(_sub_sparse, x, y)


def mul(x: Any, y: Any) -> Any:
    """Return the product of the elements of a sparse matrix and another factor, which is sparse.

    It stores elements where `x` does (`y`, if `x` is dense).
    """
    x, y = _operands(x, y, "mul")
    if not is_sparse_variable(x):
        x, y = y, x
    return _with_stored(x, tm.mul(_stored(x), _stored_beside(x, y)))


def true_div(x: Any, y: Any) -> Any:
    """Return the quotients of the stored elements of a sparse matrix by those of a dense `y`.

    Raises
    ------
    TypeError
        If `y` is sparse: the quotient of two zeros is nan nearly everywhere.
    """
    x, y = _operands(x, y, "true_div")
    if is_sparse_variable(y):
        raise TypeError(f"true_div: {y} is sparse, so nearly all quotients are of zeros by zero")
    return _with_stored(x, tm.true_div(_stored(x), _stored_beside(x, y)))


def structured(function: Callable[..., Any], x: Any, *others: Any) -> Any:
    """Return a sparse matrix that stores what a function makes of the stored elements of `x`.

    Parameters
    ----------
    function
        An elementwise function of tensors: of the stored elements, and `others`.
    others
        Further arguments: sparse or dense matrices of the shape of `x` or that broadcast to it, or
        numbers.
    """
    x = as_sparse_variable(x)
    beside = [_operands(x, y, "structured")[1] for y in others]
    return _with_stored(x, function(_stored(x), *[_stored_beside(x, y) for y in beside]))


def _comparison(name: str) -> Callable[[Any, Any], Any]:
    def compare(x: Any, y: Any) -> Any:
        return _elementwise(CompareSparse(name), x, y)

    compare.__name__ = name
    compare.__doc__ = (
        f"Return ``{name}(x, y)`` of each pair of elements: sparse booleans of two sparse "
        "matrices, a dense matrix of a sparse and a dense one."
    )
    return compare


eq, neq, lt, le, gt, ge = map(_comparison, COMPARISONS)


def _of_stored(function: Callable[..., Any], name: str) -> Callable[..., Any]:
    def apply(x: Any, *others: Any) -> Any:
        return structured(function, x, *others)

    apply.__name__ = name
    apply.__doc__ = (
        f"Return a sparse matrix with `relgraph.tensor.{function}` of the stored elements of `x`."
    )
    return apply


FUNCTIONS: dict[str, Callable[..., Any]] = {
    **{name: _of_stored(getattr(tm, name), name) for name in ZERO_AT_ZERO},
    **{
        f"structured_{name}": _of_stored(getattr(tm, name), f"structured_{name}")
        for name in OF_STORED
    },
}
"""The functions of stored elements, by name."""


def cast(x: Any, dtype: Any) -> Any:
    """Return a sparse matrix with its stored elements cast to another dtype."""
    x = as_sparse_variable(x)
    return _with_stored(x, tm.cast(_stored(x), dtype))


def _refused(symbol: str) -> Callable[..., NoReturn]:
    """Return what stands in the place of an operator that sparse matrices have not."""

    def refuse(x: Any, *others: Any) -> NoReturn:
        raise TypeError(
            f"sparse matrices have no {symbol}; `toarray()` makes a dense tensor, and "
            "`relgraph.sparse.structured` applies a function to the stored elements"
        )

    return refuse


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
    x, y = _operands(x, y, name)
    if not is_sparse_variable(x):
        return dense_transpose(dense(_transposed(y), dense_transpose(x)))
    return sparse(x, y) if is_sparse_variable(y) else dense(x, y)


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
    return switch(less(index, 0), index + shape_i(x, axis), index)


def _joined(axis: int, blocks: Any, format: str | None, dtype: Any) -> Any:
    made = [as_sparse_variable(block) for block in blocks]
    if not made:
        raise ValueError("there are no sparse matrices to join")
    kind = made[0].type.format if format is None else format
    joined = JoinSparse(axis)(*[as_format(block, kind) for block in made])
    return joined if dtype is None else cast(joined, dtype)


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


globals().update(CONSTRUCTORS | FUNCTIONS)
globals().update({alias: globals()[name] for alias, name in ALIASES.items()})

SparseVariable._ops = OpNamespace(
    SparseVariable,
    **{name: globals()[name] for name in public_functions(globals())},
    as_format=as_format,
    copy=_copy,
    indices=csm_indices,
    indptr=csm_indptr,
    matmul=structured_dot,
    pow=FUNCTIONS["structured_pow"],
    shape=shape_of,
    size=_size,
    stored=csm_data,
    sum=sp_sum,
    zeros_like=sp_zeros_like,
    int_div=_refused("//"),
    mod=_refused("%"),
    invert=_refused("~"),
    and_=_refused("&"),
    or_=_refused("|"),
    xor=_refused("^"),
    left_shift=_refused("<<"),
    right_shift=_refused(">>"),
)


class SparseSharedVariable(SharedVariable, SparseVariable):
    """A shared variable whose value is a sparse matrix."""

    __slots__ = ()


def shared_matrix(
    value: Any,
    name: str | None = None,
    strict: bool = False,
    allow_downcast: bool | None = None,
    borrow: bool = False,
) -> SparseSharedVariable:
    """Return a shared variable with a copy of a matrix of SciPy; see `relgraph.shared`.

    Its format is csc if that is the format of the matrix, else csr.
    """
    kind = sparse_type_of(value)
    container = Container(kind, value, name, False, allow_downcast, borrow)
    container.strict = strict
    return SparseSharedVariable(kind, container, name)


NAMES = (
    *(*public_functions(globals()), *CONSTRUCTORS, *ALIASES, "as_sparse_variable", "is_matrix"),
    *("CSC", "CSR", "SparseConstant", "SparseSharedVariable", "SparseTensorType", "SparseVariable"),
)
"""The names that the package has."""
