"""Ops along an axis: nodes count it from the front, and have the gradients of `L_op` as `grad`."""

import pytest

import relgraph.tensor as at
from relgraph import scalar
from relgraph.graph.basic import equal_computations
from relgraph.tensor.along_axes import ArgSort, Cumulate, Sort
from relgraph.tensor.assembly import Join
from relgraph.tensor.fft import DFT

OPS = [
    ArgSort(-1),
    Cumulate(scalar.add, -1),
    Cumulate(scalar.maximum, -1),
    DFT(-1, True, "ortho"),
    Join(-1),
    Sort(-1),
]


@pytest.mark.parametrize("op", OPS, ids=str)
def test_nodes_count_the_axis_from_the_front(op):
    found = op(at.dmatrix("x")).owner.op
    assert type(found) is type(op)
    assert found.props_dict() == {**op.props_dict(), "axis": 1}


@pytest.mark.parametrize("op", OPS, ids=str)
def test_there_is_no_such_axis(op):
    with pytest.raises(ValueError, match=f"{op.name}: axis -1 of an array with 0 dimensions"):
        op(at.dscalar("x"))


def test_grad_is_that_of_L_op():
    x, g = at.dvectors("x", "g")
    (found,) = Cumulate(scalar.mul, 0).grad([x], [g])
    (wanted,) = Cumulate(scalar.mul, 0).L_op([x], [at.cumprod(x)], [g])
    assert equal_computations([found], [wanted])
