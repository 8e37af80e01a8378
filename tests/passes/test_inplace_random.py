"""The row ``inplace_random``: which draws advance their generator in place, and whose state."""

import numpy as np
import pytest

import relgraph.tensor as at
from relgraph import In, Out, function, grad, shared
from relgraph.graph.destroyhandler import DestroyHandler, MutableInputs
from relgraph.graph.fg import FunctionGraph
from relgraph.passes.inplace import inplace_random
from relgraph.tensor.random import RandomStream, functions
from relgraph.tensor.random.op import RandomOp
from relgraph.tensor.random.type import random_generator_type, state_key


def inplace(run):
    """Return of each draw of a function, in order, whether it is in place."""
    nodes = run.maker.fgraph.toposort()
    return [bool(node.op.destroy_map) for node in nodes if isinstance(node.op, RandomOp)]


def test_a_draw_advances_the_generator_that_it_updates():
    x = RandomStream(1).normal(size=3)
    run = function([], x)
    assert inplace(run) == [True]
    rng = x.owner.inputs[0]
    generator = rng.get_value(borrow=True)
    run()
    assert rng.get_value(borrow=True) is generator
    for mode in ("o3", "fast_compile", "strict"):
        assert inplace(function([], x, mode=mode)) == [False]


def test_each_of_a_chain_is_in_place():
    rng = shared(np.random.default_rng(1))
    draws, following = [], rng
    for _ in range(4):
        following, x = functions.normal(following)
        draws.append(x)
    run = function([], draws, updates={rng: following})
    assert inplace(run) == [True] * 4
    generator = np.random.default_rng(1)
    for _ in range(2):
        np.testing.assert_array_equal(run(), [generator.normal() for _ in range(4)])


def test_without_an_update_the_shared_generator_keeps_its_state():
    rng = shared(np.random.default_rng(1))
    middle, x = functions.normal(rng)
    _, y = functions.normal(middle)
    run = function([], [x, y])
    assert inplace(run) == [False, True]
    assert run() == run()
    assert state_key(rng.get_value()) == state_key(np.random.default_rng(1))


def test_a_state_that_is_read_twice_is_read_before_it_goes():
    rng = shared(np.random.default_rng(1))
    next_rng, x = functions.normal(rng)
    _, y = functions.uniform(rng)
    run = function([], [x, y], updates={rng: next_rng})
    assert inplace(run) == [False, True]
    first, second = np.random.default_rng(1), np.random.default_rng(1)
    for _ in range(3):
        assert run() == [first.normal(), second.uniform()]
        second.bit_generator.state = first.bit_generator.state


def test_a_gradient_draws_the_noise_of_the_draw():
    stream, scale = RandomStream(1), at.dvector("scale")
    x = stream.normal(0.0, scale)
    run = function([scale], [x, grad(x.sum(), scale)])
    assert sorted(inplace(run)) == [False, True]
    (generator,) = np.random.default_rng(1).spawn(1)
    for _ in range(3):
        noise = generator.standard_normal(2)
        x_, slope = run([2.0, 3.0])
        np.testing.assert_array_equal(slope, noise)
        np.testing.assert_array_equal(x_, noise * [2.0, 3.0])


def test_a_stabilized_gradient_draws_nothing_again():
    stream, loc, w = RandomStream(1), at.dvector("loc"), at.dvector("w")
    x = stream.normal(loc, 1.0) * stream.bernoulli(0.5, size=loc.shape)
    cost = at.log(1 + at.exp(x * w)).sum()
    run = function([loc, w], [cost, *grad(cost, [loc, w])])
    assert inplace(run) == [True, True]


def test_a_result_does_not_share_the_state():
    rng = shared(np.random.default_rng(1))
    next_rng, x = functions.normal(rng)
    run = function([], [next_rng, x], updates={rng: next_rng})
    after, _ = run()
    expected = state_key(after)
    assert after.bit_generator is not rng.get_value(borrow=True).bit_generator
    run()
    assert state_key(after) == expected


def test_a_mutable_argument_is_advanced():
    rng = random_generator_type("rng")
    next_rng, x = functions.normal(rng)
    run = function([In(rng, mutable=True)], [Out(next_rng, borrow=True), x])
    assert inplace(run) == [True]
    generator = np.random.default_rng(1)
    after, first = run(generator)
    assert after is generator
    assert [first, generator.normal()] == list(np.random.default_rng(1).normal(size=2))


def test_what_is_borrowed_is_advanced():
    generator = np.random.default_rng(1)
    rng = shared(generator, borrow=True)
    next_rng, x = functions.normal(rng)
    run = function([], x, updates={rng: next_rng})
    assert [run(), generator.normal()] == list(np.random.default_rng(1).normal(size=2))


@pytest.mark.parametrize("mode", ["o4", "o3"])
def test_two_names_of_one_generator_are_two_values(mode):
    bits = np.random.PCG64(1)
    for again in (lambda g: g, lambda g: np.random.Generator(bits)):
        bits.state = np.random.PCG64(1).state
        generator = np.random.Generator(bits)
        one, two = random_generator_type("one"), random_generator_type("two")
        draws = [functions.normal(one)[1], functions.normal(two)[1]]
        run = function([In(one, mutable=True), In(two, mutable=True)], draws, mode=mode)
        a, b = run(generator, again(generator))
        assert a == b == np.random.default_rng(1).normal()


def test_a_graph_of_its_own():
    rng, other = random_generator_type("rng"), random_generator_type("other")
    _, x = functions.normal(rng)
    _, y = functions.normal(other)
    graph = FunctionGraph([rng, other], [x, y], clone=True)
    graph.attach_feature(MutableInputs([1]))
    optimizer = inplace_random()
    optimizer.optimize(graph)
    assert [bool(out.owner.op.destroy_map) for out in graph.outputs] == [False, True]
    assert optimizer.apply(graph) == 0
    assert any(isinstance(feature, DestroyHandler) for feature in graph.features)


def test_what_draws_nothing_is_left_alone():
    x = at.dvector("x")
    graph = FunctionGraph([x], [at.exp(x)], clone=True)
    optimizer = inplace_random()
    optimizer.add_requirements(graph)
    assert optimizer.apply(graph) == 0
