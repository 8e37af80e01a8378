"""Parts of arrays in programs."""

from __future__ import annotations

import numpy as np
import pytest

import relgraph.tensor as at
from relgraph import function

x = at.dmatrix("x")
VALUE = np.arange(6.0).reshape(2, 3)


@pytest.mark.parametrize("mode", [None, "o2", "fast_compile", "strict", "fast_run"])
@pytest.mark.parametrize("whole", [x[:], x[...], x[:, :], x[::1, ...]], ids=str)
@pytest.mark.parametrize(
    ("change", "factor"), [(at.inc_subtensor, 3.0), (at.set_subtensor, 2.0)], ids=["inc", "set"]
)
def test_a_part_that_is_the_whole(mode, whole, change, factor):
    found = function([x], change(whole, 2 * x), mode=mode)(VALUE)
    np.testing.assert_array_equal(found, factor * VALUE)
    assert VALUE[0, 1] == 1.0


@pytest.mark.parametrize("mode", [None, "o2", "fast_run"])
def test_a_part_that_is_changed_by_the_whole(mode):
    np.testing.assert_array_equal(
        function([x], at.inc_subtensor(x[:], x), mode=mode)(VALUE), 2 * VALUE
    )
