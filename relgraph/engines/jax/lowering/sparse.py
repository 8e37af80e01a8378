"""Sparse matrices: their elements are traced, and where these are stored is known or traced.

How many elements a result stores has to be known. Where that depends on values, as in sums, which
store no zeros, these values are needed.
"""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
import numpy as np

from relgraph.engines.jax.lowering.dispatch import NeedsValue, is_known, is_traced, static
from relgraph.engines.jax.lowering.linalg import PRECISION
from relgraph.engines.jax.lowering.scalars import as_dtype
from relgraph.engines.jax.values import SparseValue
from relgraph.graph.basic import Apply
from relgraph.sparse.op import (
    AddSparse,
    ChangeFormat,
    CompareSparse,
    Compressed,
    Elements,
    FromPlaces,
    Indices,
    Majors,
    Sampled,
    Stored,
    SubSparse,
    Transposed,
    WithoutZeros,
    WithStored,
)
from relgraph.sparse.products import (
    DenseFromSparse,
    DotDense,
    DotSparse,
    JoinSparse,
    SampledDense,
    SampledProduct,
    SparseFromDense,
    SparseSum,
    TakeRows,
)

# -- places ----------------------------------------------------------------------------------------


def _majors(indptr: Any, count: int) -> Any:
    """Return the row (in csc: column) of each stored element."""
    if is_known(indptr):
        return np.repeat(np.arange(len(indptr) - 1), np.diff(indptr))
    lengths = jnp.diff(indptr)
    return jnp.repeat(jnp.arange(len(indptr) - 1), lengths, total_repeat_length=count)


def _places(x: SparseValue) -> tuple[Any, Any]:
    """Return the rows and the columns of the stored elements."""
    outer = _majors(x.indptr, x.nnz)
    return (outer, x.indices) if x.format == "csr" else (x.indices, outer)


def _lengths(shape: Any) -> tuple[int, int]:
    rows, columns = shape
    return int(rows), int(columns)


def _sides(shape: tuple[int, int], fmt: str) -> tuple[int, int]:
    return shape if fmt == "csr" else (shape[1], shape[0])


def _keys(x: SparseValue) -> Any:
    """Return increasing numbers, one for the place of each stored element."""
    outer = _majors(x.indptr, x.nnz)
    return as_dtype(outer, "int64") * _sides(x.shape, x.format)[1] + x.indices


def _looked_up(x: SparseValue, keys: Any) -> Any:
    """Return the elements at places given by their keys; zeros where nothing is stored."""
    if x.nnz == 0:
        return jnp.zeros(len(keys), x.dtype)
    own = _keys(x)
    position = jnp.minimum(jnp.searchsorted(own, keys), x.nnz - 1)
    stored = jnp.asarray(own)[position] == keys
    return jnp.where(stored, jnp.asarray(x.data)[position], jnp.zeros((), x.dtype))


def _compressed(rows: Any, columns: Any, data: Any, shape: Any, fmt: str) -> SparseValue:
    """Return the matrix of elements at different places, in any order."""
    xp: Any = np if is_known(rows) and is_known(columns) else jnp
    outer, inner = (rows, columns) if fmt == "csr" else (columns, rows)
    length = _sides(shape, fmt)[0]
    order = xp.lexsort((inner, outer))
    sized = {"minlength": length} if xp is np else {"length": length}
    counts = xp.bincount(outer, **sized)
    indptr = xp.concatenate([xp.zeros(1, "int32"), xp.cumsum(counts).astype("int32")])
    indices = xp.asarray(inner)[order].astype("int32")
    return SparseValue(jnp.asarray(data)[order], indices, indptr, _lengths(shape), fmt)


def _of_keys(keys: Any, data: Any, shape: Any, fmt: str) -> SparseValue:
    """Return the matrix of elements whose keys are known and increase."""
    length = _sides(shape, fmt)[1]
    outer, inner = np.divmod(keys, max(length, 1))
    rows, columns = (outer, inner) if fmt == "csr" else (inner, outer)
    return _compressed(rows, columns, data, shape, fmt)


def _structure(node: Apply, position: int, x: SparseValue) -> SparseValue:
    """Return a matrix whose places are known; raise NeedsValue if they are traced."""
    if is_traced((x.indices, x.indptr)):
        raise NeedsValue(node, [node.inputs[position]])
    return SparseValue(x.data, np.asarray(x.indices), np.asarray(x.indptr), x.shape, x.format)


