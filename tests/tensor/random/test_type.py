"""Generators as values of variables."""

import copy
import pickle

import numpy as np
import pytest

import relgraph
import relgraph.tensor as at
from relgraph import function, shared
from relgraph.compile import SharedVariable
from relgraph.tensor.random import RandomGeneratorSharedVariable, functions
from relgraph.tensor.random.type import (
    RandomGeneratorType,
    copied,
    is_generator,
    random_generator_type,
)

BITS = [np.random.PCG64, np.random.PCG64DXSM, np.random.MT19937, np.random.Philox, np.random.SFC64]


def state(generator):
    return random_generator_type.make_constant(generator).signature()


@pytest.mark.parametrize("bits", BITS)
def test_a_copy_shares_nothing(bits):
    generator = np.random.Generator(bits(3))
    generator.integers(0, 9, dtype="uint8")  # leaves half a word behind
    generator.spawn(2)
    before = state(generator)
    twin = copied(generator)
    assert type(twin.bit_generator) is bits
    assert state(twin) == before
    twin.normal(size=3)
    assert state(generator) == before
    twin.spawn(1)
    expected = copy.deepcopy(generator).spawn(1)[0].random()
    assert generator.spawn(1)[0].random() == expected
    np.testing.assert_array_equal(copied(generator).random(5), generator.random(5))


def test_a_copy_of_a_generator_of_the_users():
    class Mine(np.random.Generator):
        pass

    mine = Mine(np.random.PCG64(1))
    twin = copied(mine)
    assert twin.bit_generator is not mine.bit_generator
    assert twin.random() == np.random.default_rng(1).random()


def test_what_is_a_generator():
    assert RandomGeneratorType() is random_generator_type
    generator = np.random.default_rng(1)
    assert is_generator(generator)
    assert random_generator_type.filter(generator, strict=True) is generator
    for wrong in (np.random.RandomState(1), np.random.PCG64(1), 1, None):
        assert not is_generator(wrong)
        with pytest.raises(TypeError, match=r"expected a numpy.random.Generator, not"):
            random_generator_type.filter(wrong)


def test_equal_values_give_the_same_numbers():
    a, b = np.random.default_rng(1), np.random.default_rng(1)
    assert random_generator_type.values_eq(a, b)
    b.random()
    assert not random_generator_type.values_eq(a, b)
    assert not random_generator_type.values_eq(a, np.random.Generator(np.random.SFC64(1)))
    assert random_generator_type.may_share_memory(a, np.random.Generator(a.bit_generator))
    assert not random_generator_type.may_share_memory(a, b)


def test_shared_generators_are_copied_unless_borrowed():
    generator = np.random.default_rng(1)
    rng = shared(generator, "rng")
    assert isinstance(rng, RandomGeneratorSharedVariable)
    assert isinstance(rng, SharedVariable)
    assert rng.type is random_generator_type
    assert str(rng) == "rng"
    generator.random()
    assert rng.get_value().random() == np.random.default_rng(1).random()
    rng.get_value().random()
    assert state(rng.get_value()) == state(np.random.default_rng(1))
    rng.set_value(generator)
    assert rng.get_value(borrow=True) is not generator
    rng.set_value(generator, borrow=True)
    assert rng.get_value(borrow=True) is generator
    assert shared(generator, borrow=True).get_value(borrow=True) is generator
    with pytest.raises(TypeError, match=r"the value of rng: expected"):
        rng.set_value(np.random.RandomState(1))
    with pytest.raises(TypeError, match=r"holds numbers, not .*RandomState.* or it holds a"):
        shared(np.random.RandomState(1))


def test_arrays_are_borrowed_too():
    value = np.zeros(2)
    assert shared(value, borrow=True).get_value(borrow=True) is value
    assert shared(value).get_value(borrow=True) is not value


def test_an_argument_keeps_its_state():
    rng = random_generator_type("rng")
    next_rng, x = functions.normal(rng, size=3)
    run = function([rng], [next_rng, x])
    generator = np.random.default_rng(1)
    after, first = run(generator)
    assert state(generator) == state(np.random.default_rng(1))
    np.testing.assert_array_equal(first, np.random.default_rng(1).normal(size=3))
    after_two, second = run(after)
    np.testing.assert_array_equal([*first, *second], np.random.default_rng(1).normal(size=6))
    assert len({id(generator), id(after), id(after_two)}) == 3
    with pytest.raises(TypeError, match="argument 0 `rng` of function: expected RandomGenerator"):
        run(3)


def test_constants():
    generator = np.random.default_rng(1)
    constant = random_generator_type.make_constant(generator)
    generator.random()
    assert constant.data.random() == np.random.default_rng(1).random()
    a, b = (random_generator_type.make_constant(np.random.default_rng(2)) for _ in range(2))
    assert a.equals(b)
    assert a.equals(a.clone())
    assert not a.equals(random_generator_type.make_constant(np.random.default_rng(3)))
    assert "Generator" in str(a)


def test_givens_and_updates_by_a_generator():
    rng = shared(np.random.default_rng(1))
    next_rng, x = functions.random(rng)
    given = function([], x, givens={rng: np.random.default_rng(7)}, updates={rng: next_rng})
    expected = np.random.default_rng(7).random(2)
    assert given() == given() == expected[0]
    reset = function([], x, updates={rng: np.random.default_rng(9)})
    assert reset() == expected[1]
    assert reset() == reset() == np.random.default_rng(9).random()


def test_variables_are_pickled_and_copied():
    rng = shared(np.random.default_rng(1), "rng")
    _, x = functions.normal(rng)
    for twin in (pickle.loads(pickle.dumps(x)), copy.deepcopy(x)):
        own = twin.owner.inputs[0]
        assert own.container is not rng.container
        assert own.name == "rng"
        assert function([], twin)() == np.random.default_rng(1).normal()
    assert rng.clone().container is rng.container


def test_the_package_is_found():
    assert at.random is relgraph.tensor.random
    assert set(dir(at.random)) >= {"RandomStream", "normal"}
    for name in at.random.__all__:
        assert getattr(at.random, name) is not None
    with pytest.raises(AttributeError, match=r"'relgraph.tensor.random' has no attribute 'x'"):
        at.random.x  # noqa: B018
    with pytest.raises(AttributeError, match=r"module 'relgraph.tensor' has no attribute 'x'"):
        at.x  # noqa: B018
