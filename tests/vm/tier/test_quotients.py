"""Quotients by known numbers: those of a division, but for the smallest."""

from importlib.util import find_spec

import numpy as np
import pytest

import relgraph.tensor as at
from relgraph.compile import Mode, function
from tests.seeds import seed_of

pytestmark = pytest.mark.skipif(find_spec("numba") is None, reason="needs the extra numba")

DIVISORS = [3, 10, 7, 49, 0.1, -0.3, 1 / 3, 1e10, 1e-10, -6, 0.75, 2 - 2.0**-52, 1 + 2.0**-52, 8]
EDGES = [0.0, -0.0, np.inf, -np.inf, np.nan, 1.0, -1.0, 3.0, 49.0, 255.0]


def drawn(dtype):
    rng = np.random.default_rng(seed_of("quotients"))
    most = np.finfo(dtype).max
    usual = [rng.normal(size=2_000), rng.integers(1, 10**6, 2_000)]
    spread = np.exp(rng.uniform(-0.9, 0.9, 4_000) * np.log(float(most)))
    ends = [most, -most, most / 2, most / 3, np.finfo(dtype).tiny, np.finfo(dtype).tiny * 3]
    small = float(np.finfo(dtype).tiny) * 2 ** rng.uniform(0, 80, 4_000)
    return np.concatenate([EDGES, ends, *usual, spread, small]).astype(dtype)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("mode", ["fast_run", "strict"])
def test_they_have_the_bits_of_a_division(mode, dtype):
    x = at.TensorType(dtype, (None,))("x")
    divisors = [np.dtype(dtype).type(c) for c in DIVISORS]
    outputs = [x / at.constant(c) for c in divisors]
    f = function([x], outputs, mode=Mode(optimizer=mode, tier="compiled"))
    assert f._run.record.state == "compiled"
    values = drawn(dtype)
    with np.errstate(all="ignore"):
        for c, found in zip(divisors, f(values), strict=True):
            expected = values / c
            # of these the small one of the two products is not subnormal
            least = np.finfo(dtype).tiny / np.finfo(dtype).eps
            normal = ~(np.abs(expected) < least) | (values == 0)
            checked = slice(None) if mode == "strict" else normal
            same = found[checked].tobytes() == expected[checked].tobytes()
            assert same, (c, values[checked][found[checked] != expected[checked]][:3])
            near = np.abs(found - expected)[~normal] <= np.spacing(np.abs(expected))[~normal]
            assert near.all(), c
