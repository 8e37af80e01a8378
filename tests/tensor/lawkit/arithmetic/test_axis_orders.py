"""What axes and orders come down to."""

import relgraph.tensor as at
from relgraph.tensor.lawkit.index_arithmetic import (
    canonical_axes,
    order_without,
    remaining_axes,
    softmax_axis,
)


def test_axes_that_remain():
    assert remaining_axes((0, 2), 4) == (1, 3)
    assert remaining_axes(None, 2) == ()
    assert order_without(at.dmatrix(), (0,)) == (1,)


def test_how_ops_have_axes():
    assert canonical_axes([1, 0], 2) is None and canonical_axes([2, 0], 3) == (0, 2)
    assert softmax_axis((1,)) == 1 and softmax_axis(None) is None and softmax_axis((0, 1)) == (0, 1)
