"""Each law about sparse matrices at work: no dense matrix is left of products and sums of them."""

from __future__ import annotations

import pytest

import relgraph.sparse as sparse
import relgraph.tensor as at
from relgraph.graph.traversal import io_toposort
from relgraph.sparse.op import ChangeFormat, Sampled, as_format
from relgraph.sparse.products import DenseFromSparse, DotDense, SampledDense, SparseFromDense
from tests.relations.applied import LAWS, check_fires, rows_of

x = sparse.CSR(at.dvector("stored_x"), [0, 2, 1], [0, 1, 2, 3], (3, 3))
y = sparse.CSR(at.dvector("stored_y"), [0, 1, 0], [0, 2, 2, 3], (3, 3))
z = sparse.CSC(at.dvector("stored_z"), [0, 1, 0], [0, 2, 2, 3], (3, 3))
d, e = at.dvectors("d", "e")
m, w = at.dmatrices("m", "w")
row = at.drow("row")
dense, sampled_dense = x.toarray(), SampledDense()
with_data, csr, csc = sparse.with_data, SparseFromDense("csr"), SparseFromDense("csc")
sampled = Sampled()

TABLE = """
    dot-of-sparse: dense @ m
    dot-by-sparse: d @ dense
    dot-by-sparse-matrix: m @ dense
    dot-of-sparse-transpose: dense.T @ m
    dot-of-column: x @ d.dimshuffle(0, "x")
    sampled-dot: sampled_dense(x, m @ w.T)
    sum-of-sparse: dense.sum()
    sum-of-sparse-columns: dense.sum(axis=0)
    sum-of-sparse-rows: dense.sum(axis=1)
    stored-of-with-stored: with_data(x, d).data → d
    with-own-stored: with_data(x, x.data) → x
    with-stored-twice: with_data(with_data(x, e), d) → with_data(x, d)
    sampled-where-stored: sampled(with_data(x, d), y) → sampled(x, y)
    sampled-dense-where-stored: sampled_dense(with_data(x, d), m) → sampled_dense(x, m)
    sampled-with-stored: sampled(x, with_data(x, d)) → d
    sampled-own: sampled(x, x) → x.data
    sparse-transpose-twice: x.T.T → x
    stored-of-transpose: x.T.data → x.data
    with-stored-of-transpose: with_data(x.T, d) → with_data(x, d).T
    format-there-and-back: x.tocsc().tocsr() → x
    sparse-from-own-dense: csr(x.toarray()) → x
    dense-from-own-sparse: csc(m).toarray() → m
    sampled-from-dense: sampled(x, csr(m)) → sampled_dense(x, m)
    sampled-dense-of-sparse: sampled_dense(x, y.toarray()) → sampled(x, y)
    sampled-of-broadcast: sampled_dense(x, alloc(row, 3, 3)) → sampled_dense(x, row)
"""

LEFT_ALONE = """
    dot-by-sparse: m @ dense
    dot-by-sparse-matrix: d @ dense
    sampled-dot: sampled_dense(x, row @ w.T)
    sampled-dot: sampled_dense(x, cast(m, "int64") @ w.T)
    dot-of-column: x @ m
    sampled-with-stored: sampled(x, with_data(y, d))
    sparse-from-own-dense: csc(x.toarray())
    sampled-dense-of-sparse: sampled_dense(x, z.toarray())
    sampled-of-broadcast: sampled_dense(x, alloc(d, 3, 3))
    with-own-stored: with_data(x, y.data)
"""


@pytest.mark.parametrize(
    ("name", "before"), [row for row in rows_of(globals(), "TABLE") if len(row) == 2]
)
def test_no_dense_matrix_is_left(name, before):
    found = check_fires(LAWS[name], before)
    assert not any(
        isinstance(node.op, DenseFromSparse | SampledDense) for node in io_toposort([], [found])
    )


@pytest.mark.parametrize("is_structured", [True, False])
def test_a_gradient_stays_what_it_is(is_structured):
    """The product's gradient by the matrix is structured where that of the dense matrix is."""
    found = check_fires(LAWS["dot-of-sparse"], sparse.dense_from_sparse(x, is_structured) @ m)
    assert found.owner.op is DotDense(is_structured)


def test_formats_that_stay():
    assert as_format(x, "csr") is x
    with pytest.raises(TypeError, match="already"):
        ChangeFormat("csr")(x)


def test_backwards():
    """A law of two sides is one of the other direction too."""
    assert with_data(x, w[0]).type == x.type
    found = check_fires(LAWS["with-stored-of-transpose"].backward, with_data(x, d).T)
    assert found.owner.op is with_data(x, d).owner.op