def _stored_only(node: Apply, keys: Any, data: Any, shape: Any, fmt: str) -> SparseValue:
    """Return the matrix of the elements that are not zero, at places that are known."""
    if is_traced(data):
        raise NeedsValue(node)
    kept = np.asarray(data) != 0
    return _of_keys(np.asarray(keys)[kept], jnp.asarray(data)[kept], shape, fmt)


def _added_at(shape: tuple[int, ...], which: Any, terms: Any) -> Any:
    """Return the sums of the terms that have the same place; of booleans whether one is true."""
    total = jnp.zeros(shape, terms.dtype).at[which]
    return total.max(terms) if terms.dtype == bool else total.add(terms)


def _check_shapes(op: Any, x: Any, y: Any) -> None:
    if tuple(x.shape) != tuple(y.shape):
        raise ValueError(f"{op}: the inputs have the shapes {tuple(x.shape)} and {tuple(y.shape)}")


# -- parts and conversions -------------------------------------------------------------------------


def stored(op: Stored, node: Apply, x: SparseValue) -> Any:
    return x.data


def indices(op: Indices, node: Apply, x: SparseValue) -> Any:
    return getattr(x, op.part)


def with_stored(op: WithStored, node: Apply, x: SparseValue, data: Any) -> Any:
    if len(data) != x.nnz:
        raise ValueError(f"{op}: {len(data)} elements for {x.nnz} places")
    return SparseValue(data, x.indices, x.indptr, x.shape, x.format)


def transposed(op: Transposed, node: Apply, x: SparseValue) -> Any:
    fmt = "csc" if x.format == "csr" else "csr"
    return SparseValue(x.data, x.indices, x.indptr, (x.shape[1], x.shape[0]), fmt)


def change_format(op: ChangeFormat, node: Apply, x: SparseValue) -> Any:
    return _compressed(*_places(x), x.data, x.shape, op.format)


def without_zeros(op: WithoutZeros, node: Apply, x: SparseValue) -> Any:
    x = _structure(node, 0, x)
    return _stored_only(node, _keys(x), x.data, x.shape, x.format)


def sampled(op: Sampled, node: Apply, pattern: SparseValue, x: SparseValue) -> Any:
    _check_shapes(op, pattern, x)
    return _looked_up(x, _keys(pattern))


def dense(op: DenseFromSparse, node: Apply, x: SparseValue) -> Any:
    return jnp.zeros(x.shape, x.dtype).at[_places(x)].set(x.data)


def from_dense(op: SparseFromDense, node: Apply, x: Any) -> Any:
    rows, columns = np.nonzero(static(node, 0, x))
    return _compressed(rows, columns, jnp.asarray(x)[rows, columns], x.shape, op.format)


def sampled_dense(op: SampledDense, node: Apply, pattern: SparseValue, y: Any) -> Any:
    known = node.inputs[1].type.shape
    index: list[Any] = []
    for n, length, m, place in zip(known, y.shape, pattern.shape, _places(pattern), strict=True):
        if n != 1 and length != m:
            raise ValueError(f"{op}: the shapes are {pattern.shape} and {y.shape}")
        index.append(jnp.zeros_like(place) if n == 1 else place)
    return jnp.asarray(y)[tuple(index)]


def summed(op: SparseSum, node: Apply, x: SparseValue) -> Any:
    dtype = node.outputs[0].type.dtype
    data = as_dtype(x.data, dtype)
    if op.axis is None:
        return jnp.sum(data)
    return _added_at((x.shape[1 - op.axis],), _places(x)[1 - op.axis], data)


# -- places given --------------------------------------------------------------------------------


def from_places(
    op: FromPlaces, node: Apply, data: Any, rows: Any, columns: Any, n: Any, m: Any
) -> Any:
    given = [static(node, i, v) for i, v in ((1, rows), (2, columns), (3, n), (4, m))]
    rows, columns = (v.astype("int64") for v in given[:2])
    shape = (int(given[2]), int(given[3]))
    for which, length in ((rows, shape[0]), (columns, shape[1])):
        if len(which) != len(data):
            raise ValueError(f"{op}: {len(data)} elements at {len(which)} places")
        if len(which) and not 0 <= which.min() <= which.max() < length:
            raise IndexError(f"{op}: an index is not below {length}, or negative")
    outer, inner = (rows, columns) if op.format == "csr" else (columns, rows)
    keys = outer * _sides(shape, op.format)[1] + inner
    places, which = np.unique(keys, return_inverse=True)
    data = jnp.asarray(data)
    return _of_keys(places, _added_at((len(places),), which, data), shape, op.format)


