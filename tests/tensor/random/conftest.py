"""What the tests of draws share."""

import numpy as np
import pytest

import relgraph.tensor as at
from relgraph.graph.reference import evaluate
from relgraph.graph.traversal import io_toposort
from relgraph.tensor.random.type import random_generator_type
from relgraph.tensor.shapes import lengths
from relgraph.tensor.type import TensorType


@pytest.fixture
def drawn():
    """A function that returns the draw of `call(rng)`, and the generator after it.

    Shapes, static and inferred, and the dtype are checked, and that the given generator keeps its
    state.
    """

    def draw(call, givens=None, seed=5):
        rng = random_generator_type("rng")
        next_rng, x = call(rng)
        generator = np.random.default_rng(seed)
        inputs = {rng: generator, **(givens or {})}
        after, value = evaluate([next_rng, x], inputs)
        assert x.type.is_valid_value(value), f"{x.type} has the value {value!r}"
        for node in io_toposort([*inputs], [x]):
            shapes = [lengths(v) if isinstance(v.type, TensorType) else None for v in node.inputs]
            inferred = node.op.infer_shape(None, node, shapes)[-1]
            found = evaluate([at.as_tensor_variable(n) for n in inferred], inputs)
            (made,) = evaluate([node.outputs[-1]], inputs)
            assert tuple(map(int, found)) == made.shape
        assert generator.bit_generator.state == np.random.default_rng(seed).bit_generator.state
        return value, after

    return draw


@pytest.fixture
def as_numpy(drawn):
    """A function that compares a draw with `reference(generator)`: numbers, shape, dtype, state."""

    def check(call, reference, givens=None, rtol=0.0):
        found, generator = drawn(call, givens)
        numpy = np.random.default_rng(5)
        expected = np.asarray(reference(numpy))
        np.testing.assert_allclose(found, expected, rtol=rtol)
        assert found.shape == expected.shape
        assert found.dtype == expected.dtype
        assert generator.bit_generator.state == numpy.bit_generator.state

    return check
