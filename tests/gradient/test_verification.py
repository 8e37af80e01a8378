"""`verify_grad`, and gradients of ops that `tests/every_op` has no examples of."""

import numpy as np
import pytest

import relgraph.tensor as at
from relgraph.gradient import GradientError, verify_grad
from relgraph.graph.basic import Apply
from relgraph.graph.op import Op
from tests.tensor.linalg.matrices import check_complex_gradient

ANY = np.array([[0.3, -1.7, 2.2], [-0.6, 1.1, -2.9]])
UNIT = ANY / 3


@pytest.mark.parametrize("name", ["conj", "real", "imag", "angle"])
def test_complex_parts(name):
    """The gradient by z is that by its real part and, times i, that by its imaginary part."""
    check_complex_gradient(getattr(at, name), np.array([0.7 + 0.4j]))


@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_coarse_dtypes(dtype):
    verify_grad(lambda x: at.sum(at.tanh(x)), [UNIT.astype(dtype)])


def test_casts():
    verify_grad(lambda x: at.cast(x, "float64") ** 2, [ANY.astype("float32")])


class WrongCube(Op):
    """A cube whose gradient forgets a factor."""

    def make_node(self, x):
        return Apply(self, [x], [x.type()])

    def perform(self, node, inputs, output_storage):
        output_storage[0][0] = inputs[0] ** 3

    def grad(self, inputs, output_gradients):
        return [output_gradients[0] * inputs[0] ** 2]


def test_a_wrong_gradient_is_found():
    with pytest.raises(GradientError, match=r"element \(0,\) of argument 1") as info:
        verify_grad(lambda y, x: y + WrongCube()(x), [np.ones(2), np.array([1.0, 2.0])])
    assert info.value.argument == 1
    assert info.value.index == (0,)
    assert info.value.numeric == pytest.approx(3 * info.value.analytic)