def elements(op: Elements, node: Apply, x: SparseValue, rows: Any, columns: Any) -> Any:
    if len(rows) != len(columns):
        raise ValueError(f"{op}: {len(rows)} rows and {len(columns)} columns")
    outer, inner = (rows, columns) if x.format == "csr" else (columns, rows)
    return _looked_up(x, as_dtype(outer, "int64") * _sides(x.shape, x.format)[1] + inner)


def compressed(
    op: Compressed, node: Apply, data: Any, indices: Any, indptr: Any, shape: Any
) -> Any:
    indices, indptr, shape = (
        static(node, i, v) for i, v in ((1, indices), (2, indptr), (3, shape))
    )
    if len(indptr) == 0 or indptr[-1] > len(indices) or len(data) < indptr[-1]:
        raise ValueError(f"{op}: {len(indices)} indices for pointers that end at {indptr[-1:]}")
    count = int(indptr[-1])
    outer, inner = _majors(indptr, count), indices[:count]
    length = _sides(_lengths(shape), op.format)[1]
    places, which = np.unique(outer * length + inner.astype("int64"), return_inverse=True)
    data = jnp.asarray(data)[:count]
    return _of_keys(places, _added_at((len(places),), which, data), shape, op.format)


def majors(op: Majors, node: Apply, indptr: Any) -> Any:
    known = static(node, 0, indptr)
    return _majors(known, int(known[-1])).astype("int64")


def take_rows(op: TakeRows, node: Apply, x: SparseValue, index: Any) -> Any:
    x = _structure(node, 0, x)
    wanted = static(node, 1, index).astype("int64")
    n = x.shape[0]
    if len(wanted) and not -n <= wanted.min() <= wanted.max() < n:
        raise IndexError(f"{op}: an index is out of bounds for {n} rows")
    rows, columns = _places(x)
    order = np.lexsort((columns, rows))
    starts = np.searchsorted(rows[order], np.arange(n + 1))
    wanted = wanted % max(n, 1)
    counts = starts[wanted + 1] - starts[wanted] if len(wanted) else np.zeros(0, "int64")
    ends = np.cumsum(counts)
    within = np.arange(ends[-1] if len(ends) else 0) - np.repeat(ends - counts, counts)
    source = order[np.repeat(starts[wanted], counts) + within]
    shape = (len(wanted), x.shape[1])
    new_rows = np.repeat(np.arange(len(wanted)), counts)
    return _compressed(new_rows, columns[source], jnp.asarray(x.data)[source], shape, x.format)


def joined(op: JoinSparse, node: Apply, *values: SparseValue) -> Any:
    if len({v.shape[1 - op.axis] for v in values}) > 1:
        raise ValueError(f"{op}: the shapes are {', '.join(str(v.shape) for v in values)}")
    dtype = node.outputs[0].type.dtype
    places: list[list[Any]] = [[], []]
    offset = 0
    for v in values:
        for axis, which in enumerate(_places(v)):
            places[axis].append(which + (offset if axis == op.axis else 0))
        offset += v.shape[op.axis]
    shape = [values[0].shape[0], values[0].shape[1]]
    shape[op.axis] = offset
    known = all(is_known(which) for side in places for which in side)
    xp: Any = np if known else jnp
    rows, columns = (xp.concatenate(side) for side in places)
    data = jnp.concatenate([as_dtype(v.data, dtype) for v in values])
    return _compressed(rows, columns, data, shape, values[0].format)


# -- sums and products -----------------------------------------------------------------------------


def _of_pair(op: Any, node: Apply, x: SparseValue, y: SparseValue, function: Any) -> Any:
    _check_shapes(op, x, y)
    dtype = np.result_type(x.dtype, y.dtype)
    x, y = _structure(node, 0, x), _structure(node, 1, y)
    keys = np.union1d(_keys(x), _keys(y))
    found = function(as_dtype(_looked_up(x, keys), dtype), as_dtype(_looked_up(y, keys), dtype))
    return _stored_only(node, keys, found, x.shape, x.format)


def added(op: AddSparse, node: Apply, x: SparseValue, y: SparseValue) -> Any:
    return _of_pair(op, node, x, y, jnp.add)


def subtracted(op: SubSparse, node: Apply, x: SparseValue, y: SparseValue) -> Any:
    return _of_pair(op, node, x, y, jnp.subtract)


