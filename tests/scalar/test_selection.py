"""What clipping does with zeros at its bounds, and with bounds beyond the dtype."""

from __future__ import annotations

import numpy as np
import pytest

import relgraph.tensor as at
from relgraph import scalar

ZEROS = np.array([-0.0, 0.0, -0.5, 0.5, np.nan])


@pytest.mark.parametrize("dtype", ["float64", "float32", "float16"])
@pytest.mark.parametrize(("low", "high"), [(-1, 0), (0, 1), (-0.0, 1), (-1, 1), (0, 0)])
def test_a_zero_between_numbers_stays_as_it_is(dtype, low, high):
    x = at.tensor(dtype, (None,))
    value = ZEROS.astype(dtype)
    found, expected = at.clip(x, low, high).eval({x: value}), np.clip(value, low, high)
    assert found.dtype == expected.dtype
    assert found.tobytes() == expected.tobytes()
    for number in value:
        single = scalar.clip.impl(number, low, high)
        assert np.signbit(single) == np.signbit(np.clip(number, low, high))


@pytest.mark.parametrize(("low", "high"), [(-1, 3), (-5, 300), (2, 300), (-(10**30), 10**30)])
def test_what_no_number_of_the_dtype_passes_is_no_bound(low, high):
    value = np.array([0, 2, 5, 255], "uint8")
    x = at.tensor("uint8", (None,))
    found = at.clip(x, low, high)
    assert found.type.dtype == "uint8"
    np.testing.assert_array_equal(found.eval({x: value}), np.clip(value, low, high))


@pytest.mark.parametrize(("low", "high"), [(300, 400), (-5, -1)])
def test_bounds_that_all_numbers_pass_are_refused(low, high):
    with pytest.raises(OverflowError, match=r"clip: input . is .*, out of the range of uint8"):
        at.clip(at.tensor("uint8", (None,)), low, high)


def test_integers_are_divided_by_numbers_of_any_size():
    for dtype, divisor in (("uint8", -1), ("int8", 300), ("uint64", -3)):
        value, x = np.array([0, 2, 5], dtype), at.tensor(dtype, (None,))
        found, expected = (x / divisor).eval({x: value}), value / divisor
        assert found.dtype == expected.dtype
        np.testing.assert_array_equal(found, expected)
