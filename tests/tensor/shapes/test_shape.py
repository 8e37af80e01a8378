"""Shapes as values."""

import numpy as np
import pytest

import relgraph.tensor as at
from relgraph.graph.basic import Constant
from relgraph.graph.reference import evaluate
from relgraph.tensor.shapes import MakeVector, Shape, Shape_i, as_lengths, product


@pytest.mark.parametrize("shape", [(), (3,), (2, 0), (1, 2, 3)])
def test_shape_and_size(against_numpy, shape):
    x = np.ones(shape)
    against_numpy(at.shape, lambda v: np.asarray(np.shape(v), dtype="int64"), x)
    against_numpy(lambda v: v.shape, lambda v: np.asarray(np.shape(v), dtype="int64"), x)
    against_numpy(at.size, lambda v: np.asarray(v.size), x)
    for i in range(len(shape)):
        against_numpy(
            lambda v, i=i: at.shape_i(v, i - len(shape)), lambda v, i=i: np.asarray(v.shape[i]), x
        )


def test_what_is_known_is_a_constant():
    x = at.tensor("float64", (2, None))
    assert isinstance(at.shape_i(x, 0), Constant)
    assert at.shape_i(x, 1).owner.op is Shape_i(1)
    assert at.shape(x).owner.op is Shape()
    assert isinstance(at.shape(at.tensor("float64", (2, 3))), Constant)
    assert at.shape(x).type.shape == (2,)


def test_no_such_axis():
    with pytest.raises(ValueError, match="shape_i: axis 2 of an array with 2 dimensions"):
        at.shape_i(at.dmatrix(), 2)


def test_make_vector():
    i, x = at.iscalar("i"), at.dscalar("x")
    (found,) = evaluate([MakeVector("int64")(i, 3)], {i: np.array(7, "int32")})
    np.testing.assert_array_equal(found, [7, 3])
    assert found.dtype == "int64"
    with pytest.raises(TypeError, match="input 1 is float64, which int64 can't hold"):
        MakeVector("int64")(i, x)
    with pytest.raises(TypeError, match=r"input 0 is a .*, not of rank 0"):
        MakeVector("float64")(at.dvector())


def test_lengths():
    n = at.lscalar("n")
    assert as_lengths(3, "f") == (3,)
    assert as_lengths([2, n], "f") == (2, n)
    assert as_lengths(at.constant([2, 3]), "f") == (2, 3)
    assert as_lengths(np.array([2, 3]), "f") == (2, 3)
    assert len(as_lengths(at.tensor("int64", (2,)), "f")) == 2
    with pytest.raises(TypeError, match=r"f: the shape .* how many dimensions"):
        as_lengths(at.lvector(), "f")
    with pytest.raises(TypeError, match="an integer of rank 0"):
        as_lengths((at.dscalar(),), "f")
    assert product([2, 3]) == 6
    assert product([1, n]) is n
