"""What the tests of draws share."""

import numpy as np
import pytest

from relgraph.graph.reference import evaluate
from relgraph.tensor.random.type import random_generator_type
from tests.tensor.conftest import check_inferred_shapes


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
        check_inferred_shapes([x], inputs)
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
