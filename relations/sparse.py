"""Sparse matrices: what is stored where, and products and sums without dense matrices.

A dense product makes nan of an infinity beside a zero; a sparse one has no such zeros. This page is
in no phase: `compile.on_demand` loads it for the first graph that has a sparse matrix.
"""

from __future__ import annotations

from functools import partial

from relations.kit.type_guards import matrixo, vectoro
from relations.kit.vocabulary import any_dtype_law, any_dtype_rounding, lvars
from relations.matrices.products import as_column, transposed
from relgraph.graph.kanren import whereo
from relgraph.sparse.op import (
    ChangeFormat,
    _sampled,
    _stored,
    _transposed,
    _with_stored,
    have_no_single_row,
    have_one_format,
    is_format_of,
)
from relgraph.sparse.products import (
    DenseFromSparse,
    DotDense,
    SparseFromDense,
    SparseSum,
    _sampled_dense,
    _sampled_product,
)
from relgraph.tensor import sum as sum_
from relgraph.tensor.assembly import Alloc
from relgraph.tensor.linalg.blas import same_blas_dtype
from relgraph.tensor.math import _dot

# -- stored elements, and the places where they are stored -----------------------------------------

d, e, f, g, m, n, p, s, x, y = lvars("d e f g m n p s x y")
v, w = lvars("v", vectoro), lvars("w", matrixo)

alloc = Alloc()
dense, sparse = DenseFromSparse(s), SparseFromDense(f)

STRUCTURE = (
    # what is stored, taken out and put in
    any_dtype_law("stored-of-with-stored", _stored(_with_stored(p, d)), d),
    any_dtype_law("with-own-stored", _with_stored(x, _stored(x)), x),
    any_dtype_law("with-stored-twice", _with_stored(_with_stored(p, e), d), _with_stored(p, d)),
    any_dtype_law("sampled-where-stored", _sampled(_with_stored(p, e), y), _sampled(p, y)),
    any_dtype_law(
        "sampled-dense-where-stored", _sampled_dense(_with_stored(p, e), y), _sampled_dense(p, y)
    ),
    any_dtype_law("sampled-with-stored", _sampled(p, _with_stored(p, d)), d),
    any_dtype_law("sampled-own", _sampled(x, x), _stored(x)),
    # transposes and formats
    any_dtype_law("sparse-transpose-twice", _transposed(_transposed(x)), x),
    any_dtype_law("stored-of-transpose", _stored(_transposed(x)), _stored(x)),
    any_dtype_law(
        "with-stored-of-transpose",
        _with_stored(_transposed(p), d),
        _transposed(_with_stored(p, d)),
    ),
    any_dtype_law("format-there-and-back", ChangeFormat(f)(ChangeFormat(g)(x)), x),
    # what is made dense, and sparse again
    # -0 is not stored, and a zero that is stored may be -0
    any_dtype_rounding("sparse-from-own-dense", sparse(dense(x)), x, whereo(is_format_of, f, x)),
    any_dtype_rounding("dense-from-own-sparse", dense(sparse(y)), y),
    any_dtype_rounding(
        "sampled-from-dense",
        _sampled(p, sparse(y)),
        _sampled_dense(p, y),
        whereo(is_format_of, f, p),
    ),
    any_dtype_rounding(
        "sampled-dense-of-sparse",
        _sampled_dense(p, dense(x)),
        _sampled(p, x),
        whereo(have_one_format, p, x),
    ),
    any_dtype_law("sampled-of-broadcast", _sampled_dense(p, alloc(w, n, m)), _sampled_dense(p, w)),
)
"""What is stored where."""


# -- products and sums -----------------------------------------------------------------------------


sparse_law, sparse_rounding = (
    partial(any_dtype_law, tags=("sparse_dot",), sound=sound) for sound in ("finite", "rounding")
)
"""Laws of the row ``sparse_dot``."""

dot = DotDense(s)

PRODUCTS = (
    sparse_law("dot-of-sparse", _dot(dense(x), y), dot(x, y)),
    sparse_law("dot-by-sparse", _dot(v, dense(x)), dot(_transposed(x), v)),
    sparse_law(
        "dot-by-sparse-matrix", _dot(w, dense(x)), transposed(dot(_transposed(x), transposed(w)))
    ),
    sparse_law("dot-of-sparse-transpose", _dot(transposed(dense(x)), y), dot(_transposed(x), y)),
    sparse_rounding("dot-of-column", dot(x, as_column(y)), as_column(dot(x, y))),
    sparse_rounding(
        "sampled-dot",
        _sampled_dense(p, _dot(w, transposed(y))),
        _sampled_product(p, w, y),
        whereo(same_blas_dtype, w, y),
        whereo(have_no_single_row, w, y),  # whose product would broadcast
    ),
    # sums of stored elements
    sparse_rounding("sum-of-sparse", sum_(dense(x)), SparseSum(None, s)(x)),
    sparse_rounding("sum-of-sparse-columns", sum_(dense(x), axis=0), SparseSum(0, s)(x)),
    sparse_rounding("sum-of-sparse-rows", sum_(dense(x), axis=1), SparseSum(1, s)(x)),
)
"""Dense results without dense intermediates."""
