"""Softmaxes as compiled code: over the axes of matrices and vectors, and beside infinities."""

from importlib.util import find_spec

import numpy as np
import pytest

import relgraph.tensor as at
from relgraph import function
from relgraph.compile import Mode
from relgraph.vm.linker import PyLinker
from tests.seeds import seed_of

pytestmark = pytest.mark.skipif(find_spec("numba") is None, reason="needs the extra numba")


@pytest.fixture(scope="module", params=["float64", "float32"])
def softmaxes(request):
    m, v = at.matrix("m", dtype=request.param), at.vector("v", dtype=request.param)
    outputs = [
        f(x, axis=axis)
        for x, axes in ((m, (0, 1, None)), (v, (0,)))
        for axis in axes
        for f in (at.softmax, at.log_softmax, at.logsumexp)
    ]
    made = function([m, v], outputs, mode=Mode(tier="compiled"))
    record = made._run.record
    assert record.state == "compiled" and record.left == 0, record
    return request.param, made, function([m, v], outputs, mode=Mode(PyLinker(), None))


def compare(softmaxes, m, v):
    dtype, made, reference = softmaxes
    given = [np.asarray(m, dtype), np.asarray(v, dtype)]
    tolerance = 1e-12 if dtype == "float64" else 2e-6
    with np.errstate(all="ignore"):
        wanted = reference(*given)
    for found, expected in zip(made(*given), wanted, strict=True):
        assert found.dtype == expected.dtype and found.shape == expected.shape
        np.testing.assert_allclose(found, expected, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("shape", [(1, 1), (1, 7), (7, 1), (5, 4), (40, 1500), (0, 3), (3, 0)])
def test_shapes(softmaxes, shape):
    draw = np.random.default_rng(seed_of("softmaxes", str(shape))).normal
    compare(softmaxes, draw(size=shape) * 50, draw(size=shape[1]) * 50)


INFINITE = [np.inf, -np.inf, np.nan, 1e308, -1e308, 0.0, -0.0, 88.0, 710.0]


@pytest.mark.parametrize("one", INFINITE)
@pytest.mark.parametrize("other", INFINITE)
def test_beside_infinities(softmaxes, one, other):
    """Overflow of float32 makes more infinities of the same values."""
    with np.errstate(over="ignore"):
        compare(softmaxes, [[one, 1.0, other], [other, one, -2.0]], [one, other, 3.0])
        compare(softmaxes, [[one, one], [one, one]], [other, other])
