"""Stored elements, and the places where they are stored."""

from __future__ import annotations

from relgraph.graph.kanren import whereo
from relgraph.sparse.guards import have_one_format, is_format_of
from relgraph.sparse.ops.dense import DenseFromSparse, SparseFromDense, _sampled_dense
from relgraph.sparse.ops.structure import (
    ChangeFormat,
    _sampled,
    _stored,
    _transposed,
    _with_stored,
)
from relgraph.tensor.assembly.creation import Alloc
from relgraph.tensor.lawkit.guards.types import ranko
from relgraph.tensor.lawkit.vocabulary import any_dtype_law, lvars

d, e, f, g, m, n, p, s, v, x, y = lvars("d e f g m n p s v x y")

alloc = Alloc()

STORED = (
    any_dtype_law("stored-of-with-stored", _stored(_with_stored(p, d)), d),
    any_dtype_law("with-own-stored", _with_stored(x, _stored(x)), x),
    any_dtype_law("with-stored-twice", _with_stored(_with_stored(p, e), d), _with_stored(p, d)),
    any_dtype_law("sampled-where-stored", _sampled(_with_stored(p, e), y), _sampled(p, y)),
    any_dtype_law(
        "sampled-dense-where-stored", _sampled_dense(_with_stored(p, e), y), _sampled_dense(p, y)
    ),
    any_dtype_law("sampled-with-stored", _sampled(p, _with_stored(p, d)), d),
    any_dtype_law("sampled-own", _sampled(x, x), _stored(x)),
)
"""Stored elements that are taken out are those that were put in."""

FORMS = (
    any_dtype_law("sparse-transpose-twice", _transposed(_transposed(x)), x),
    any_dtype_law("stored-of-transpose", _stored(_transposed(x)), _stored(x)),
    any_dtype_law(
        "with-stored-of-transpose",
        _with_stored(_transposed(p), d),
        _transposed(_with_stored(p, d)),
    ),
    any_dtype_law("format-there-and-back", ChangeFormat(f)(ChangeFormat(g)(x)), x),
)
"""Transposes and formats."""

DENSE = (
    any_dtype_law(
        "sparse-from-own-dense",
        SparseFromDense(f)(DenseFromSparse(s)(x)),
        x,
        whereo(is_format_of, f, x),
        sound="rounding",  # a zero that is stored may be -0
    ),
    any_dtype_law(
        "dense-from-own-sparse",
        DenseFromSparse(s)(SparseFromDense(f)(y)),
        y,
        sound="rounding",  # -0 is not stored
    ),
    any_dtype_law(
        "sampled-from-dense",
        _sampled(p, SparseFromDense(f)(y)),
        _sampled_dense(p, y),
        whereo(is_format_of, f, p),
        sound="rounding",  # -0 is not stored
    ),
    any_dtype_law(
        "sampled-dense-of-sparse",
        _sampled_dense(p, DenseFromSparse(s)(x)),
        _sampled(p, x),
        whereo(have_one_format, p, x),
        sound="rounding",  # a zero that is stored may be -0
    ),
    any_dtype_law(
        "sampled-of-broadcast",
        _sampled_dense(p, alloc(v, n, m)),
        _sampled_dense(p, v),
        ranko(v, 2),
    ),
)
"""What is made dense, and sparse again."""
