"""Sparse matrices: their elements are traced, and where these are stored is known or traced.

How many elements a result stores has to be known. Ops for which that depends on values, as sums,
which store no zeros, and Ops that move elements and don't know where these are stored are computed
by SciPy.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import jax.numpy as jnp
import numpy as np

from relgraph.engines.jax.lowering.dispatch import NeedsValue, by_perform, is_traced, static
from relgraph.engines.jax.lowering.linalg import PRECISION
from relgraph.engines.jax.values import SparseValue, as_dtype, from_scipy, to_scipy
from relgraph.graph.basic import Apply
from relgraph.sparse import op as sparse_ops
from relgraph.sparse import products
from relgraph.sparse.matrices import looked_up
from relgraph.sparse.type import SparseTensorType

# -- places ----------------------------------------------------------------------------------------


def _places(x: SparseValue) -> tuple[Any, Any]:
    """Return the rows and the columns of the stored elements."""
    lengths = jnp.diff(x.indptr)
    outer = jnp.repeat(jnp.arange(len(x.indptr) - 1), lengths, total_repeat_length=x.nnz)
    return (outer, x.indices) if x.format == "csr" else (x.indices, outer)


def _numbered(x: SparseValue, rows: Any, columns: Any) -> Any:
    """Return the numbers of places, which increase in the order in which a matrix stores them."""
    outer, inner = (rows, columns) if x.format == "csr" else (columns, rows)
    return as_dtype(outer, "int64") * x.shape[x.format == "csr"] + inner


def _keys(x: SparseValue) -> Any:
    """Return increasing numbers, one for the place of each stored element."""
    return _numbered(x, *_places(x))


def _added_at(shape: tuple[int, ...], which: Any, terms: Any) -> Any:
    """Return the sums of the terms that have the same place; of booleans whether one is true."""
    total = jnp.zeros(shape, terms.dtype).at[which]
    return total.max(terms) if terms.dtype == bool else total.add(terms)


# -- parts and conversions -------------------------------------------------------------------------


def with_stored(op: sparse_ops.WithStored, node: Apply, x: SparseValue, data: Any) -> Any:
    if len(data) != x.nnz:
        raise ValueError(f"{op}: {len(data)} elements for {x.nnz} places")
    return replace(x, data=data)


def transposed(op: sparse_ops.Transposed, node: Apply, x: SparseValue) -> Any:
    fmt = "csc" if x.format == "csr" else "csr"
    return replace(x, shape=(x.shape[1], x.shape[0]), format=fmt)


def sampled(op: sparse_ops.Sampled, node: Apply, pattern: SparseValue, x: SparseValue) -> Any:
    return looked_up(jnp, x, _keys(x), _keys(pattern))


def dense(op: products.DenseFromSparse, node: Apply, x: SparseValue) -> Any:
    return jnp.zeros(x.shape, x.dtype).at[_places(x)].set(x.data)


def sampled_dense(op: products.SampledDense, node: Apply, pattern: SparseValue, y: Any) -> Any:
    known = node.inputs[1].type.shape
    op.check_broadcasting(node.inputs, known, pattern.shape, y.shape)
    index = [
        jnp.zeros_like(place) if n == 1 else place
        for n, place in zip(known, _places(pattern), strict=True)
    ]
    return jnp.asarray(y)[tuple(index)]


def summed(op: products.SparseSum, node: Apply, x: SparseValue) -> Any:
    dtype = node.outputs[0].type.dtype
    data = as_dtype(x.data, dtype)
    if op.axis is None:
        return jnp.sum(data)
    return _added_at((x.shape[1 - op.axis],), _places(x)[1 - op.axis], data)


def moved(op: Any, node: Apply, *values: Any) -> Any:
    """Compute what moves elements: where each goes is seen from matrices that store their numbers.

    Its inputs are sparse matrices, and arrays that are known.
    """
    numbered: list[Any] = []
    data: list[Any] = []
    of_numbers = op.make_node(*[_of_numbers(v.type).make_variable() for v in node.inputs])
    for i, x in enumerate(values):
        if not isinstance(x, SparseValue):
            numbered.append(static(node, i, x))
            continue
        if is_traced((x.indices, x.indptr)):
            raise NeedsValue(node, [node.inputs[i]])
        first = 1 + sum(map(len, data))
        numbered.append(to_scipy(replace(x, data=np.arange(first, first + x.nnz))))
        data.append(x.data)
    taken = from_scipy(op.compute(of_numbers, *numbered))
    dtype = node.outputs[0].type.dtype
    whole = jnp.concatenate([as_dtype(x, dtype) for x in data])
    return replace(taken, data=whole[taken.data - 1])


def _of_numbers(kind: Any) -> Any:
    return kind.clone(dtype="int64") if isinstance(kind, SparseTensorType) else kind


# -- places given --------------------------------------------------------------------------------


def added_at_places(op: Any, node: Apply, data: Any, *places: Any) -> Any:
    """Compute a matrix of elements at places that are known; those at one place are added."""
    given = [static(node, i, v) for i, v in enumerate(places, 1)]
    found = from_scipy(op.compute(node, np.ones(len(data)), *given))
    if isinstance(op, sparse_ops.FromPlaces):
        rows, columns = given[:2]
    else:
        end = int(given[1][-1])
        as_given = SparseValue(data[:end], given[0][:end], given[1], found.shape, op.format)
        data, (rows, columns) = as_given.data, _places(as_given)
    which = jnp.searchsorted(_keys(found), _numbered(found, rows, columns))
    return replace(found, data=_added_at((found.nnz,), which, jnp.asarray(data)))


def elements(op: sparse_ops.Elements, node: Apply, x: SparseValue, rows: Any, columns: Any) -> Any:
    return looked_up(jnp, x, _keys(x), _numbered(x, rows, columns))


# -- products --------------------------------------------------------------------------------------


def dot_dense(op: products.DotDense, node: Apply, x: SparseValue, y: Any) -> Any:
    dtype = node.outputs[0].type.dtype
    rows, columns = _places(x)
    data, y = as_dtype(x.data, dtype), as_dtype(jnp.asarray(y), dtype)
    terms = (data[:, None] if y.ndim == 2 else data) * y[columns]
    return _added_at((x.shape[0], *y.shape[1:]), rows, terms)


def sampled_product(
    op: products.SampledProduct, node: Apply, pattern: SparseValue, x: Any, y: Any
) -> Any:
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
    sparse_ops.ChangeFormat: moved,
    products.DenseFromSparse: dense,
    products.SampledDense: sampled_dense,
    products.SparseSum: summed,
    sparse_ops.FromPlaces: added_at_places,
    sparse_ops.Elements: elements,
    sparse_ops.Compressed: added_at_places,
    products.DotDense: dot_dense,
    products.SampledProduct: sampled_product,
    products.TakeRows: moved,
    products.JoinSparse: moved,
}
