"""Sparse matrices: their elements are traced, and where these are stored is known or traced.

How many elements a result stores has to be known. Where that depends on values, as in sums, which
store no zeros, these values are needed.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import jax.numpy as jnp
import numpy as np

from relgraph.engines.jax.lowering.dispatch import (
    NeedsValue,
    by_perform,
    is_known,
    is_traced,
    static,
)
from relgraph.engines.jax.lowering.linalg import PRECISION
from relgraph.engines.jax.values import SparseValue, as_dtype, from_scipy, to_scipy
from relgraph.graph.basic import Apply
from relgraph.sparse import op as sparse_ops
from relgraph.sparse import products
from relgraph.sparse.matrices import majors as majors_of
from relgraph.tensor.math import check_inner

# -- places ----------------------------------------------------------------------------------------


def _majors(indptr: Any, count: int) -> Any:
    """Return the row (in csc: column) of each stored element."""
    if is_known(indptr):
        return majors_of(indptr)
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


def _numbered(rows: Any, columns: Any, shape: tuple[int, int], fmt: str) -> Any:
    """Return the numbers of places, which increase in the order in which a format stores them."""
    outer, inner = (rows, columns) if fmt == "csr" else (columns, rows)
    return as_dtype(outer, "int64") * _sides(shape, fmt)[1] + inner


def _keys(x: SparseValue) -> Any:
    """Return increasing numbers, one for the place of each stored element."""
    return _numbered(*_places(x), x.shape, x.format)


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


def _summed_at(keys: Any, terms: Any, shape: Any, fmt: str) -> SparseValue:
    """Return the matrix of the sums of the terms that have the same place, which is known."""
    places, which = np.unique(keys, return_inverse=True)
    return _of_keys(places, _added_at((len(places),), which, terms), shape, fmt)


# -- parts and conversions -------------------------------------------------------------------------


def with_stored(op: sparse_ops.WithStored, node: Apply, x: SparseValue, data: Any) -> Any:
    if len(data) != x.nnz:
        raise ValueError(f"{op}: {len(data)} elements for {x.nnz} places")
    return SparseValue(data, x.indices, x.indptr, x.shape, x.format)


def transposed(op: sparse_ops.Transposed, node: Apply, x: SparseValue) -> Any:
    fmt = "csc" if x.format == "csr" else "csr"
    return SparseValue(x.data, x.indices, x.indptr, (x.shape[1], x.shape[0]), fmt)


def change_format(op: sparse_ops.ChangeFormat, node: Apply, x: SparseValue) -> Any:
    return _compressed(*_places(x), x.data, x.shape, op.format)


def without_zeros(op: sparse_ops.WithoutZeros, node: Apply, x: SparseValue) -> Any:
    x = _structure(node, 0, x)
    return _stored_only(node, _keys(x), x.data, x.shape, x.format)


def sampled(op: sparse_ops.Sampled, node: Apply, pattern: SparseValue, x: SparseValue) -> Any:
    sparse_ops.check_shapes(op.name, pattern.shape, x.shape)
    return _looked_up(x, _keys(pattern))


def _dense(x: SparseValue) -> Any:
    return jnp.zeros(x.shape, x.dtype).at[_places(x)].set(x.data)


def from_dense(op: products.SparseFromDense, node: Apply, x: Any) -> Any:
    rows, columns = np.nonzero(static(node, 0, x))
    return _compressed(rows, columns, jnp.asarray(x)[rows, columns], x.shape, op.format)


def sampled_dense(op: products.SampledDense, node: Apply, pattern: SparseValue, y: Any) -> Any:
    known = node.inputs[1].type.shape
    index: list[Any] = []
    for n, length, m, place in zip(known, y.shape, pattern.shape, _places(pattern), strict=True):
        if n != 1 and length != m:
            raise ValueError(f"{op}: the shapes are {pattern.shape} and {y.shape}")
        index.append(jnp.zeros_like(place) if n == 1 else place)
    return jnp.asarray(y)[tuple(index)]


def summed(op: products.SparseSum, node: Apply, x: SparseValue) -> Any:
    dtype = node.outputs[0].type.dtype
    data = as_dtype(x.data, dtype)
    if op.axis is None:
        return jnp.sum(data)
    return _added_at((x.shape[1 - op.axis],), _places(x)[1 - op.axis], data)


# -- places given --------------------------------------------------------------------------------


def from_places(
    op: sparse_ops.FromPlaces, node: Apply, data: Any, rows: Any, columns: Any, n: Any, m: Any
) -> Any:
    given = [static(node, i, v) for i, v in ((1, rows), (2, columns), (3, n), (4, m))]
    rows, columns = (v.astype("int64") for v in given[:2])
    shape = (int(given[2]), int(given[3]))
    for which, length in ((rows, shape[0]), (columns, shape[1])):
        if len(which) != len(data):
            raise ValueError(f"{op}: {len(data)} elements at {len(which)} places")
        if len(which) and not 0 <= which.min() <= which.max() < length:
            raise IndexError(f"{op}: an index is not below {length}, or negative")
    keys = _numbered(rows, columns, shape, op.format)
    return _summed_at(keys, jnp.asarray(data), shape, op.format)


def elements(op: sparse_ops.Elements, node: Apply, x: SparseValue, rows: Any, columns: Any) -> Any:
    if len(rows) != len(columns):
        raise ValueError(f"{op}: {len(rows)} rows and {len(columns)} columns")
    return _looked_up(x, _numbered(rows, columns, x.shape, x.format))


def compressed(
    op: sparse_ops.Compressed, node: Apply, data: Any, indices: Any, indptr: Any, shape: Any
) -> Any:
    indices, indptr, shape = (
        static(node, i, v) for i, v in ((1, indices), (2, indptr), (3, shape))
    )
    if len(indptr) == 0 or indptr[-1] > len(indices) or len(data) < indptr[-1]:
        raise ValueError(f"{op}: {len(indices)} indices for pointers that end at {indptr[-1:]}")
    count = int(indptr[-1])
    outer, inner = _majors(indptr, count), indices[:count]
    length = _sides(_lengths(shape), op.format)[1]
    keys = outer * length + inner.astype("int64")
    return _summed_at(keys, jnp.asarray(data)[:count], shape, op.format)


def majors(op: sparse_ops.Majors, node: Apply, indptr: Any) -> Any:
    known = static(node, 0, indptr)
    return _majors(known, int(known[-1])).astype("int64")


def take_rows(op: products.TakeRows, node: Apply, x: SparseValue, index: Any) -> Any:
    x = _structure(node, 0, x)
    # which element goes where is seen from the rows of a matrix that stores their numbers
    numbers = to_scipy(replace(x, data=np.arange(1, x.nnz + 1)))
    taken = from_scipy(op.compute(node, numbers, static(node, 1, index)))
    return replace(taken, data=jnp.asarray(x.data)[taken.data - 1])


def joined(op: products.JoinSparse, node: Apply, *values: SparseValue) -> Any:
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
    sparse_ops.check_shapes(str(op), x.shape, y.shape)
    dtype = np.result_type(x.dtype, y.dtype)
    x, y = _structure(node, 0, x), _structure(node, 1, y)
    keys = np.union1d(_keys(x), _keys(y))
    found = function(as_dtype(_looked_up(x, keys), dtype), as_dtype(_looked_up(y, keys), dtype))
    return _stored_only(node, keys, found, x.shape, x.format)


_COMPARED = {"neq": jnp.not_equal, "lt": jnp.less, "gt": jnp.greater}
# SciPy's are the contrary of another comparison, of nan too
_CONTRARY = {"eq": jnp.not_equal, "le": jnp.greater, "ge": jnp.less}


def compared(op: sparse_ops.CompareSparse, node: Apply, x: SparseValue, y: SparseValue) -> Any:
    if op.comparison in _COMPARED:
        return _of_pair(op, node, x, y, _COMPARED[op.comparison])
    sparse_ops.check_shapes(str(op), x.shape, y.shape)
    found = ~_CONTRARY[op.comparison](_dense(x), _dense(y))
    if is_traced(found):
        raise NeedsValue(node)
    rows, columns = np.nonzero(np.asarray(found))
    return _compressed(rows, columns, jnp.ones(len(rows), bool), x.shape, x.format)


def dot_dense(op: products.DotDense, node: Apply, x: SparseValue, y: Any) -> Any:
    check_inner(op, x, y, 1, 0)
    dtype = node.outputs[0].type.dtype
    rows, columns = _places(x)
    data, y = as_dtype(x.data, dtype), as_dtype(jnp.asarray(y), dtype)
    terms = (data[:, None] if y.ndim == 2 else data) * y[columns]
    return _added_at((x.shape[0], *y.shape[1:]), rows, terms)


def dot_sparse(op: products.DotSparse, node: Apply, x: SparseValue, y: SparseValue) -> Any:
    check_inner(op, x, y, 1, 0)
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
    numbers = _numbered(rows[first], columns[second], shape, x.format)
    keys, which = np.unique(numbers, return_inverse=True)
    terms = (
        as_dtype(jnp.asarray(x.data), dtype)[first] * as_dtype(jnp.asarray(y.data), dtype)[second]
    )
    found = _added_at((len(keys),), which, terms)
    return _stored_only(node, keys, found, shape, x.format)


def sampled_product(
    op: products.SampledProduct, node: Apply, pattern: SparseValue, x: Any, y: Any
) -> Any:
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
    sparse_ops.Stored: by_perform,
    sparse_ops.Indices: by_perform,
    sparse_ops.WithStored: with_stored,
    sparse_ops.Sampled: sampled,
    sparse_ops.Transposed: transposed,
    sparse_ops.WithoutZeros: without_zeros,
    sparse_ops.ChangeFormat: change_format,
    products.DenseFromSparse: lambda op, node, x: _dense(x),
    products.SparseFromDense: from_dense,
    products.SampledDense: sampled_dense,
    products.SparseSum: summed,
    sparse_ops.AddSparse: partial(_of_pair, function=jnp.add),
    sparse_ops.SubSparse: partial(_of_pair, function=jnp.subtract),
    sparse_ops.CompareSparse: compared,
    sparse_ops.FromPlaces: from_places,
    sparse_ops.Elements: elements,
    sparse_ops.Compressed: compressed,
    sparse_ops.Majors: majors,
    products.DotDense: dot_dense,
    products.DotSparse: dot_sparse,
    products.SampledProduct: sampled_product,
    products.TakeRows: take_rows,
    products.JoinSparse: joined,
}