_COMPARED = {"neq": jnp.not_equal, "lt": jnp.less, "gt": jnp.greater}
# SciPy's are the contrary of another comparison, of nan too
_CONTRARY = {"eq": jnp.not_equal, "le": jnp.greater, "ge": jnp.less}


def compared(op: CompareSparse, node: Apply, x: SparseValue, y: SparseValue) -> Any:
    if op.comparison in _COMPARED:
        return _of_pair(op, node, x, y, _COMPARED[op.comparison])
    _check_shapes(op, x, y)
    whole_x, whole_y = (jnp.zeros(v.shape, v.dtype).at[_places(v)].set(v.data) for v in (x, y))
    found = ~_CONTRARY[op.comparison](whole_x, whole_y)
    if is_traced(found):
        raise NeedsValue(node)
    rows, columns = np.nonzero(np.asarray(found))
    return _compressed(rows, columns, jnp.ones(len(rows), bool), x.shape, x.format)


def dot_dense(op: DotDense, node: Apply, x: SparseValue, y: Any) -> Any:
    if x.shape[1] != y.shape[0]:
        raise ValueError(f"{op}: the shapes {x.shape} and {y.shape} do not fit")
    dtype = node.outputs[0].type.dtype
    rows, columns = _places(x)
    data, y = as_dtype(x.data, dtype), as_dtype(jnp.asarray(y), dtype)
    terms = (data[:, None] if y.ndim == 2 else data) * y[columns]
    return _added_at((x.shape[0], *y.shape[1:]), rows, terms)


def dot_sparse(op: DotSparse, node: Apply, x: SparseValue, y: SparseValue) -> Any:
    if x.shape[1] != y.shape[0]:
        raise ValueError(f"{op}: the shapes {x.shape} and {y.shape} do not fit")
    dtype = node.outputs[0].type.dtype
    x, y = _structure(node, 0, x), _structure(node, 1, y)
    (rows, inner), (below, columns) = _places(x), _places(y)
    order = np.argsort(below, kind="stable")
    starts = np.searchsorted(below[order], np.arange(y.shape[0] + 1))
    counts = starts[inner + 1] - starts[inner]
    first = np.repeat(np.arange(x.nnz), counts)
    within = np.arange(len(first)) - np.repeat(np.cumsum(counts) - counts, counts)
    second = order[np.repeat(starts[inner], counts) + within]
    shape = (x.shape[0], y.shape[1])
    outer, side = (
        (rows[first], columns[second]) if x.format == "csr" else (columns[second], rows[first])
    )
    length = _sides(shape, x.format)[1]
    keys, which = np.unique(outer.astype("int64") * length + side, return_inverse=True)
    terms = (
        as_dtype(jnp.asarray(x.data), dtype)[first] * as_dtype(jnp.asarray(y.data), dtype)[second]
    )
    found = _added_at((len(keys),), which, terms)
    return _stored_only(node, keys, found, shape, x.format)


def sampled_product(op: SampledProduct, node: Apply, pattern: SparseValue, x: Any, y: Any) -> Any:
    if pattern.shape != (len(x), len(y)) or x.shape[1] != y.shape[1]:
        raise ValueError(
            f"{op}: places in {pattern.shape}, of a product of {x.shape} and {y.shape}"
        )
    dtype = node.outputs[0].type.dtype
    rows, columns = _places(pattern)
    left, right = as_dtype(jnp.asarray(x), dtype)[rows], as_dtype(jnp.asarray(y), dtype)[columns]
    if dtype == "bool":
        return (left & right).any(axis=1)
    return jnp.einsum("ij,ij->i", left, right, precision=PRECISION)


TABLE: dict[type, Any] = {
    Stored: stored,
    Indices: indices,
    WithStored: with_stored,
    Sampled: sampled,
    Transposed: transposed,
    WithoutZeros: without_zeros,
    ChangeFormat: change_format,
    DenseFromSparse: dense,
    SparseFromDense: from_dense,
    SampledDense: sampled_dense,
    SparseSum: summed,
    AddSparse: added,
    SubSparse: subtracted,
    CompareSparse: compared,
    FromPlaces: from_places,
    Elements: elements,
    Compressed: compressed,
    Majors: majors,
    DotDense: dot_dense,
    DotSparse: dot_sparse,
    SampledProduct: sampled_product,
    TakeRows: take_rows,
    JoinSparse: joined,
}
