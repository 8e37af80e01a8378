"""Each law about products and sums of sparse matrices at work: no dense matrix is left of them."""

from __future__ import annotations

import pytest

import relgraph.sparse as sparse
import relgraph.tensor as at
from relgraph.graph.traversal import io_toposort
from relgraph.sparse.products import DenseFromSparse, DotDense, SampledDense
from tests.relations.applied import LAWS
from tests.relations.sparse.inputs import d, m, row, w, x
from tests.relations.tables import check_fires

dense, sampled_dense = x.toarray(), SampledDense()

TABLE = [
    ("dot-of-sparse", dense @ m),
    ("dot-by-sparse", d @ dense),
    ("dot-by-sparse-matrix", m @ dense),
    ("dot-of-sparse-transpose", dense.T @ m),
    ("dot-of-column", x @ d.dimshuffle(0, "x")),
    ("sampled-dot", sampled_dense(x, m @ w.T)),
    ("sum-of-sparse", dense.sum()),
    ("sum-of-sparse-columns", dense.sum(axis=0)),
    ("sum-of-sparse-rows", dense.sum(axis=1)),
]


@pytest.mark.parametrize(("name", "before"), TABLE)
def test_a_law_at_work(name, before):
    found = check_fires(LAWS[name], before)
    assert not any(
        isinstance(node.op, DenseFromSparse | SampledDense) for node in io_toposort([], [found])
    )


@pytest.mark.parametrize("is_structured", [True, False])
def test_a_gradient_stays_what_it_is(is_structured):
    """The product's gradient by the matrix is structured where that of the dense matrix is."""
    found = check_fires(LAWS["dot-of-sparse"], sparse.dense_from_sparse(x, is_structured) @ m)
    assert found.owner.op is DotDense(is_structured)


LEFT_ALONE = [
    ("dot-by-sparse", m @ dense),
    ("dot-by-sparse-matrix", d @ dense),
    ("sampled-dot", sampled_dense(x, row @ w.T)),
    ("sampled-dot", sampled_dense(x, at.cast(m, "int64") @ w.T)),
    ("dot-of-column", x @ m),
]
