"""The axes that a dimshuffle gives back."""

import relgraph.tensor as at
from relgraph.tensor.lawkit.reductions import restores_axes, restores_softmax_axes

x = at.dmatrix("x")


def test_axes_that_are_given_back():
    assert restores_axes((0, "x"), (1,), x) and restores_axes(("x", "x"), None, x)
    assert not restores_axes(("x", 0), (1,), x)
    assert restores_softmax_axes((0, "x"), -1, x) and restores_softmax_axes((0, "x"), 1, x)
    assert not restores_softmax_axes((0, "x"), 0, x)
